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
