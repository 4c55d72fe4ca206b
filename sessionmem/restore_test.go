package sessionmem

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What an editor's late save drops is put back at the end. There, a reset, a rewind
// or a Summary means something else as soon as another program has written meanwhile.
func TestWhatSteersAContextIsPutBackOnlyWhereItStood(t *testing.T) {
	for _, tc := range []struct {
		name  string
		steer func(t *testing.T, s *Store, first string)
		alone []string // the context where nobody else wrote
		other []string // where another program wrote "other" meanwhile
		older []string // where one did that does not put anything back
	}{
		{
			"a reset",
			func(t *testing.T, s *Store, _ string) { must(t, s.Reset(t.Context(), "cli-a")) },
			[]string{"next"},
			[]string{"other", "next"},
			[]string{"one", "two", "other", "next"},
		},
		{
			"a rewind",
			func(t *testing.T, s *Store, first string) { must(t, second(s.Rewind(t.Context(), "cli-a", first))) },
			[]string{"next"},
			[]string{"other", "next"},
			[]string{"one", "two", "other", "next"},
		},
		{
			"a Summary",
			func(t *testing.T, s *Store, first string) {
				mustAppend(t, s, "cli-a", Block{Kind: KindSummary, Text: "so far", Through: first})
			},
			[]string{"Summary: so far", "two", "next"},
			[]string{"Summary: so far", "two", "other", "next"},
			[]string{"one", "two", "other", "next"},
		},
		{
			"a message",
			func(t *testing.T, s *Store, _ string) { mustAppend(t, s, "cli-a", user("three")) },
			[]string{"one", "two", "three", "next"},
			[]string{"one", "two", "three", "other", "next"},
			[]string{"one", "two", "other", "three", "next"},
		},
	} {
		for who, want := range map[string][]string{"nobody else": tc.alone, "another program": tc.other, "an older program": tc.older} {
			t.Run(tc.name+", "+who+" wrote meanwhile", func(t *testing.T) {
				root := t.TempDir()
				s := openStore(t, root)
				first := mustAppend(t, s, "cli-a", user("one"))
				mustAppend(t, s, "cli-a", assistant("two"))
				path := onlyFile(t, root)
				before := readFile(t, path)
				tc.steer(t, s, first.ID)
				writeFile(t, path, before) // an editor that had read it before
				switch who {
				case "another program":
					mustAppend(t, openStore(t, root), "cli-a", user("other"))
				case "an older program":
					writeFile(t, path, before+"\n## User · 2026-11-21T10:15:02+01:00\n<!-- id=other -->\n\nother\n")
				}
				mustAppend(t, s, "cli-a", user("next"))
				if diff := cmp.Diff(want, toldOf(t, openStore(t, root))); diff != "" {
					t.Errorf("a restarted program is told (-want +got):\n%s", diff)
				}
				checkSameAfterRestart(t, s, root)
			})
		}
	}
}

// toldOf is what a model is told of the session.
func toldOf(t *testing.T, s *Store) []string {
	t.Helper()
	c, err := s.Context(t.Context(), "cli-a")
	must(t, err)
	var out []string
	if c.Summary != nil {
		out = append(out, "Summary: "+c.Summary.Text)
	}
	for _, b := range c.Messages {
		out = append(out, b.Text)
	}
	return out
}

// A save that drops the end of an earlier part drops what others stand behind.
func TestAResetAtTheEndOfAnEarlierPartIsNotPutBack(t *testing.T) {
	root := t.TempDir()
	limited := openLimited(t, root, 1<<20)
	mustAppend(t, limited, "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	must(t, limited.Reset(t.Context(), "cli-a"))
	limited.maxBytes = func() int64 { return 1 }
	mustAppend(t, limited, "cli-a", user("in part 2"))
	writeFile(t, path, before)
	limited.maxBytes = nil
	mustAppend(t, limited, "cli-a", user("next"))
	if diff := cmp.Diff([]string{"one", "in part 2", "next"}, toldOf(t, limited)); diff != "" {
		t.Error(diff)
	}
	if text := readFile(t, filepath.Join(root, sessionDir, transcripts(t, root)[1])); strings.Contains(text, "note=restored") {
		t.Errorf("something was put back:\n%s", text)
	}
}
