package prose

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
