package recall

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestASentenceIsEmbeddedWithItsSpeaker(t *testing.T) {
	day, night := "The otters of the river sleep by day.", "At night they hunt for large crabs."
	for _, c := range []struct {
		what, text string
		want       []string // besides the whole
	}{
		{"of nobody", day + " " + night, nil},
		{"one sentence", "Anna: " + day, nil},
		{"two", "Anna: " + day + " " + night, []string{"Anna: " + day, "Anna: " + night}},
		{"a short one goes with the next", "Anna: Oh! " + day + " " + night, []string{"Anna: Oh! " + day, "Anna: " + night}},
		{"of several people", "Anna: " + day + "\nBo: " + night, []string{"Anna: " + day, "Bo: " + night}},
		{"a line that goes on", "Anna: " + day + "\n" + night, []string{"Anna: " + day, "Anna: " + night}},
		{"another script", "安娜: カワウソは昼に眠ります。彼らはカニを食べます。", []string{"安娜: カワウソは昼に眠ります。", "安娜: 彼らはカニを食べます。"}},
		{"a long one", "Anna: " + strings.Repeat(day+" ", 11), nil},
		{"no name", "- **Note**: " + day + " " + night, nil},
		{"broken bytes", "\xff: \xfe. \xff", nil},
		{"nothing behind it", "Anna: ", nil},
	} {
		if d := cmp.Diff(append([]string{c.text}, c.want...), embedTexts(c.text)); d != "" {
			t.Errorf("%s: %s", c.what, d)
		}
	}
}

func TestVectorsOfATextAndItsSentencesAreBlended(t *testing.T) {
	if d := cmp.Diff([]float32{1, 0}, blend([][]float32{{1, 0}})); d != "" {
		t.Error(d)
	}
	got := blend([][]float32{{1, 0}, {0, 1}, {1, 0}})
	if got[0] < .64 || got[0] > .66 || got[1] < .34 || got[1] > .36 {
		t.Errorf("%v", got)
	}
	if d := cmp.Diff([]float32{1}, blend([][]float32{{1, 0}, {1}})); d != "" {
		t.Errorf("one of other dimensions is hidden: %s", d)
	}
}
