package cpuwindow

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A paragraph that is changed at its end, again and again, has the lines that one
// made at once has.
func TestAParagraphThatChangesIsAsOneMadeAtOnce(t *testing.T) {
	newBench(t)
	parts := []string{"word ", "a longer one, ", "averyveryverylongwordthatfitsnoline", "日本語。", "🎉 ", "line\n", "\n", " ", "  ", "\tx", "—"}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := newProse(nil, sizeText, roleText)
		var runs []run
		width := float32(120)
		for step := range 60 {
			switch r.IntN(8) {
			case 0:
				runs = append(append([]run(nil), runs...), run{text: parts[r.IntN(len(parts))], bold: r.IntN(2) == 0})
			case 1:
				if n := len(runs); n > 0 { // what was taken for text was the beginning of something
					last := runs[n-1]
					last.text = last.text[:runeFloor(last.text, r.IntN(len(last.text)+1))]
					runs = append(append([]run(nil), runs[:n-1]...), last)
				}
			case 2:
				width = 60 + 20*float32(r.IntN(8))
			default:
				if len(runs) == 0 {
					runs = []run{{}}
				}
				runs = append([]run(nil), runs...)
				runs[len(runs)-1].text += parts[r.IntN(len(parts))]
			}
			p.setRuns(runs)
			height := p.measure(width)
			whole := newProse(runs, sizeText, roleText)
			if want := whole.measure(width); height != want || p.widest != whole.widest {
				t.Fatalf("seed %d, step %d: %v high and %v wide, want %v and %v", seed, step, height, p.widest, want, whole.widest)
			}
			if diff := cmp.Diff(whole.lines, p.lines, cmp.AllowUnexported(textLine{})); diff != "" {
				t.Fatalf("seed %d, step %d, at %v:\n%s", seed, step, width, diff)
			}
		}
	}
}

func TestALongParagraphThatGrowsKeepsItsLines(t *testing.T) {
	newBench(t)
	long := strings.Repeat("word and word ", 2000)
	p := newProse([]run{{text: long}}, sizeText, roleText)
	p.measure(400)
	lines := len(p.lines)
	p.setRuns([]run{{text: long + "and one"}})
	if p.settled < len(p.words)-4 {
		t.Errorf("%d of %d words are laid out again", len(p.words)-p.settled, len(p.words))
	}
	p.keepLines()
	if lines-len(p.lines) > 2 {
		t.Errorf("%d of %d lines are made again", lines-len(p.lines), lines)
	}
}
