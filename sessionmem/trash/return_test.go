package trash_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/trash"

	"github.com/google/go-cmp/cmp"
)

// A session whose name was taken meanwhile returns under another one, in its file names and in
// their front matter, whatever editor saved them.
func TestReturnUnderAnotherName(t *testing.T) {
	long := "cli-" + strings.Repeat("a", transcript.MaxNameLen-4)
	for name, c := range map[string]struct {
		session, as string
		save        func(text string) string
	}{
		"as it was":             {"cli-a", "cli-a-2", func(text string) string { return text }},
		"a name of full length": {long, long[:len(long)-2] + "-2", func(text string) string { return text }},
		"saved on Windows":      {"cli-a", "cli-a-2", func(text string) string { return "\xef\xbb\xbf" + strings.ReplaceAll(text, "\n", "\r\n") }},
		"without front matter":  {"cli-a", "cli-a-2", func(text string) string { return text[strings.Index(text, "## User"):] }},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			mustAppend(t, s, c.session, ago(storetest.Month, "session: none of the front matter"))
			path := onlyFile(t, root)
			text := c.save(readFile(t, path))
			writeFile(t, path, text)
			must(t, s.Delete(t.Context(), c.session))
			mustAppend(t, s, c.session, user("another"))
			if got, err := s.Undelete(t.Context(), c.session); got != c.as || err != nil {
				t.Fatalf("it is called %q, %v", got, err)
			}
			tr := storetest.Load(t, openStore(t, root), c.as)
			if len(tr.Blocks) != 1 || tr.Blocks[0].Text != "session: none of the front matter" {
				t.Errorf("it holds %+v", tr.Blocks)
			}
			want := strings.Replace(text, "\nsession: "+c.session, "\nsession: "+c.as, 1)
			if diff := cmp.Diff(want, readFile(t, tr.Info.Path)); diff != "" {
				t.Error(diff)
			}
			if got := texts(t, s, c.session); len(got) != 1 || got[0] != "another" {
				t.Errorf("the one with its name holds %q", got)
			}
		})
	}
}

