package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

// A program dies while it appends an answer. If the transcript has changed since, whether the
// answer was in it until the user removed it can't be known: it doesn't come back by itself.
// If nobody has written, it was never there, and it comes back like any interrupted answer.
func TestCrashWhileAppendingAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		since   func(t *testing.T, path, before string, answer transcript.Block)
		missing int
	}{
		{"before it was written", func(*testing.T, string, string, transcript.Block) {}, 0},
		{"after that, and the user took it out", func(t *testing.T, path, before string, answer transcript.Block) {
			writeFile(t, path, before+string(transcript.AppendBlock(nil, answer)))
			renameOver(t, path, before)
		}, 1},
		{"and the user wrote something", func(t *testing.T, path, before string, _ transcript.Block) {
			writeFile(t, path, before+"\nmore\n")
		}, 1},
		{"the user saved the same text", func(t *testing.T, path, before string, _ transcript.Block) {
			renameOver(t, path, before)
		}, 1},
		{"an older version was running", func(t *testing.T, path, _ string, _ transcript.Block) {
			file := filetest.Await(t, filepath.Join(filepath.Dir(path), transcript.PartialDir, "*"+session.CommitSuffix))
			name := strings.TrimSuffix(file, session.CommitSuffix)
			must(t, os.Rename(file, name[:strings.LastIndex(name, ".")]+session.CommitSuffix))
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			mustAppend(t, s, "cli-a", user("one"))
			path := onlyFile(t, root)
			c := s.Session("cli-a").Checkpoint(t.Context(), assistant(""))
			c.SetText("two")
			session.FlushCheckpoint(c)
			session.MarkCheckpoint(c) // the program dies here
			b := assistant("two")
			b.ID = c.ID()
			tt.since(t, path, readFile(t, path), b)
			s = openStore(t, root)
			turn, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
			must(t, err)
			turn.Unlock()
			if got := texts(t, s, "cli-a"); len(got) != 2-tt.missing {
				t.Errorf("the transcript holds %q", got)
			}
			if n := storetest.Missing(t, s, "cli-a"); n != tt.missing {
				t.Errorf("%d are missing, want %d", n, tt.missing)
			}
			must(t, second(s.Restore(t.Context(), "cli-a")))
			got := texts(t, openStore(t, root), "cli-a")
			if len(got) != 2 || !strings.HasPrefix(got[0], "one") || got[1] != "two" {
				t.Errorf("after a restore it holds %q", got)
			}
			if left, err := os.ReadDir(filepath.Join(root, transcript.SessionDir, transcript.PartialDir)); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// While an answer waits for the end of a save, its checkpoint holds all of it.
func TestAnswerWaitingForASaveIsCheckpointed(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	mustAppend(t, s, "cli-a", assistant("two"))
	session.TrustSaves(s.Sessions(), false)
	c := s.Session("cli-a").Checkpoint(t.Context(), assistant(""))
	c.SetText("a beginning")
	session.FlushCheckpoint(c)
	writeFile(t, path, strings.TrimSuffix(before, "\n")) // like an editor in the middle of a save
	done := make(chan error)
	go func() { done <- second(c.Commit(t.Context(), assistant("a beginning and an end"))) }()
	filetest.Until(t, "the whole answer in its checkpoint", func() bool {
		file := filetest.Await(t, filepath.Join(root, transcript.SessionDir, transcript.PartialDir, "*"+session.CommitSuffix))
		data, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(data), "and an end")
	})
	must(t, <-done)
	if got := texts(t, s, "cli-a"); len(got) != 2 || got[1] != "a beginning and an end" {
		t.Errorf("the context is %q", got)
	}
}

// Every write to a session waits for the end of a save and then succeeds.
func TestWritersWaitForTheEndOfASave(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, s *sessionmem.Store, snap session.Snapshot) error{
		"a message": func(t *testing.T, s *sessionmem.Store, _ session.Snapshot) error {
			return second(s.Append(t.Context(), "cli-a", user("next")))
		},
		"a Summary": func(t *testing.T, s *sessionmem.Store, snap session.Snapshot) error {
			return second(s.Session(snap.Session).Summaries().Append(t.Context(), snap, transcript.Block{Kind: transcript.KindSummary, Text: "so far", Through: snap.Messages[0].ID}))
		},
		"a reset": func(t *testing.T, s *sessionmem.Store, _ session.Snapshot) error {
			return s.Reset(t.Context(), "cli-a")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			s := openStore(t, root)
			mustAppend(t, s, "cli-a", user("one"))
			path := onlyFile(t, root)
			before := readFile(t, path)
			mustAppend(t, s, "cli-a", assistant("two"))
			writeFile(t, path, before) // from a buffer read earlier
			session.TrustSaves(s.Sessions(), false)
			snap, err := s.Session("cli-a").Summaries().Snapshot(t.Context(), "")
			must(t, err)
			begun := time.Now()
			must(t, write(t, s, snap))
			if took := time.Since(begun); took < session.SaveTime/2 || took > 5*session.SaveTime {
				t.Errorf("it took %s", took)
			}
			if text := readFile(t, path); !strings.HasPrefix(text, before) || text == before {
				t.Errorf("the file is\n%s", text)
			}
		})
	}
}
