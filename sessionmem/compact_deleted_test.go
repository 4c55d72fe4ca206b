package sessionmem

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// A person deletes the block that a Summary goes through, and few messages stand
// behind it: the next Summary, which keeps all of them, must not lose them.
func TestCompactAfterTheCoveredEndWasDeletedByHand(t *testing.T) {
	r := newCompactRig(t, told("So far."))
	r.say("cli-a", 0, 8)
	if _, err := r.compact("cli-a"); err != nil { // through m3
		t.Fatal(err)
	}
	tr, err := r.store.Load(t.Context(), "cli-a")
	if err != nil {
		t.Fatal(err)
	}
	tr.Blocks = slices.DeleteFunc(tr.Blocks, func(b Block) bool { return b.ID == "m3" })
	var out strings.Builder
	if err := WriteTranscript(&out, tr); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tr.Info.Path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r.say("cli-a", 8, 11)
	before := window(t, r.store, "cli-a")
	if _, err := r.compact("cli-a"); err != nil {
		t.Fatal(err)
	}
	if got := window(t, r.store, "cli-a"); got != before {
		t.Errorf("context %q, before it was %q", got, before)
	}
}
