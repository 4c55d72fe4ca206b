package prose

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
)

func TestRunsAreSplitWhereTheFontChanges(t *testing.T) {
	for name, c := range map[string]struct {
		runs []Run
		bold bool
		want []string
	}{
		"plain runs are left":     {runs: []Run{{Text: "a 风扇 b"}}, want: []string{"a 风扇 b"}},
		"bold Latin is left":      {runs: []Run{{Text: "one two", Bold: true}}, want: []string{"one two"}},
		"bold with an emoji":      {runs: []Run{{Text: "hot 🔥 now", Bold: true}}, want: []string{"hot", " 🔥", " now"}},
		"a heading":               {runs: []Run{{Text: "Found 🔍"}}, bold: true, want: []string{"Found", " 🔍"}},
		"code in Chinese":         {runs: []Run{{Text: "风扇", Mono: true}, {Text: " x"}}, want: []string{"风扇", " x"}},
		"what is broken is kept":  {runs: []Run{{Text: "a\xffb", Bold: true}}, want: []string{"a", "\xff", "b"}},
		"spaces only":             {runs: []Run{{Text: "  ", Bold: true}}, want: []string{"  "}},
		"nothing":                 {runs: []Run{{Text: "", Bold: true}}, want: []string{""}},
		"begins with another one": {runs: []Run{{Text: "风 a", Italic: true}}, want: []string{"风", " a"}},
	} {
		var got []string
		for _, r := range splitFonts(c.runs, c.bold) {
			got = append(got, r.Text)
			if !c.bold && r.Bold != c.runs[0].Bold && len(c.runs) == 1 {
				t.Errorf("%s: %q lost its style", name, r.Text)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWordsBetweenBackticksAreCode(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []Run
	}{
		{"plain", []Run{{Text: "plain"}}},
		{"Start `ollama serve` now", []Run{{Text: "Start "}, {Text: "ollama serve", Mono: true}, {Text: " now"}}},
		{"`a` and `b`", []Run{{Text: "a", Mono: true}, {Text: " and "}, {Text: "b", Mono: true}}},
		{"one ` alone", []Run{{Text: "one ` alone"}}},
		{"", []Run{{}}},
		{"``", []Run{{Text: "``"}}},
	} {
		if got := Runs(tt.text, kit.RoleNone); !slices.Equal(got, tt.want) {
			t.Errorf("%q gives %+v", tt.text, got)
		}
	}
}

func TestTextWrapsAgainAtAnotherWidth(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	p := New([]Run{{Text: strings.Repeat("words that fill a line ", 12)}}, kit.SizeText, kit.RoleText)
	for _, width := range []float32{600, 200, 400} {
		p.Resize(fyne.NewSize(width, p.Measure(width)))
		drawn := 0
		for _, o := range test.WidgetRenderer(p).Objects() {
			txt, ok := o.(*canvas.Text)
			if !ok {
				continue
			}
			drawn++
			if end := txt.Position().X + fyne.MeasureText(txt.Text, txt.TextSize, txt.TextStyle).Width; end > width+1 {
				t.Errorf("at %v: %q ends at %v", width, txt.Text, end)
			}
		}
		if drawn != len(p.Lines) {
			t.Errorf("at %v: %d of %d lines are drawn", width, drawn, len(p.Lines))
		}
	}
}
