package session_test

import (
	"os"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"

	"github.com/google/go-cmp/cmp"
)

// What a save removed isn't context until the user restores it. Then it is back in its place,
// and a reset, a rewind or a Summary means what it meant, whatever was written since.
func TestSteeringBlocksAreRestoredInPlace(t *testing.T) {
	for _, tc := range []struct {
		name     string
		steer    func(t *testing.T, s *sessionmem.Store, first string)
		saved    []string // the context after the save
		restored []string
	}{
		{
			"a reset",
			func(t *testing.T, s *sessionmem.Store, _ string) { must(t, s.Reset(t.Context(), "cli-a")) },
			[]string{"one", "two", "other", "next"},
			[]string{"other", "next"},
		},
		{
			"a rewind",
			func(t *testing.T, s *sessionmem.Store, first string) {
				must(t, second(s.Rewind(t.Context(), "cli-a", first)))
			},
			[]string{"one", "two", "other", "next"},
			[]string{"other", "next"},
		},
		{
			"a Summary",
			func(t *testing.T, s *sessionmem.Store, first string) {
				mustAppend(t, s, "cli-a", transcript.Block{Kind: transcript.KindSummary, Text: "so far", Through: first})
			},
			[]string{"one", "two", "other", "next"},
			[]string{"Summary: so far", "two", "other", "next"},
		},
		{
			"a message",
			func(t *testing.T, s *sessionmem.Store, _ string) { mustAppend(t, s, "cli-a", user("three")) },
			[]string{"one", "two", "other", "next"},
			[]string{"one", "two", "three", "other", "next"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			first := mustAppend(t, s, "cli-a", user("one"))
			mustAppend(t, s, "cli-a", assistant("two"))
			path := onlyFile(t, root)
			before := readFile(t, path)
			tc.steer(t, s, first.ID)
			after := readFile(t, path)
			writeFile(t, path, before) // an editor that had read it before
			mustAppend(t, openStore(t, root), "cli-a", user("other"))
			mustAppend(t, s, "cli-a", user("next"))
			if diff := cmp.Diff(tc.saved, contextOf(t, openStore(t, root))); diff != "" {
				t.Errorf("a restarted program is told (-want +got):\n%s", diff)
			}
			storetest.SameAfterRestart(t, s, root, "cli-a")
			got, err := openStore(t, root).Restore(t.Context(), "cli-a")
			if must(t, err); got.Messages+got.Others != 1 {
				t.Errorf("restored %+v", got)
			}
			if diff := cmp.Diff(tc.restored, contextOf(t, openStore(t, root))); diff != "" {
				t.Errorf("after restoring, a program is told (-want +got):\n%s", diff)
			}
			storetest.SameAfterRestart(t, s, root, "cli-a")
			if text := readFile(t, path); !strings.HasPrefix(text, after) {
				t.Errorf("it is not as it was:\n%s\n---\n%s", after, text)
			}
		})
	}
}

// In the running turn, a reset stays in force if nothing was written after it.
func TestResetDroppedDuringItsTurnStays(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	turn, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
	must(t, err)
	must(t, s.Reset(t.Context(), "cli-a"))
	writeFile(t, path, before)
	turn.Unlock()
	if got := contextOf(t, openStore(t, root)); len(got) != 0 {
		t.Errorf("told %q", got)
	}
}

// contextOf returns the session's context as a model gets it.
func contextOf(t *testing.T, s *sessionmem.Store) []string {
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

// While a program has the transcript open for writing, nothing is inserted into it.
func TestRestoringWaitsForAWriter(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	mustAppend(t, s, "cli-a", user("two"))
	writeFile(t, path, before)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer f.Close()
	if _, certain := wholefile.IsOpenForWriting(path); !certain {
		t.Skip("this system doesn't tell who writes a file")
	}
	if _, err := s.Restore(t.Context(), "cli-a"); err == nil || !strings.Contains(err.Error(), "another program is saving it") {
		t.Errorf("restoring: %v", err)
	}
	must(t, second(f.WriteString("\n## User · 2026-01-01T08:00:00Z\n\nby hand\n")))
	must(t, f.Close())
	must(t, second(s.Restore(t.Context(), "cli-a")))
	if diff := cmp.Diff([]string{"one", "two", "by hand"}, contextOf(t, openStore(t, root))); diff != "" {
		t.Error(diff)
	}
}
