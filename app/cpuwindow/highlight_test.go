package cpuwindow

import (
	"image/color"
	"math"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"
)

// inks is coloured code in words: each stretch with what it is.
func inks(code string, spans []codeSpan) []string {
	names := map[codeInk]string{inkPlain: "plain", inkKeyword: "keyword", inkString: "string", inkNumber: "number", inkComment: "comment", inkName: "name"}
	var out []string
	at := 0
	for _, s := range spans {
		out = append(out, names[s.ink]+" "+strings.TrimSpace(code[at:s.to]))
		at = int(s.to)
	}
	return out
}

func TestCodeIsColoured(t *testing.T) {
	tests := []struct {
		lang, code string
		want       []string
	}{
		{"go", "// why\nfunc f() { return 42 }", []string{"comment // why", "keyword func", "name f", "plain () {", "keyword return", "number 42", "plain }"}},
		{"PYTHON", "def f(): return \"x\"", []string{"keyword def", "name f", "plain ():", "keyword return", "string \"x\""}},
		{"json", `{"a": true}`, []string{"plain {", `name "a"`, "plain :", "number true", "plain }"}},
		{"klingon", "qapla", nil},
		{"../../etc", "x", nil},
		{"", "x", nil},
	}
	for _, tc := range tests {
		t.Run(tc.lang, func(t *testing.T) {
			got := inks(tc.code, newHighlighter(tc.lang).finished(tc.code))
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestGrowingCodeIsColouredPieceByPiece(t *testing.T) {
	// given a block longer than some chunks, when it grows, then what is coloured for
	// good does not change and the end is coloured too
	code := strings.Repeat("func f(a int) string { return \"text\" } // why\n", 120)
	h, whole := newHighlighter("go"), newHighlighter("go")
	h.limit, whole.limit = time.Hour, time.Hour // a busy machine leaves nothing plain
	var before []codeSpan
	for n := 100; n <= len(code); n += 100 {
		spans := h.grown(code[:n])
		if last := spans[len(spans)-1]; int(last.to) != n {
			t.Fatalf("of %d bytes %d are covered", n, last.to)
		}
		if len(before) > 2 {
			if d := cmp.Diff(before[:len(before)-2], spans[:len(before)-2], cmp.AllowUnexported(codeSpan{})); d != "" {
				t.Fatalf("at %d bytes: %s", n, d)
			}
		}
		before = append([]codeSpan(nil), h.spans...)
		if left := n - len(h.done); left > chunkBytes+100 {
			t.Fatalf("%d bytes are coloured anew each time", left)
		}
	}
	if d := cmp.Diff(inks(code, whole.finished(code)), inks(code, h.grown(code))); d != "" {
		t.Error("at the end it is not as if coloured at once: " + d)
	}
}

func TestAFinishedAnswerHasItsCodeColoured(t *testing.T) {
	d := newDocument()
	for i := range mixedAnswer {
		d.append(mixedAnswer[i : i+1])
		d.settle(false)
	}
	d.settle(true)
	whole := parseDocument(mixedAnswer)
	for i, l := range d.leaves {
		if diff := cmp.Diff(whole.leaves[i].spans, l.spans, cmp.AllowUnexported(codeSpan{})); diff != "" {
			t.Error(diff)
		}
		if l.lang == "go" && len(l.spans) < 2 {
			t.Error("the code is plain")
		}
	}
}

func FuzzColour(f *testing.F) {
	for _, s := range []string{"func f() {}\n", "\"\"\"", "\r\n", "\xff\xfe", "<a b='c'>", "日本語 \"x\"", strings.Repeat("(", 300), "/* */ /*"} {
		for _, lang := range []string{"go", "python", "html", "bash"} {
			f.Add(lang, s)
		}
	}
	f.Fuzz(func(t *testing.T, lang, code string) {
		h := newHighlighter(lang)
		for _, spans := range [][]codeSpan{h.grown(code[:len(code)/2]), newHighlighter(lang).finished(code)} {
			at := int32(0)
			for _, s := range spans {
				if s.to <= at {
					t.Fatalf("a span ends at %d, the one before at %d", s.to, at)
				}
				at = s.to
			}
			if len(spans) > 0 && int(at) != len(code) && int(at) != len(code)/2 {
				t.Fatalf("%d of %d bytes are covered", at, len(code))
			}
		}
	})
}

func TestCodeIsLaidOutAsItGrowsAndIsNotWrapped(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		newBench(t)
		whole := newCodeText()
		code := "short\n" + strings.Repeat("long ", 60) + "\n\n日本語 mixed 🎉 text\nend"
		whole.set(code, nil)
		grown := newCodeText()
		for i := range code {
			grown.set(code[:i], nil)
		}
		grown.set(code, nil)
		if d := cmp.Diff(whole.lines, grown.lines, cmp.AllowUnexported(codeLine{})); d != "" {
			t.Error(d)
		}
		if len(whole.lines) != 5 || whole.measure(200) != 5*codeLeading() {
			t.Errorf("%d lines", len(whole.lines))
		}
		whole.setWrap(true)
		whole.measure(200)
		joined := ""
		for _, l := range whole.lines {
			if l.width > 200 {
				t.Errorf("a wrapped line is %g wide", l.width)
			}
			joined += code[l.from:l.to]
		}
		if joined != strings.ReplaceAll(code, "\n", "") {
			t.Errorf("wrapped: %q", joined)
		}
		whole.setWrap(false)
		whole.Resize(fyne.NewSize(200, 90))
		whole.scrollTo(1e6)
		if whole.offset != whole.widest-200 {
			t.Errorf("scrolled to %g of %g", whole.offset, whole.widest)
		}
		passed := false
		whole.pass = func(*fyne.ScrollEvent) { passed = true }
		whole.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(30, 0)})
		if whole.offset != whole.widest-230 || passed {
			t.Errorf("after scrolling left: %g, passed on %v", whole.offset, passed)
		}
		whole.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 30)})
		if !passed {
			t.Error("scrolling up was not passed on")
		}
	})
}

