package trash_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestDeleteAndUndelete(t *testing.T) {
	root := t.TempDir()
	s, other := openStore(t, root), openStore(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	mustAppend(t, other, "cpu-a", assistant("two"))
	mustAppend(t, s, "cpu-b", ago(40*24*time.Hour, "archived"))
	mustArchive(t, s, sessionmem.ArchiveRule{After: storetest.Month})
	before := readFile(t, onlyFile(t, root))

	for _, name := range []string{"cpu-b", "cpu-a"} {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for _, store := range []*sessionmem.Store{s, other} {
		if _, err := store.Load(t.Context(), "cpu-a"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("a deleted session loads: %v", err)
		}
		if list, err := store.List(t.Context()); len(list) != 0 || err != nil {
			t.Errorf("list %v, %v", names(list), err)
		}
		if got := texts(t, store, "cpu-a"); got != nil {
			t.Errorf("its context is %q", got)
		}
	}
	for _, want := range []string{"cpu-a", "cpu-b"} { // the last one first
		if got, err := other.Undelete(t.Context(), ""); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := s.Undelete(t.Context(), ""); !errors.Is(err, sessionmem.ErrNothingDeleted) {
		t.Errorf("nothing is left to bring back: %v", err)
	}
	if after := readFile(t, onlyFile(t, root)); after != before {
		t.Errorf("was %q, is %q", before, after)
	}
	tr, err := s.Load(t.Context(), "cpu-b")
	if err != nil || !tr.Info.Archived {
		t.Errorf("the archived one: %+v, %v", tr, err)
	}
	if diff := cmp.Diff([]string{"one", "two"}, texts(t, s, "cpu-a")); diff != "" {
		t.Error(diff)
	}
}

// Whatever is in a transcript's place goes to the trash with its session, and comes back from
// there.
func TestUndeleteBringsBackWhatDeleteTook(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	kept := filepath.Join(root, transcript.SessionDir, "session-memory-cli-a-20261121-101010-x.md", "mine.txt")
	must(t, os.Mkdir(filepath.Dir(kept), 0o700))
	writeFile(t, kept, "mine")
	must(t, s.Delete(t.Context(), "cli-a"))
	if _, err := os.Stat(kept); err == nil {
		t.Error("it is still there")
	}
	if name, err := s.Undelete(t.Context(), "cli-a"); name != "cli-a" || err != nil {
		t.Errorf("got %q, %v", name, err)
	}
	if got := readFile(t, kept); got != "mine" {
		t.Errorf("it holds %q", got)
	}
}

func TestDeleteRefuses(t *testing.T) {
	root := t.TempDir()
	s, other := openStore(t, root), openStore(t, root)
	if err := s.Delete(t.Context(), "cpu-none"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a session that isn't there: %v", err)
	}
	if err := s.Delete(t.Context(), "../x"); !errors.Is(err, transcript.ErrBadName) {
		t.Errorf("a name that is none: %v", err)
	}
	mustAppend(t, s, "cpu-a", user("one"))
	turn, err := other.Session("cpu-a").LockTurn(t.Context(), "window", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "cpu-a"); !errors.Is(err, session.ErrBusy) {
		t.Errorf("while a turn runs: %v", err)
	}
	turn.Unlock()
	if got := texts(t, s, "cpu-a"); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}

func TestUndeleteKeepsExistingFiles(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	file := onlyFile(t, root)
	if err := s.Delete(t.Context(), "cpu-a"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("## User\n\nmine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undelete(t.Context(), "cpu-a"); !errors.Is(err, sessiondir.ErrTaken) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"mine"}, texts(t, s, "cpu-a")); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undelete(t.Context(), "cpu-a"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"one"}, texts(t, s, "cpu-a")); diff != "" {
		t.Error(diff)
	}
}

func TestLastDeletedAfterTheClockWentBack(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-a", user("one"))
	mustAppend(t, s, "cpu-b", user("two"))
	if err := s.Delete(t.Context(), "cpu-a"); err != nil {
		t.Fatal(err)
	}
	trash := filepath.Join(root, transcript.SessionDir, catalog.TrashDir)
	folders, err := os.ReadDir(trash)
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	ahead := time.Now().UTC().Add(time.Hour).Format(catalog.TrashStamp) + ".cpu-a"
	if err := os.Rename(filepath.Join(trash, folders[0].Name()), filepath.Join(trash, ahead)); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "cpu-b"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Undelete(t.Context(), ""); got != "cpu-b" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestDeletingAPrivateSession(t *testing.T) {
	s := openStore(t, t.TempDir())
	s.SetPrivate("cpu-p")
	mustAppend(t, s, "cpu-p", user("secret"))
	if err := s.Delete(t.Context(), "cpu-p"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), "cpu-p"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if !s.IsPrivate("cpu-p") {
		t.Error("it must stay private")
	}
}

func TestDeleteMovesUnsharedAttachments(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	shared := storetest.Attach(t, s, "cpu-a", "shared.txt", "shared")
	own := storetest.Attach(t, s, "cpu-a", "own.md", "own")
	mustAppend(t, s, "cpu-a", user(transcript.WithLinks("a", shared, own)))
	mustAppend(t, s, "cpu-b", user(transcript.WithLinks("b", shared)))
	mustAppend(t, s, "cpu-c", user("c"))

	must(t, s.Delete(t.Context(), "cpu-a"))
	if diff := cmp.Diff([]string{shared.File}, storetest.Attached(t, root)); diff != "" {
		t.Error(diff)
	}
	must(t, s.Delete(t.Context(), "cpu-b"))
	if got := storetest.Attached(t, root); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	for _, name := range []string{"cpu-a", "cpu-b"} { // a's file is in b's trash
		if _, err := s.Undelete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []transcript.Attachment{shared, own} {
		if data, err := s.ReadAttachment("cpu-a", a); err != nil || string(data) != strings.TrimSuffix(strings.TrimSuffix(a.Name, ".txt"), ".md") {
			t.Errorf("%s: %q, %v", a.Name, data, err)
		}
	}
}
