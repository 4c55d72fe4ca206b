package branch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// versioned writes a session with these messages, the user's and answers in turn; each rewind
// leaves the branch at a message.
func versioned(t *testing.T, s *sessionmem.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		b := transcript.Block{ID: id, Kind: transcript.KindUser, Text: "text of " + id}
		switch id[0] {
		case 'a':
			b.Kind, b.Agent = transcript.KindAssistant, "orchestrator"
		case '-':
			b = transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: id[1:]}
		case 's':
			b = transcript.Settings{Model: id}.Note()
		case 'x':
			b = transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEnded}
		}
		if _, err := s.Append(t.Context(), "cpu-v", b); err != nil {
			t.Fatal(err)
		}
	}
}

// onBranch returns the messages of the branch and of the context, which must be the same.
func onBranch(t *testing.T, s *sessionmem.Store) []string {
	t.Helper()
	tr, err := s.Load(t.Context(), "cpu-v")
	if err != nil {
		t.Fatal(err)
	}
	window, err := s.Context(t.Context(), "cpu-v")
	if err != nil {
		t.Fatal(err)
	}
	var branch, context []string
	for _, b := range tr.Branch() {
		if b.IsMessage() {
			branch = append(branch, b.ID)
		}
	}
	for _, b := range window.Messages {
		context = append(context, b.ID)
	}
	if diff := cmp.Diff(branch, context); diff != "" {
		t.Errorf("the branch differs from the context:\n%s", diff)
	}
	return branch
}

func TestGoingBackToAVersion(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	versioned(t, s, "u1", "a1", "u2", "a2", "-u2", "u2b", "a2b", "-a2b", "a2c", "u3", "a3")
	tr, err := s.Load(t.Context(), "cpu-v")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"u2b": {"u2", "u2b"}, "a2c": {"a2b", "a2c"}}, tr.Versions()); diff != "" {
		t.Errorf("the versions:\n%s", diff)
	}
	for _, step := range []struct {
		to   string
		want []string
	}{
		{"a2b", []string{"u1", "a1", "u2b", "a2b"}},
		{"u2", []string{"u1", "a1", "u2", "a2"}},
		{"a2c", []string{"u1", "a1", "u2b", "a2c", "u3", "a3"}}, // on a branch of an abandoned branch
		{"u2", []string{"u1", "a1", "u2", "a2"}},
		{"u2b", []string{"u1", "a1", "u2b"}}, // both versions of the answer are abandoned: the newest of them
	} {
		if err := s.UseVersion(t.Context(), "cpu-v", step.to); err != nil {
			t.Fatalf("%s: %v", step.to, err)
		}
		got := onBranch(t, s)
		if step.to == "u2b" {
			got = got[:3]
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("after %s:\n%s", step.to, diff)
		}
	}
	versioned(t, s, "u4")
	want := onBranch(t, s)
	if again := onBranch(t, openStore(t, dir)); !slices.Equal(again, want) || want[len(want)-1] != "u4" {
		t.Errorf("read again it is %v, was %v", again, want)
	}
	versioned(t, s, "x", "u5")
	for _, id := range []string{"u2", "u5", "nothing"} {
		if err := s.UseVersion(t.Context(), "cpu-v", id); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("going back to %s: %v", id, err)
		}
	}
}

// Whichever branches are left and returned to, the branch is the one the version was on.
func TestRandomVersions(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := openStore(t, t.TempDir())
		var on []string
		paths := map[string][]string{} // for each message, its branch as it last was
		for i := range 40 {
			for _, id := range on {
				paths[id] = slices.Clone(on)
			}
			if r.IntN(3) == 0 { // between two messages: it has no branch of its own
				versioned(t, s, fmt.Sprintf("s%d", i))
			}
			switch n := r.IntN(10); {
			case n < 6 || len(on) == 0:
				id := fmt.Sprintf("%c%d", "ua"[len(on)%2], i)
				versioned(t, s, id)
				on = append(on, id)
			case n < 8:
				k := r.IntN(len(on))
				versioned(t, s, "-"+on[k])
				on = on[:k]
			default:
				var left []string
				for id := range paths {
					if !slices.Contains(on, id) {
						left = append(left, id)
					}
				}
				if len(left) == 0 {
					continue
				}
				slices.Sort(left)
				id := left[r.IntN(len(left))]
				if err := s.UseVersion(t.Context(), "cpu-v", id); err != nil {
					t.Fatalf("seed %d: %s: %v", seed, id, err)
				}
				on = slices.Clone(paths[id])
			}
			if got := onBranch(t, s); !slices.Equal(got, on) {
				t.Fatalf("seed %d, step %d: the branch is %v, want %v", seed, i, got, on)
			}
		}
	}
}
