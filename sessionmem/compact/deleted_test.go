package compact

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem/transcript"
)

// A person deletes the last block that a Summary covers: the Summary, which contains its text,
// leaves the context, and the next one is made of everything that is left.
func TestCompactAfterTheCoveredEndWasDeletedByHand(t *testing.T) {
	r := newCompactRig(t, told("So far."))
	r.addMessages("cli-a", 0, 8)
	if _, err := r.compact("cli-a"); err != nil { // up to m3
		t.Fatal(err)
	}
	tr, err := r.store.Load(t.Context(), "cli-a")
	if err != nil {
		t.Fatal(err)
	}
	tr.Blocks = slices.DeleteFunc(tr.Blocks, func(b transcript.Block) bool { return b.ID == "m3" })
	var out strings.Builder
	if err := transcript.Write(&out, tr); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tr.Info.Path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r.addMessages("cli-a", 8, 11)
	if got, want := window(t, r.store, "cli-a"), "m0 m1 m2 m4 m5 m6 m7 m8 m9 m10"; got != want { // the Summary contained m3 too
		t.Errorf("context %q, want %q", got, want)
	}
	if _, err := r.compact("cli-a"); err != nil {
		t.Fatal(err)
	}
	if got, want := window(t, r.store, "cli-a"), "S m7 m8 m9 m10"; got != want {
		t.Errorf("context %q, want %q", got, want)
	}
}
