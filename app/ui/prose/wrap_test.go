package prose

import (
	"math/rand/v2"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
)

// A paragraph whose end is changed repeatedly has the same lines as one built at once.
func TestAChangedParagraphMatchesANewOne(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	parts := []string{"word ", "a longer one, ", "averyveryverylongwordthatfitsnoline", "日本語。", "🎉 ", "line\n", "\n", " ", "  ", "\tx", "—"}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := New(nil, kit.SizeText, kit.RoleText)
		var runs []Run
		width := float32(120)
		for step := range 60 {
			switch r.IntN(8) {
			case 0:
				runs = append(append([]Run(nil), runs...), Run{Text: parts[r.IntN(len(parts))], Bold: r.IntN(2) == 0})
			case 1:
				if n := len(runs); n > 0 { // what looked like text was the beginning of a construct
					last := runs[n-1]
					last.Text = last.Text[:RuneFloor(last.Text, r.IntN(len(last.Text)+1))]
					runs = append(append([]Run(nil), runs[:n-1]...), last)
				}
			case 2:
				width = 60 + 20*float32(r.IntN(8))
			default:
				if len(runs) == 0 {
					runs = []Run{{}}
				}
				runs = append([]Run(nil), runs...)
				runs[len(runs)-1].Text += parts[r.IntN(len(parts))]
			}
			p.SetRuns(runs)
			height := p.Measure(width)
			whole := New(runs, kit.SizeText, kit.RoleText)
			if want := whole.Measure(width); height != want || p.Widest != whole.Widest {
				t.Fatalf("seed %d, step %d: %v high and %v wide, want %v and %v", seed, step, height, p.Widest, want, whole.Widest)
			}
			if diff := cmp.Diff(whole.Lines, p.Lines, cmp.AllowUnexported(textLine{})); diff != "" {
				t.Fatalf("seed %d, step %d, at %v:\n%s", seed, step, width, diff)
			}
		}
	}
}

func TestALongParagraphThatGrowsKeepsItsLines(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	long := strings.Repeat("word and word ", 2000)
	p := New([]Run{{Text: long}}, kit.SizeText, kit.RoleText)
	p.Measure(400)
	lines := len(p.Lines)
	p.SetRuns([]Run{{Text: long + "and one"}})
	if p.settled < len(p.words)-4 {
		t.Errorf("%d of %d words are laid out again", len(p.words)-p.settled, len(p.words))
	}
	p.keepLines()
	if lines-len(p.Lines) > 2 {
		t.Errorf("%d of %d lines are made again", lines-len(p.Lines), lines)
	}
}

func TestAFoldedTextDrawsOnlyItsShownLines(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	p := New([]Run{{Text: strings.Repeat("a line\n", 40) + "the end"}}, kit.SizeText, kit.RoleText)
	whole := p.Measure(400)
	p.ShowLines(5)
	if _, last := p.visibleLines(); last != 5 || p.Measure(400) != 5*p.Leading {
		t.Errorf("%d lines are drawn in a height of %g", last, p.Measure(400))
	}
	if len(p.Lines) != 41 || p.SelectLen() != len(p.Flat) {
		t.Errorf("%d lines can be found and copied", len(p.Lines))
	}
	p.ShowLines(0)
	if p.Measure(400) != whole {
		t.Errorf("unfolded it is %g high, before %g", p.Measure(400), whole)
	}
}
