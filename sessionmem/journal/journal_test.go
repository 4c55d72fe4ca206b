package journal_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func journalOf(root string) string {
	return filepath.Join(root, transcript.SessionDir, transcript.JournalDir, "cli-a"+transcript.FileSuffix)
}

// A journal holds each block once, whoever writes and however often.
func TestJournalHoldsEachBlockOnce(t *testing.T) {
	root := t.TempDir()
	for i := range 3 {
		s, other := storetest.Open(t, root), storetest.Open(t, root)
		storetest.Append(t, s, "cli-a", storetest.User(fmt.Sprint("one ", i)))
		storetest.Append(t, other, "cli-a", storetest.User(fmt.Sprint("two ", i)))
		storetest.Append(t, s, "cli-a", storetest.User(fmt.Sprint("three ", i)))
	}
	if diff := cmp.Diff(blocksOf(filetest.Read(t, storetest.OnlyFile(t, root))), blocksOf(filetest.Read(t, journalOf(root)))); diff != "" {
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
	s := storetest.Open(t, root)
	storetest.Append(t, s, "cli-a", storetest.User("one"))
	filetest.Must(t, s.Close())
	filetest.Must(t, os.RemoveAll(filepath.Dir(journalOf(root))))
	old := filepath.Join(root, transcript.SessionDir, ".recent", "cli-a.jsonl")
	filetest.Must(t, os.MkdirAll(filepath.Dir(old), 0o700))
	filetest.Write(t, old, `{"Seen":"2026-11-22T10:15:00Z","File":"x","Block":{"Text":"one"}}`+"\n")

	s = storetest.Open(t, root)
	if _, err := os.Stat(filepath.Dir(old)); !os.IsNotExist(err) {
		t.Errorf("it stays: %v", err)
	}
	storetest.Append(t, s, "cli-a", storetest.Assistant("two"))
	if diff := cmp.Diff(blocksOf(filetest.Read(t, storetest.OnlyFile(t, root))), blocksOf(filetest.Read(t, journalOf(root)))); diff != "" {
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
			s := storetest.Open(t, root)
			for _, text := range []string{"one", "two", "three"} {
				storetest.Append(t, s, "cli-a", storetest.User(text))
			}
			path := storetest.OnlyFile(t, root)
			filetest.WriteEarlier(t, path, edit(filetest.Read(t, path)))
			if n := storetest.Missing(t, s, "cli-a"); n != 0 {
				t.Errorf("%d are missing", n)
			}
			storetest.Append(t, s, "cli-a", storetest.User("next"))
			if n := storetest.Missing(t, storetest.Open(t, root), "cli-a"); n != 0 {
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
	s := storetest.Open(t, root)
	storetest.Append(t, s, "cli-a", storetest.User("one"))
	path := storetest.OnlyFile(t, root)
	before := filetest.Read(t, path)
	storetest.Append(t, s, "cli-a", storetest.User("two"))
	filetest.WriteEarlier(t, path, before)
	storetest.Append(t, s, "cli-a", storetest.User("three"))
	if n := storetest.Missing(t, s, "cli-a"); n != 1 || !strings.Contains(filetest.Read(t, journalOf(root)), "two") {
		t.Errorf("%d are missing", n)
	}
	text := filetest.Read(t, journalOf(root))
	at := strings.Index(text, "## Note · ")
	stamp, _, _ := strings.Cut(text[at+len("## Note · "):], "\n")
	old := time.Now().Add(-journal.RemovedKept - time.Hour).Format(time.RFC3339)
	filetest.Write(t, journalOf(root), strings.Replace(text, "## Note · "+stamp, "## Note · "+old, 1))
	filetest.WriteEarlier(t, path, filetest.Read(t, path))
	s = storetest.Open(t, root)
	storetest.Append(t, s, "cli-a", storetest.User("four"))
	if n := storetest.Missing(t, s, "cli-a"); n != 0 || strings.Contains(filetest.Read(t, journalOf(root)), "two") {
		t.Errorf("after a month %d are missing", n)
	}
}

// What was removed from a session that nobody writes to leaves too, and what is put back by
// hand isn't missing.
func TestRemovedBlocksLeaveTheJournalOfAnIdleSession(t *testing.T) {
	root := t.TempDir()
	s := storetest.Open(t, root)
	storetest.Append(t, s, "cli-a", storetest.User("one"))
	path := storetest.OnlyFile(t, root)
	before := filetest.Read(t, path)
	storetest.Append(t, s, "cli-a", storetest.User("two"))
	after := filetest.Read(t, path)
	for _, save := range []string{before, after, before} {
		filetest.WriteEarlier(t, path, save)
		if n, want := storetest.Missing(t, s, "cli-a"), strings.Count(after, "\n## ")-strings.Count(save, "\n## "); n != want {
			t.Errorf("%d are missing, not %d", n, want)
		}
	}
	later := time.Now().Add(time.Second)
	filetest.Must(t, os.Chtimes(path, later, later))
	filetest.Must(t, s.Sessions().ExpireRemoved(t.Context()))
	text := filetest.Read(t, journalOf(root))
	at := strings.Index(text, "## Note · ")
	if at < 0 || !strings.Contains(text, "two") {
		t.Fatalf("it is not noted:\n%s", text)
	}
	stamp, _, _ := strings.Cut(text[at+len("## Note · "):], "\n")
	old := time.Now().Add(-journal.RemovedKept - time.Hour).Format(time.RFC3339)
	filetest.Write(t, journalOf(root), strings.Replace(text, "## Note · "+stamp, "## Note · "+old, 1))
	filetest.Must(t, storetest.Open(t, root).Sessions().ExpireRemoved(t.Context()))
	if n := storetest.Missing(t, s, "cli-a"); n != 0 || strings.Contains(filetest.Read(t, journalOf(root)), "two") {
		t.Errorf("after a month %d are missing", n)
	}
}

// Sessions that are in memory, deleted or archived have no journal.
func TestSessionsWithoutAJournal(t *testing.T) {
	root := t.TempDir()
	s := storetest.Open(t, root)
	s.SetPrivate("cpu-p")
	storetest.Append(t, s, "cpu-p", storetest.User("hush"))
	storetest.Append(t, s, "cli-a", storetest.User("one"))
	storetest.Append(t, s, "cli-b", storetest.User("one"))
	filetest.Must(t, s.Delete(t.Context(), "cli-a"))
	storetest.Archive(t, s, sessionmem.ArchiveRule{After: 1})
	left, err := os.ReadDir(filepath.Dir(journalOf(root)))
	if err != nil || len(left) > 0 {
		t.Errorf("there are %v, %v", left, err)
	}
}

// noted is a rig: a session of which a save removed the second of three messages.
func noted(t *testing.T) (s *sessionmem.Store, root, path string) {
	t.Helper()
	root = t.TempDir()
	s = storetest.Open(t, root)
	storetest.Append(t, s, "cli-a", storetest.Ago(time.Hour, "one"))
	second := storetest.Append(t, s, "cli-a", storetest.Ago(time.Hour, "two"))
	storetest.Append(t, s, "cli-a", storetest.Ago(time.Hour, "three"))
	path = storetest.OnlyFile(t, root)
	filetest.WriteEarlier(t, path, filetest.WithoutBlock(t, filetest.Read(t, path), second.ID))
	if n := storetest.Missing(t, s, "cli-a"); n != 1 {
		t.Fatalf("%d are missing", n)
	}
	return s, root, path
}

// The user accepts the removal, or takes it back.
func TestDecidingAboutRemovedBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		decide  func(s *sessionmem.Store) error
		want    []string
		journal bool
	}{
		"accepted": {func(s *sessionmem.Store) error { _, err := s.KeepRemoved(t.Context(), "cli-a"); return err }, []string{"one", "three"}, false},
		"restored": {func(s *sessionmem.Store) error { _, err := s.Restore(t.Context(), "cli-a"); return err }, []string{"one", "two", "three"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, root, _ := noted(t)
			for range 2 { // the second time there is nothing to decide
				filetest.Must(t, c.decide(s))
			}
			for _, s := range []*sessionmem.Store{s, storetest.Open(t, root)} {
				if n := storetest.Missing(t, s, "cli-a"); n != 0 {
					t.Errorf("%d are missing", n)
				}
				if diff := cmp.Diff(c.want, storetest.Texts(t, s, "cli-a")); diff != "" {
					t.Error(diff)
				}
			}
			if got := strings.Contains(filetest.Read(t, journalOf(root)), "two"); got != c.journal {
				t.Errorf("the journal holds it: %v", got)
			}
		})
	}
}

// Whatever happens to the journal, blocks are still appended, and the next one makes up for
// what the journal lacks.
func TestDamagedJournalIsBroughtUpToDate(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, file, text string){
		"removed":                    func(t *testing.T, file, _ string) { filetest.Must(t, os.Remove(file)) },
		"removed with its folder":    func(t *testing.T, file, _ string) { filetest.Must(t, os.RemoveAll(filepath.Dir(file))) },
		"cut within the last block":  func(t *testing.T, file, text string) { filetest.Write(t, file, text[:len(text)-3]) },
		"cut within the first block": func(t *testing.T, file, text string) { filetest.Write(t, file, text[:strings.Index(text, "one")+1]) },
		"zeros after a power cut":    func(t *testing.T, file, text string) { filetest.Write(t, file, text+strings.Repeat("\x00", 100)) },
		"empty":                      func(t *testing.T, file, _ string) { filetest.Write(t, file, "") },
		"replaced by an older copy": func(t *testing.T, file, text string) {
			filetest.Replace(t, file, text[:strings.LastIndex(text, "\n## ")+1])
		},
		"each block twice": func(t *testing.T, file, text string) { filetest.Write(t, file, text+blocksOf(text)) },
		"something of a newer version": func(t *testing.T, file, text string) {
			filetest.Write(t, file, text+"\n## Later · 2026-01-01T08:00:00Z\n<!-- id=x -->\n\nnew\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := storetest.Open(t, root)
			storetest.Append(t, s, "cli-a", storetest.User("one"))
			storetest.Append(t, s, "cli-a", storetest.User("two"))
			damage(t, journalOf(root), filetest.Read(t, journalOf(root)))
			storetest.Append(t, s, "cli-a", storetest.User("three"))
			for _, s := range []*sessionmem.Store{s, storetest.Open(t, root)} {
				if n := storetest.Missing(t, s, "cli-a"); n != 0 {
					t.Errorf("%d are missing", n)
				}
			}
			path := storetest.OnlyFile(t, root)
			filetest.WriteEarlier(t, path, "---\nformat: mac-stats-session/1\nsession: cli-a\n---\n")
			if n := storetest.Missing(t, s, "cli-a"); n != 3 {
				t.Errorf("when all are removed, %d are missing; the journal is\n%s", n, filetest.Read(t, journalOf(root)))
			}
			got, err := s.Restore(t.Context(), "cli-a")
			if diff := cmp.Diff([]string{"one", "two", "three"}, storetest.Texts(t, s, "cli-a")); diff != "" || err != nil {
				t.Errorf("restored %+v, %v: %s", got, err, diff)
			}
		})
	}
}

