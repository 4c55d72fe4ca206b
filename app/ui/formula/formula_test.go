package formula

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/parser"
)

func TestFormulasInHTML(t *testing.T) {
	for in, want := range map[string]string{
		"so $a^2 < b$":               `<p>so <span class="formula">a² &lt; b</span></p>`,
		"$$\n\\frac{a}{2}\n$$":       `<p><span class="formula display">a/2</span></p>`,
		`$\text{<script>}$`:          `<p><span class="formula">&lt;script&gt;</span></p>`,
		"`$x^2$` costs $5 and \\$10": `<p><code>$x^2$</code> costs $5 and $10</p>`,
	} {
		var out bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(Extension{})).Convert([]byte(in), &out); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(out.String()); got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
}

func TestReadable(t *testing.T) {
	for in, want := range map[string]string{
		`\binom{n}{k} \cdot \sqrt[3]{x} + \sqrt[4]{y} - \sqrt[n]{a+b}`: "C(n, k) · ∛x + ∜y − ⁿ√(a+b)",
		`\left( \dfrac{1}{x} \right.`:                                  "( 1/x",
		`\hat{x} + \vec{v}, \bar{abc}, \ddot y`:                        "x\u0302 + v\u20d7, abc, y\u0308",
		`\mathbb{R}^n \mathbb{X} \mathbf{v}`:                           "ℝⁿ X v",
		`x^{q} y^{2q} z_{ij} w_Q`:                                      "x^q y^(2q) zᵢⱼ w_Q",
		`f'(x) ~ a*b \quad c`:                                          "f′(x) a∗b c",
		`\begin{aligned} a &= 1 \\ b &= 2 \end{aligned}`:               "a = 1\nb = 2",
		`a\,b\;c\!d\|e\{f\}`:                                           "a b cd‖e{f}",
		`\sin x \unknowncommand`:                                       "sin x unknowncommand",
		`{a{b{c}}} $ }`:                                                "abc",
		`x^`:                                                           "x",
		`\`:                                                            `\`,
		`\frac{a`:                                                      "a/",
	} {
		if got := readable(in); got != want {
			t.Errorf("%s gives %q, want %q", in, got, want)
		}
	}
}

// What only looks like a formula stays as it is.
func TestNotAFormula(t *testing.T) {
	for _, in := range []string{"$x", "$$x", `(x`, "$ 3 $", "$5 and $10", "$$ $$", "a $\nb$ c"} {
		var out bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(Extension{})).Convert([]byte(in), &out); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.TrimSpace(out.String()), "<p>"+in+"</p>"; got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
}

// Formulas over lines, closed and not, in one document.
func TestFormulasOverLines(t *testing.T) {
	in := `\[` + "\na_1\n+b" + `\]` + "\n\n" + `\(` + " not closed, " + `\(` + " twice\n\n" + `\(c\)`
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(Extension{})).Convert([]byte(in), &out); err != nil {
		t.Fatal(err)
	}
	want := "<p><span class=\"formula display\">a₁\n+b</span></p>\n<p>( not closed, ( twice</p>\n<p><span class=\"formula\">c</span></p>"
	if got := strings.TrimSpace(out.String()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzReadable(f *testing.F) {
	for _, s := range []string{`\frac{a}{b}`, `x^`, `\`, `{{{`, `^_^_`, `\sqrt[3]{x}`, `\begin{a}b\end{a}`, strings.Repeat("^{", 200), `\text`, "é\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if out := readable(s); len(out) > 8*len(s)+8 {
			t.Fatalf("%d bytes became %d", len(s), len(out))
		}
	})
}

// A parser takes memory for every key there is, so that many documents must share one. Making
// a key isn't safe for several goroutines either, and conversations are parsed on their own.
func TestParsersShareTheirContextKey(t *testing.T) {
	before := parser.ContextKeyMax
	for range 3 {
		goldmark.New(goldmark.WithExtensions(Extension{}))
	}
	if made := parser.ContextKeyMax - before; made != 0 {
		t.Errorf("three parsers made %d keys", made)
	}
}