// The next free name is the one that counts, and not knowing which are free is an error.
func TestNameOfAReturningSession(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	must(t, s.Delete(t.Context(), "cli-a"))
	bin := trash.New(dirOf(t, root), s.Catalog(), slog.New(slog.DiscardHandler))
	deleted, err := bin.Last("cli-a")
	must(t, err)
	taken := map[string]bool{}
	is := func(name string) (bool, error) { return taken[name], nil }
	for _, want := range []string{"cli-a", "cli-a-2", "cli-a-3"} {
		got, err := deleted.NameBack(is)
		if got != want || err != nil {
			t.Errorf("it is called %q, %v, want %s", got, err, want)
		}
		taken[got] = true
	}
	broken := errors.New("the disk is broken")
	for _, names := range []func(string) (bool, error){
		func(string) (bool, error) { return true, broken },
		func(name string) (bool, error) {
			return name == "cli-a", map[bool]error{false: broken}[name == "cli-a"]
		},
	} {
		if _, err := deleted.NameBack(names); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := bin.Last("cli-none"); !errors.Is(err, trash.ErrNothing) || deleted.Archived() {
		t.Errorf("another session: %v", err)
	}
	must(t, os.RemoveAll(filepath.Join(root, transcript.SessionDir, deleted.Dir)))
	must(t, os.MkdirAll(filepath.Join(root, transcript.SessionDir, deleted.Dir), 0o700))
	if _, err := bin.Last(""); !errors.Is(err, trash.ErrNothing) {
		t.Errorf("emptied by hand: %v", err)
	}
}

// Attached files go to the trash only if it is certain that no other session links them, and
// return only where nothing else is.
func TestAttachmentsOfOtherSessionsStay(t *testing.T) {
	root := t.TempDir()
	var log bytes.Buffer
	s := storetest.With(t, sessionmem.Config{Root: root, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	own := storetest.Attach(t, s, "cli-a", "own.txt", "own")
	mustAppend(t, s, "cli-a", user(transcript.WithLinks("x", own)))
	folder := filepath.Join(root, transcript.SessionDir, "session-memory-cli-b-20260102-030405-x.md")
	must(t, os.Mkdir(folder, 0o700)) // a session that can't be read may link anything
	must(t, s.Delete(t.Context(), "cli-a"))
	if got := storetest.Attached(t, root); len(got) != 1 || !strings.Contains(log.String(), "attached files stay") {
		t.Errorf("left: %v, logged %s", got, log.String())
	}
	must(t, os.Remove(folder))
	must(t, second(s.Undelete(t.Context(), "cli-a")))
	must(t, s.Delete(t.Context(), "cli-a"))
	if got := storetest.Attached(t, root); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	again := filepath.Join(root, transcript.SessionDir, transcript.FilesDir, own.File)
	writeFile(t, again, "attached again")
	must(t, second(s.Undelete(t.Context(), "cli-a")))
	if got := readFile(t, again); got != "attached again" {
		t.Errorf("overwritten by %q", got)
	}
	if left, err := os.ReadDir(filepath.Join(root, transcript.SessionDir, catalog.TrashDir)); err != nil || len(left) != 0 {
		t.Errorf("left in the trash: %v, %v", left, err)
	}
}

func second[T any](_ T, err error) error { return err }

// An older file of the session goes to the trash and returns with it; a copy that a person made
// stays.
func TestOlderFilesGoAlong(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	copied := strings.TrimSuffix(path, ".md") + " copy.md"
	writeFile(t, copied, readFile(t, path))
	older := filepath.Join(filepath.Dir(path), "session-memory-cli-a-20200102-030405-older.md")
	writeFile(t, older, "## User\n\nolder\n")
	must(t, s.Delete(t.Context(), "cli-a"))
	if diff := cmp.Diff([]string{filepath.Base(copied)}, storetest.Files(t, root)); diff != "" {
		t.Error(diff)
	}
	must(t, os.Remove(copied))
	must(t, second(s.Undelete(t.Context(), "cli-a")))
	if got := texts(t, s, "cli-a"); len(got) != 1 || got[0] != "one" || readFile(t, older) != "## User\n\nolder\n" {
		t.Errorf("it holds %q", got)
	}
}

// A session that can't be moved to the trash, or back, stays where it is.
func TestTrashThatCannotBeUsed(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	a := storetest.Attach(t, s, "cli-a", "own.txt", "own")
	mustAppend(t, s, "cli-a", user(transcript.WithLinks("one", a)))
	bin := filepath.Join(root, transcript.SessionDir, catalog.TrashDir)
	writeFile(t, bin, "a file")
	for what, err := range map[string]error{"deleting": s.Delete(t.Context(), "cli-a"), "undeleting": second(s.Undelete(t.Context(), ""))} {
		if err == nil || errors.Is(err, sessionmem.ErrNothingDeleted) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := texts(t, s, "cli-a"); len(got) != 1 || len(storetest.Attached(t, root)) != 1 {
		t.Errorf("it holds %q", got)
	}
	must(t, os.Remove(bin))
	must(t, s.Delete(t.Context(), "cli-a"))
	files := filepath.Join(root, transcript.SessionDir, transcript.FilesDir)
	must(t, os.RemoveAll(files))
	writeFile(t, files, "a file") // the attachment can't return
	if _, err := s.Undelete(t.Context(), "cli-a"); err == nil {
		t.Error("it is back without its attachment")
	}
	must(t, os.Remove(files))
	must(t, second(s.Undelete(t.Context(), "cli-a")))
	if got := texts(t, s, "cli-a"); len(got) != 1 || len(storetest.Attached(t, root)) != 1 {
		t.Errorf("back again it holds %q", got)
	}
}

// Whatever returns under another name keeps what is in it.
func TestFolderReturnsUnderAnotherName(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	folder := filepath.Join(root, transcript.SessionDir, "session-memory-cli-a-20261121-101010-x.md")
	writeFile(t, filepath.Join(folder, "mine.txt"), "mine")
	must(t, s.Delete(t.Context(), "cli-a"))
	mustAppend(t, s, "cli-a", user("another"))
	if name, err := s.Undelete(t.Context(), "cli-a"); name != "cli-a-2" || err != nil {
		t.Errorf("it is called %q, %v", name, err)
	}
	if got := readFile(t, filepath.Join(strings.Replace(folder, "cli-a", "cli-a-2", 1), "mine.txt")); got != "mine" {
		t.Errorf("it holds %q", got)
	}
}