// A journal that can't be written is reported once, and costs no message.
func TestUnwritableJournal(t *testing.T) {
	for name, inPlace := range map[string]func(t *testing.T, file string){
		"a folder": func(t *testing.T, file string) { filetest.Must(t, os.MkdirAll(file, 0o700)) },
		"a newer format": func(t *testing.T, file string) {
			filetest.Write(t, file, "---\nformat: "+transcript.FormatPrefix+"9\nsession: cli-a\n---\n")
		},
		"a link to nowhere": func(t *testing.T, file string) {
			filetest.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
			filetest.Must(t, os.Symlink("/nowhere/at/all", file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			var log bytes.Buffer
			s := storetest.With(t, sessionmem.Config{Root: root, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			storetest.Append(t, s, "cli-a", storetest.User("zero"))
			filetest.Must(t, os.Remove(journalOf(root)))
			inPlace(t, journalOf(root))
			before, err := os.Lstat(journalOf(root))
			filetest.Must(t, err)
			for _, text := range []string{"one", "two"} {
				storetest.Append(t, s, "cli-a", storetest.User(text))
			}
			if n := strings.Count(log.String(), "the journal of a session can't be written"); n != 1 {
				t.Errorf("%d warnings:\n%s", n, log.String())
			}
			if after, err := os.Lstat(journalOf(root)); err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
				t.Errorf("it was changed: %v", err)
			}
			filetest.Must(t, os.RemoveAll(journalOf(root)))
			storetest.Append(t, s, "cli-a", storetest.User("three"))
			if diff := cmp.Diff(blocksOf(filetest.Read(t, storetest.OnlyFile(t, root))), blocksOf(filetest.Read(t, journalOf(root)))); diff != "" {
				t.Errorf("(-transcript +journal):\n%s", diff)
			}
		})
	}
}

// What was forgotten and comes back in a journal, such as from a backup, is removed before
// the journal is read.
func TestForgottenTextInAJournal(t *testing.T) {
	s, root, _ := noted(t)
	record, err := s.Forgotten().New(true, false)
	filetest.Must(t, err)
	record.AddWords("two")
	record.AddPhrase("two", record.Phrase("two"))
	filetest.Must(t, s.Forgotten().Begin(record))
	s = storetest.Open(t, root)
	if n := storetest.Missing(t, s, "cli-a"); n != 0 || strings.Contains(filetest.Read(t, journalOf(root)), "two") {
		t.Errorf("%d are missing from\n%s", n, filetest.Read(t, journalOf(root)))
	}
}

// A journal that has grown too large loses its oldest blocks: first those that are still in
// the session, and of the removed ones only as many as it must.
func TestLongJournalIsShortened(t *testing.T) {
	const size = 35 << 17 // eight are 35 MB
	block := func(id int) []byte {
		return transcript.AppendBlock(nil, transcript.Block{ID: fmt.Sprint("b", id), Kind: transcript.KindUser, Time: time.Now().Add(-time.Hour), Text: strings.Repeat(fmt.Sprint(id, " "), size/2)}.Normalized())
	}
	const removed, left = 5, 3
	root := t.TempDir()
	front := "---\nformat: mac-stats-session/1\nsession: cli-a\n---\n"
	session, all := []byte(front), []byte(front)
	for i := range 8 {
		b := block(i)
		if all = append(all, b...); i >= removed {
			session = append(session, b...)
		}
	}
	path := filepath.Join(root, transcript.SessionDir, transcript.FileName("cli-a", time.Now(), "x"))
	filetest.WriteEarlier(t, path, string(session))
	filetest.Write(t, journalOf(root), string(all))
	s := storetest.Open(t, root)
	storetest.Append(t, s, "cli-a", storetest.User("next"))
	if n := storetest.Missing(t, s, "cli-a"); n != left {
		t.Errorf("%d are missing", n)
	}
	if fi, err := os.Stat(journalOf(root)); err != nil || fi.Size() > 16<<20 {
		t.Errorf("it has %d bytes, %v", fi.Size(), err)
	}
}

// At the start, journals without a session are removed once they are as old as what they keep.
func TestJournalsOfGoneSessionsAreCleared(t *testing.T) {
	root := t.TempDir()
	s := storetest.Open(t, root)
	old := time.Now().Add(-journal.RemovedKept - time.Hour)
	for _, name := range []string{"cli-here", "cli-gone", "cli-justgone", "cli-archived"} {
		storetest.Append(t, s, name, storetest.User("x"))
		file := filepath.Join(filepath.Dir(journalOf(root)), name+transcript.FileSuffix)
		if name != "cli-justgone" {
			filetest.Must(t, os.Chtimes(file, old, old))
		}
	}
	dir := filepath.Join(root, transcript.SessionDir)
	for name, to := range map[string]string{"cli-gone": "", "cli-justgone": "", "cli-archived": "archive/2026-01"} {
		files, err := filepath.Glob(filepath.Join(dir, "*"+name+"-*.md"))
		filetest.Must(t, err)
		text := filetest.Read(t, files[0])
		filetest.Must(t, os.Remove(files[0]))
		if to != "" {
			filetest.Write(t, filepath.Join(dir, to, filepath.Base(files[0])), text)
		}
	}
	filetest.Must(t, storetest.Open(t, root).Sessions().RecoverAll(t.Context()))
	left, err := filepath.Glob(filepath.Join(filepath.Dir(journalOf(root)), "*"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if diff := cmp.Diff([]string{"cli-here.md", "cli-justgone.md"}, left); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
