package reply

import (
	"testing"
)

func TestFormsAreRead(t *testing.T) {
	right := 0
	for _, f := range forms {
		parts := Parse(f.text, "stop", Marks{}, testTools(), nil)
		checkCover(t, f.text, parts)
		if got := callText(parts); got != f.want {
			t.Logf("%s: %q gives\n%s\nwant\n%s\nparts %+v", f.name, f.text, got, f.want, parts)
			continue
		}
		if shown := partText(f.text, parts, KindText); len(shown) > 0 && shown != "\n" && f.name != "react" {
			t.Logf("%s: shows %q", f.name, shown)
			continue
		}
		right++
	}
	t.Logf("%d of %d forms are right (%.1f %%)", right, len(forms), 100*float64(right)/float64(len(forms)))
	if right*100 < 92*len(forms) {
		t.Errorf("fewer than 92 %%")
	}
}

// checkCover checks that the parts are the reply, byte for byte.
func checkCover(t *testing.T, whole string, parts []Part) {
	t.Helper()
	at := 0
	for _, p := range parts {
		if p.From != at || p.To <= p.From {
			t.Fatalf("%q: part %+v begins at %d", whole, p, at)
		}
		at = p.To
	}
	if at != len(whole) {
		t.Fatalf("%q: the parts end at %d of %d", whole, at, len(whole))
	}
}
