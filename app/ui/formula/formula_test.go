package formula

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// parsed returns a paragraph's text as a window shows it, with ⟦…⟧ around formulas.
func parsed(in string) string {
	root := goldmark.New(goldmark.WithExtensions(Extension{})).Parser().Parse(text.NewReader([]byte(in)))
	var out strings.Builder
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // never fails
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(n.Segment.Value([]byte(in)))
				if n.SoftLineBreak() {
					out.WriteString("\n")
				}
			}
		case *ast.CodeSpan:
			out.WriteString("`")
		case *ast.Paragraph:
			if !entering && n.NextSibling() != nil {
				out.WriteString("\n\n")
			}
		case *Node:
			if entering {
				out.WriteString("⟦" + n.Readable() + "⟧")
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

func TestFormulasInASentence(t *testing.T) {
	for in, want := range map[string]string{
		"so $a^2 < b$":                      "so ⟦a² < b⟧",
		"$$\n\\frac{a}{2}\n$$":              "⟦a/2⟧",
		"($x$), \"$y$\", $z$. *$w$*":        "(⟦x⟧), \"⟦y⟧\", ⟦z⟧. ⟦w⟧",
		"设$x$为整数":                           "设⟦x⟧为整数",
		"$5$, $10^3$ and $2 + 2 = 4$":       "⟦5⟧, ⟦10³⟧ and ⟦2 + 2 = 4⟧",
		"$2n \\log n$, $O(n log n)$":        "⟦2n log n⟧, ⟦O(n log n)⟧",
		"$N$/$M$":                           "⟦N⟧/⟦M⟧",
		"$`x^2`$ is GitHub's other form":    "⟦x²⟧ is GitHub's other form",
		"the \\(n\\)th term":                "the ⟦n⟧th term",
		"so $$\\sum x$$ holds":              "so ⟦∑ x⟧ holds",
		"> $$ x + 1 $$.":                    "⟦x + 1⟧.",
		"- $$\n  x\n  $$\n":                 "⟦x⟧",
		"we have \\[ x = 1 \\] so":          "we have ⟦x = 1⟧ so",
		"$\\text{cost-benefit, don't}$":     "⟦cost-benefit, don't⟧",
		"$x -> y$ and $f: A->B$":            "⟦x → y⟧ and ⟦f: A→B⟧",
		"costs \\$5, and $x$":               "costs \\$5, and ⟦x⟧",
		"$speed = distance / time$":         "⟦speed = distance / time⟧",
		"$p$-value, $k$-means, $\\alpha$–β": "⟦p⟧-value, ⟦k⟧-means, ⟦α⟧–β",
		"$0.05$ or $1/2$, $x_{1}, x_{2}$":   "⟦0.05⟧ or ⟦1/2⟧, ⟦x₁, x₂⟧",
	} {
		if got := parsed(in); got != want {
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
	for _, in := range []string{
		"$x", "$$x", `(x`, "$ 3 $", "$5 and $10", "$$ $$", "a $\nb$ c", "$5/kg or 6$/lb", "$5/kg, 6$/lb", "$20 per seat or 15$", "$.99 each or 2$ more",
		"$HOME/$USER/bin", "$A,$B", "$x->$y", "$a+$b=$c", "$A:$B", "$1,$2", "$HOME and `$HOME`", "`$HOME`", "`$A` or `$B`", "$A is `$B`", "$x `code` y$",
		"US$5 is A$7", "5$ is 6$", "5$, 6$ or 7$", "$$ and $$ again", "PID $$, not $$", "a regexp ^foo$|^bar$", "from $5 to $6.", "$HOME $PATH $x",
		"$_ and $_POST", "$arr[$i]", "foo($x, $y)", "${HOME}/${USER}", "$(ls) and $(pwd)", "cost$in$dollars", "$(a)/$(b)", "$('#a'), $('#b')", "$@/$<", "$?, $!", "($100 (that's 90$)",
	} {
		if got := parsed(in); got != in {
			t.Errorf("%s gives %s", in, got)
		}
	}
}

// Brackets that are escaped begin no formula in a sentence.
func TestEscapedBrackets(t *testing.T) {
	for in, want := range map[string]string{
		`see \[1\] and \[2\]`: "see \\[1\\] and \\[2\\]",
		`arr\[i\] is set`:     "arr\\[i\\] is set",
		`\[x\] a task`:        "\\[x\\] a task",
		`\[x\]`:               "⟦x⟧",
		`so \[\alpha\] holds`: "so ⟦α⟧ holds",
	} {
		if got := parsed(in); got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
}

// A matrix keeps its brackets, so that a determinant isn't taken for one.
func TestMatrices(t *testing.T) {
	for in, want := range map[string]string{
		`\begin{pmatrix} a & b \\ c & d \end{pmatrix}`:                                    "(a, b; c, d)",
		`\begin{bmatrix} 1 & 0 \\[2pt] 0 & 1 \\ \end{bmatrix}^T`:                          "[1, 0; 0, 1]ᵀ",
		`\det A = \begin{vmatrix} a & b \\ c & d \end{vmatrix} = ad - bc`:                 "det A = |a, b; c, d| = ad − bc",
		`\begin{Vmatrix} x \\ y \end{Vmatrix}, \begin{Bmatrix} x \end{Bmatrix}`:           "‖x; y‖, {x}",
		`\left( \begin{array}{c|c} a & b \\ \hline c & d \end{array} \right)`:             "( a, b; c, d )",
		`\left| \begin{array}{cc} a & b \\ c & d \end{array} \right|`:                     "| a, b; c, d |",
		`\begin{pmatrix} \begin{vmatrix} a & b \end{vmatrix} & 1 \end{pmatrix}`:           "(|a, b|, 1)",
		`f(x) = \begin{cases} x^2 & \text{if } x > 0 \\ 0 & \text{otherwise} \end{cases}`: "f(x) = { x² if x > 0; 0 otherwise",
		`\begin{pmatrix} a & b`:                                "(a, b)",
		`\begin{smallmatrix} a & b \\ c & d \end{smallmatrix}`: "a, b; c, d",
		`\begin{pmatrix*}[r] 1 \end{pmatrix*}`:                 "([r] 1)",
		`\begin{align*} a &= 1 \\[4pt] b &= 2 \end{align*}`:    "a = 1\nb = 2",
	} {
		if got := readable(in); got != want {
			t.Errorf("%s gives %q, want %q", in, got, want)
		}
	}
}

// Formulas over lines, closed and not, in one document.
func TestFormulasOverLines(t *testing.T) {
	in := `\[` + "\na_1\n+b" + `\]` + "\n\n" + `\(` + " not closed, " + `\(` + " twice\n\n" + `\(c\)`
	want := "⟦a₁\n+b⟧\n\n" + `\( not closed, \( twice` + "\n\n⟦c⟧"
	if got := parsed(in); got != want {
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
