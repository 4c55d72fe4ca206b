package prose

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"mac-stats/app/apptest"
	"mac-stats/app/ui/kit"
)

// A long word fills its lines, and no line is wider than the paragraph.
func TestALongWordFillsItsLines(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	const width = 300
	for name, text := range apptest.Unbroken() {
		s := strings.Join(strings.Fields(text(3000)), "")
		half := RuneFloor(s, len(s)/2)
		p := New([]Run{{Text: s[:half]}, {Text: s[half:], Bold: true}}, kit.SizeText, kit.RoleText)
		p.Measure(width)
		at := 0
		for i, l := range p.Lines {
			if l.from != at || l.to <= l.from {
				t.Fatalf("%s: line %d is %d…%d, the one before ends at %d", name, i, l.from, l.to, at)
			}
			at = l.to
			drawn := float32(0)
			for _, seg := range p.segments(l) {
				drawn = seg.X + seg.Width
			}
			if wide := p.span(l.from, l.to); wide > width+2 || drawn > width+2 || l.width > width {
				t.Errorf("%s: line %d is %g wide, taken for %g: %q", name, i, wide, l.width, p.Flat[l.from:l.to])
			}
			if i < len(p.Lines)-1 && l.width < width-40 && name != "Chinese" && name != "all of it" {
				t.Errorf("%s: line %d is %g wide only: %q", name, i, l.width, p.Flat[l.from:l.to])
			}
		}
		if at != len(p.Flat) {
			t.Errorf("%s: the lines end at %d of %d", name, at, len(p.Flat))
		}
	}
}

// A word that is wider than any window isn't shaped whole to find out how wide it is.
func TestAVeryLongWordIsAboutAsWideAsItsBeginningSuggests(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	for _, name := range []string{"Arabic", "Hebrew", "base64"} {
		s := strings.Join(strings.Fields(apptest.Unbroken()[name](3*sampled)), "")
		p := New([]Run{{Text: s}}, kit.SizeText, kit.RoleText)
		if got, want := p.LongestWord(), p.span(0, len(s)); got < 0.98*want || got > 1.02*want {
			t.Errorf("%s: %g wide, want about %g", name, got, want)
		}
	}
}
