package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// steps returns a transcript of these blocks, named by their IDs: u… and a… are messages, t…
// and n… a tool's result and a thought. -ID is a rewind, =ID a return to a version, x a reset,
// ~ID:text an edit and !ID a deletion.
func steps(t testing.TB, words string) *Transcript {
	t.Helper()
	out := &Transcript{}
	for _, w := range strings.Fields(words) {
		b := Block{ID: w, Kind: KindNote, Text: w[1:]}
		switch w[0] {
		case 'u':
			b.Kind, b.Text = KindUser, "text of "+w
		case 'a':
			b.Kind, b.Text = KindAssistant, "text of "+w
		case 't':
			b.Kind = KindTool
		case 'n':
			b.Note = NoteThinking
		case '-':
			b.Note = NoteRewind
		case '=':
			b.Note = NoteVersion
		case 'x':
			b.Note = NoteEnded
		case '~':
			b.Note = NoteEdited
			b.Parent, b.Text, _ = strings.Cut(w[1:], ":")
		case '!':
			b.Note, b.Parent, b.Text = NoteDeleted, w[1:], ""
		default:
			t.Fatalf("what is %s?", w)
		}
		out.Blocks = append(out.Blocks, b)
	}
	return out
}

func TestBranchAndItsVersions(t *testing.T) {
	for name, c := range map[string]struct {
		blocks, branch string
		versions       map[string][]string
	}{
		"no rewind":                        {"u1 a1 x u2", "u1 a1 x u2", nil},
		"an edited message":                {"u1 a1 u2 a2 -u2 u2b a2b", "u1 a1 u2b a2b", map[string][]string{"u2b": {"u2", "u2b"}}},
		"a repeated answer and its work":   {"u1 n1 t1 a1 -a1 t2 a2", "u1 t2 a2", map[string][]string{"a2": {"a1", "a2"}}},
		"three versions of the first":      {"u1 a1 -u1 u2 -u2 u3", "u3", map[string][]string{"u3": {"u1", "u2", "u3"}}},
		"back to the one before":           {"u1 a1 u2 a2 -u2 u2b a2b =u2", "u1 a1 u2 a2", map[string][]string{"u2": {"u2", "u2b"}}},
		"and forth again":                  {"u1 a1 u2 a2 -u2 u2b a2b =u2 =u2b u3", "u1 a1 u2b a2b u3", map[string][]string{"u2b": {"u2", "u2b"}}},
		"back to a branch of a left one":   {"u1 a1 u2 a2 -a2 a2b -u2 u2b =a2", "u1 a1 u2 a2", map[string][]string{"u2": {"u2", "u2b"}, "a2": {"a2", "a2b"}}},
		"a rewind doesn't cross a reset":   {"u1 a1 x u2 -u1 u3", "u1 a1 x u2 u3", nil},
		"a reset ends all other versions":  {"u1 -u1 u2 x u3 =u1", "u2 x u3", nil},
		"a rewind to a block that is gone": {"u1 a1 -u7 =u8 u2", "u1 a1 u2", nil},
		"a rewind to a note":               {"u1 n1 a1 -n1 u2", "u1 n1 a1 u2", nil},
		"what was left holds no message":   {"u1 t1 -t1 u2", "u1 u2", nil},
		"a deleted version":                {"u1 a1 -a1 a2 !a1", "u1 a2", nil},
		"one of three deleted":             {"u1 -u1 u2 !u2 -u2 u3", "u3", map[string][]string{"u3": {"u1", "u3"}}},
		"an edited version":                {"u1 -u1 u2 ~u1:new", "u2", map[string][]string{"u2": {"u1", "u2"}}},
		"corrections":                      {"u1 a1 u2 ~u1:new !a1 ~u1:newer", "u1=newer u2", nil},
		"a rewind undoes no correction":    {"u1 a1 ~u1:new u2 -a1 u3", "u1=new u3", nil},
	} {
		t.Run(name, func(t *testing.T) {
			tr := steps(t, c.blocks)
			var got []string
			for _, b := range tr.Branch() {
				if b.IsMessage() && b.Text != "text of "+b.ID {
					b.ID += "=" + b.Text
				}
				got = append(got, b.ID)
			}
			if diff := cmp.Diff(c.branch, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.versions, tr.Versions(), alike); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Older versions wrote the block a rewind goes back to as the Note's parent.
func TestRewindTarget(t *testing.T) {
	for want, b := range map[string]Block{"u1": {Text: " u1\n", Parent: "u2"}, "u2": {Parent: "u2"}} {
		if got := RewindTarget(b); got != want {
			t.Errorf("%+v goes back to %q", b, got)
		}
	}
}

// What blocks do to a context follows from their kind and note alone.
func TestSteeringBlocks(t *testing.T) {
	type does struct{ Message, Branching, Steers, Correction bool }
	for b, want := range map[string]does{
		"user": {Message: true}, "assistant": {Message: true}, "agent": {}, "tool": {}, "text": {}, "summary": {Steers: true},
		"note ended": {Steers: true}, "note rewind": {Branching: true, Steers: true}, "note version": {Branching: true, Steers: true},
		"note edited": {Correction: true}, "note deleted": {Correction: true}, "note title": {}, "user ended": {Message: true},
	} {
		kind, note, _ := strings.Cut(b, " ")
		block := Block{Kind: Kind(kind), Note: note}
		if got := (does{block.IsMessage(), block.IsBranching(), block.Steers(), block.IsCorrection()}); got != want {
			t.Errorf("%s: %+v", b, got)
		}
	}
}
