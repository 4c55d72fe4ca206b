package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func journalOf(root string) string {
	return filepath.Join(root, transcript.SessionDir, transcript.JournalDir, "cli-a"+transcript.FileSuffix)
}

// removedFrom returns how many messages are reported missing.
func removedFrom(t *testing.T, s *sessionmem.Store) int {
	t.Helper()
	r, err := s.Removed(t.Context(), "cli-a")
	must(t, err)
	return r.Messages
}

// A journal holds each block once, whoever writes and however often.
func TestJournalHoldsEachBlockOnce(t *testing.T) {
	root := t.TempDir()
	for i := range 3 {
		s, other := openStore(t, root), openStore(t, root)
		mustAppend(t, s, "cli-a", user(fmt.Sprint("one ", i)))
		mustAppend(t, other, "cli-a", user(fmt.Sprint("two ", i)))
		mustAppend(t, s, "cli-a", user(fmt.Sprint("three ", i)))
	}
	if diff := cmp.Diff(blocksOf(readFile(t, onlyFile(t, root))), blocksOf(readFile(t, journalOf(root)))); diff != "" {
		t.Errorf("(-transcript +journal):\n%s", diff)
	}
	if fi, err := os.Stat(journalOf(root)); err != nil || fi.Mode().Perm() != 0o600 {
		t.Error(fi, err)
	}
}

func blocksOf(text string) string { return text[strings.Index(text, "\n## "):] }

// A transcript of 0.1 has no journal, and what 0.1 kept for late saves is removed. The first
// block of this version creates the journal.
func TestTranscriptOfVersion01GetsAJournal(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	must(t, s.Close())
	must(t, os.RemoveAll(filepath.Dir(journalOf(root))))
	old := filepath.Join(root, transcript.SessionDir, ".recent", "cli-a.jsonl")
	must(t, os.MkdirAll(filepath.Dir(old), 0o700))
	writeFile(t, old, `{"Seen":"2026-11-22T10:15:00Z","File":"x","Block":{"Text":"one"}}`+"\n")

	s = openStore(t, root)
	if _, err := os.Stat(filepath.Dir(old)); !os.IsNotExist(err) {
		t.Errorf("it stays: %v", err)
	}
	mustAppend(t, s, "cli-a", assistant("two"))
	if diff := cmp.Diff(blocksOf(readFile(t, onlyFile(t, root))), blocksOf(readFile(t, journalOf(root)))); diff != "" {
		t.Errorf("(-transcript +journal):\n%s", diff)
	}
}

// Edited text isn't missing, and neither are blocks whose IDs or line ends an editor changed.
func TestEditedBlocksAreNotMissing(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"another text": func(s string) string { return strings.Replace(s, "two", "zwei", 1) },
		"no ids":       func(s string) string { return withoutIDs(s) },
		"CRLF":         func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"a block moved": func(s string) string {
			i := strings.LastIndex(s, "\n## ")
			j := strings.Index(s, "\n## ")
			return s[:j] + s[i:] + s[j:i]
		},
		"a block by hand": func(s string) string { return s + "\n## User\n\nby hand\n" },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			for _, text := range []string{"one", "two", "three"} {
				mustAppend(t, s, "cli-a", user(text))
			}
			path := onlyFile(t, root)
			writeFile(t, path, edit(readFile(t, path)))
			if n := removedFrom(t, s); n != 0 {
				t.Errorf("%d are missing", n)
			}
			mustAppend(t, s, "cli-a", user("next"))
			if n := removedFrom(t, openStore(t, root)); n != 0 {
				t.Errorf("after one more, %d are missing", n)
			}
		})
	}
}

func withoutIDs(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "<!-- id=") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// What nobody decides about leaves after a month, what the user agreed to at once.
func TestRemovedBlocksLeaveTheJournal(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	mustAppend(t, s, "cli-a", user("two"))
	writeFile(t, path, before)
	mustAppend(t, s, "cli-a", user("three"))
	if n := removedFrom(t, s); n != 1 || !strings.Contains(readFile(t, journalOf(root)), "two") {
		t.Errorf("%d are missing", n)
	}
	text := readFile(t, journalOf(root))
	at := strings.Index(text, "## Note · ")
	stamp, _, _ := strings.Cut(text[at+len("## Note · "):], "\n")
	old := time.Now().Add(-journal.RemovedKept - time.Hour).Format(time.RFC3339)
	writeFile(t, journalOf(root), strings.Replace(text, "## Note · "+stamp, "## Note · "+old, 1))
	s = openStore(t, root)
	mustAppend(t, s, "cli-a", user("four"))
	if n := removedFrom(t, s); n != 0 || strings.Contains(readFile(t, journalOf(root)), "two") {
		t.Errorf("after a month %d are missing", n)
	}
}

// What was removed from a session that nobody writes to leaves too, and what is put back by
// hand isn't missing.
func TestRemovedBlocksLeaveTheJournalOfAnIdleSession(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	before := readFile(t, path)
	mustAppend(t, s, "cli-a", user("two"))
	after := readFile(t, path)
	for _, save := range []string{before, after, before} {
		writeFile(t, path, save)
		if n, want := removedFrom(t, s), strings.Count(after, "\n## ")-strings.Count(save, "\n## "); n != want {
			t.Errorf("%d are missing, not %d", n, want)
		}
	}
	later := time.Now().Add(time.Second)
	must(t, os.Chtimes(path, later, later))
	must(t, s.Sessions().ExpireRemoved(t.Context()))
	text := readFile(t, journalOf(root))
	at := strings.Index(text, "## Note · ")
	if at < 0 || !strings.Contains(text, "two") {
		t.Fatalf("it is not noted:\n%s", text)
	}
	stamp, _, _ := strings.Cut(text[at+len("## Note · "):], "\n")
	old := time.Now().Add(-journal.RemovedKept - time.Hour).Format(time.RFC3339)
	writeFile(t, journalOf(root), strings.Replace(text, "## Note · "+stamp, "## Note · "+old, 1))
	must(t, openStore(t, root).Sessions().ExpireRemoved(t.Context()))
	if n := removedFrom(t, s); n != 0 || strings.Contains(readFile(t, journalOf(root)), "two") {
		t.Errorf("after a month %d are missing", n)
	}
}

// Sessions that are in memory, deleted or archived have no journal.
func TestSessionsWithoutAJournal(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	s.SetPrivate("cpu-p")
	mustAppend(t, s, "cpu-p", user("hush"))
	mustAppend(t, s, "cli-a", user("one"))
	mustAppend(t, s, "cli-b", user("one"))
	must(t, s.Delete(t.Context(), "cli-a"))
	must(t, second(s.Archive(t.Context(), sessionmem.ArchiveRule{After: 1})))
	left, err := os.ReadDir(filepath.Dir(journalOf(root)))
	if err != nil || len(left) > 0 {
		t.Errorf("there are %v, %v", left, err)
	}
}

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
			if n := removedFrom(t, s); n != tt.missing {
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
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		file := filetest.Await(t, filepath.Join(root, transcript.SessionDir, transcript.PartialDir, "*"+session.CommitSuffix))
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), "and an end") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it is not checkpointed")
		}
	}
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