func TestTextCanBeReadOnItsGround(t *testing.T) {
	// 4.5 : 1 is what WCAG 2.2 asks of text of this size
	for name, p := range map[string]palette{"light": lightPalette(), "dark": darkPalette()} {
		for _, pair := range [][2]fyne.ThemeColorName{
			{roleText, roleWindow},
			{roleMuted, roleWindow},
			{roleMuted, roleCard},
			{roleText, roleBubble},
			{roleMuted, roleCode},
			{roleCodeKeyword, roleCode},
			{roleCodeString, roleCode},
			{roleCodeNumber, roleCode},
			{roleCodeName, roleCode},
		} {
			if c := contrast(p[pair[0]], p[pair[1]]); c < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f", name, pair[0], pair[1], c)
			}
		}
	}
}

// contrast is WCAG's.
func contrast(a, b color.NRGBA) float64 {
	luminance := func(c color.NRGBA) float64 {
		part := func(v uint8) float64 {
			x := float64(v) / 255
			if x <= 0.03928 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestATableTooNarrowForColumnsBecomesAList(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		newBench(t)
		table := parseDocument("| Process | Share of a core | What it does |\n|---|---:|---|\n| mds_stores | 2.3 | indexes the backup disk |\n| WindowServer | 0.4 | draws |").leaves[0]
		for _, tc := range []struct {
			width  float32
			listed bool
		}{{620, false}, {380, false}, {200, true}} {
			row := newTableRow(table)
			h := row.measure(tc.width)
			row.Resize(fyne.NewSize(tc.width, h))
			row.CreateRenderer().Layout(row.Size())
			if row.listed != tc.listed {
				t.Errorf("at %g: listed is %v", tc.width, row.listed)
			}
			var cells []*prose
			for _, c := range row.cells[1:] {
				cells = append(cells, c...)
			}
			for _, p := range cells {
				for _, l := range p.lines {
					for _, s := range l.segs {
						if end := p.Position().X + s.x + s.width; end > tc.width {
							t.Errorf("at %g: %q ends at %g", tc.width, p.flat, end)
						}
					}
				}
				if p.Position().Y+p.measure(p.wrapped) > h {
					t.Errorf("at %g: %q is below the table's end", tc.width, p.flat)
				}
			}
		}
	})
}

func TestFormulasAreReadable(t *testing.T) {
	tests := []struct{ in, want string }{
		{`$x^2 + y_1 = \frac{a+b}{2}$`, "x² + y₁ = (a+b)/2"},
		{`cost $5 and $10, or $ 3 $`, "cost $5 and $10, or $ 3 $"},
		{`\(\alpha \leq \sqrt{x}\)`, "α ≤ √x"},
		{`so $$\sum_{i=1}^{n} i = \frac{n(n+1)}{2}$$ holds`, "so\n∑ᵢ₌₁ⁿ i = (n(n+1))/2\nholds"},
		{"$$\nE = mc^2\n$$", "E = mc²"},
		{`\[ \int_0^\infty e^{-x}\,dx = 1 \]`, "∫₀^∞ e⁻ˣ dx = 1"},
		{`$\mathbb{R}^n \to \text{some set}$`, "ℝⁿ → some set"},
		{"`$x^2$` and \\$5", "$x^2$ and $5"},
		{`a_b_c and $a_b_c$`, "a_b_c and a_b_c"},
		{`$x`, "$x"},
		{`\[ x`, "[ x"},
	}
	for _, tc := range tests {
		if got := runsText(parseDocument(tc.in).leaves[0].runs); got != tc.want {
			t.Errorf("%s gives %q, want %q", tc.in, got, tc.want)
		}
	}
}

func FuzzMath(f *testing.F) {
	for _, s := range []string{`\frac{a}{b}`, `x^`, `\`, `{{{`, `^_^_`, `\sqrt[3]{x}`, `\begin{a}b\end{a}`, strings.Repeat("^{", 200), `\text`, "é\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := readableMath(s)
		if len(out) > 8*len(s)+8 {
			t.Fatalf("%d bytes became %d", len(s), len(out))
		}
		if d := parseDocument("$$" + s + "$$"); d.text() != "$$"+s+"$$" {
			t.Fatalf("the text became %q", d.text())
		}
	})
}

func TestATableThatGrowsIsAsOneMadeAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		newBench(t)
		text := "| a | b |\n|---|---:|\n| one | 1 |\n| a longer cell than before | **22** |\n| three | 333333 |\n"
		row, have := (*tableRow)(nil), leaf{}
		for i := range len(text) + 1 {
			leaves := parseDocument(text[:i]).leaves
			if len(leaves) != 1 || leaves[0].kind != leafTable {
				continue
			}
			if row == nil || !row.update(have, leaves[0]) {
				row = newTableRow(leaves[0])
			}
			have = leaves[0]
		}
		whole := newTableRow(have)
		if row.selectedText(0, 1) != whole.selectedText(0, 1) {
			t.Errorf("it says %q", row.selectedText(0, 1))
		}
		for _, width := range []float32{620, 150} {
			if a, b := row.measure(width), whole.measure(width); a != b || a == 0 {
				t.Errorf("at %g it is %g high, at once %g", width, a, b)
			}
		}
		if d := cmp.Diff(whole.natural, row.natural); d != "" {
			t.Error(d)
		}
		if row.update(have, parseDocument("| c | d |\n|---|---|\n| one | 1 |\n| x | y |\n| x | y |\n").leaves[0]) {
			t.Error("another table was taken for the same")
		}
	})
}

func TestOnlyRowsInSightOfATableAreOnTheScreen(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		newBench(t)
		table := newTableRow(parseDocument("| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 500)).leaves[0])
		table.Resize(fyne.NewSize(600, table.measure(600)))
		r := table.CreateRenderer()
		r.Layout(table.Size())
		table.seenFrom, table.seenTo = 5000, 5400
		r.Refresh()
		if n := len(r.Objects()); n > 60 || n < 20 {
			t.Errorf("%d objects", n)
		}
		if first, last := table.visibleRows(); first < 100 || last-first > 18 {
			t.Errorf("rows %d to %d", first, last)
		}
	})
}
