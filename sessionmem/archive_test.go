package sessionmem_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestArchiveMovesFinishedSessions(t *testing.T) {
	root := t.TempDir()
	s, other := openStore(t, root), openStore(t, root)
	mustAppend(t, s, "cpu-old", ago(31*24*time.Hour, "old"))
	mustAppend(t, s, "cpu-new", ago(29*24*time.Hour, "new"))
	mustAppend(t, s, "cpu-pinned", ago(90*24*time.Hour, "pinned"))
	mustAppend(t, s, "cpu-busy", ago(90*24*time.Hour, "busy"))
	mustAppend(t, s, "cpu-ended", ago(49*time.Hour, "ended"))
	mustAppend(t, s, "cpu-ended", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEnded, Time: time.Now().Add(-48 * time.Hour)})
	mustAppend(t, s, "cpu-reset", ago(49*time.Hour, "just reset"))
	mustAppend(t, s, "cpu-reset", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEnded})
	mustAppend(t, s, "cpu-future", ago(-48*time.Hour, "from when the clock was ahead"))
	turn, err := other.Session("cpu-busy").LockTurn(t.Context(), "window", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Unlock()

	if got := mustArchive(t, s, sessionmem.ArchiveRule{}); got != nil {
		t.Errorf("never is never: %v", got)
	}
	rule := sessionmem.ArchiveRule{After: storetest.Month, Keep: func(name string) bool { return name == "cpu-pinned" }}
	if diff := cmp.Diff([]string{"cpu-ended", "cpu-old"}, mustArchive(t, s, rule)); diff != "" {
		t.Error(diff)
	}
	if got := mustArchive(t, s, rule); got != nil {
		t.Errorf("a second pass moved %v", got)
	}
}

func TestArchivedSessionsOpenAsBefore(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	old := mustAppend(t, s, "cpu-old", ago(40*24*time.Hour, "an old question"))
	before := readFile(t, onlyFile(t, root))
	reader := openStore(t, root)
	if got := texts(t, reader, "cpu-old"); len(got) != 1 {
		t.Fatal(got)
	}
	mustArchive(t, s, sessionmem.ArchiveRule{After: storetest.Month})

	want := filepath.Join(root, transcript.SessionDir, catalog.ArchiveDir, old.Time.Format("2006-01"))
	for name, store := range map[string]*sessionmem.Store{"the store that moved it": s, "another that knew it": reader, "a new one": openStore(t, root)} {
		t.Run(name, func(t *testing.T) {
			tr, err := store.Load(t.Context(), "cpu-old")
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Dir(tr.Info.Path) != want || readFile(t, tr.Info.Path) != before {
				t.Errorf("it is at %s", tr.Info.Path)
			}
			if diff := cmp.Diff([]string{"an old question"}, texts(t, store, "cpu-old")); diff != "" {
				t.Error(diff)
			}
			list, err := store.List(t.Context())
			if err != nil || len(list) != 1 || !list[0].Archived || list[0].Title != "an old question" || list[0].Messages != 1 {
				t.Errorf("list %+v, %v", list, err)
			}
			if got, err := store.Resolve(t.Context(), "cpu", "old"); got != "cpu-old" {
				t.Errorf("resolved to %q, %v", got, err)
			}
		})
	}

	mustAppend(t, reader, "cpu-old", user("and one more"))
	if got := readFile(t, onlyFile(t, root)); !strings.HasPrefix(got, before) || !strings.Contains(got, "and one more") {
		t.Errorf("brought back as %q", got)
	}
	for _, store := range []*sessionmem.Store{s, reader} {
		if diff := cmp.Diff([]string{"an old question", "and one more"}, texts(t, store, "cpu-old")); diff != "" {
			t.Error(diff)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(want, "*")); len(left) != 0 {
		t.Errorf("left in the archive: %v", left)
	}
}

func TestArchiveAfterACrash(t *testing.T) {
	setUp := func(t *testing.T, left func(file string) string) (*sessionmem.Store, string, error) {
		root := t.TempDir()
		s := openStore(t, root)
		b := mustAppend(t, s, "cpu-old", ago(40*24*time.Hour, "a question"))
		file := onlyFile(t, root)
		dir := filepath.Join(root, transcript.SessionDir, catalog.ArchiveDir, b.Time.Format("2006-01"))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), []byte(left(readFile(t, file))), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Archive(t.Context(), sessionmem.ArchiveRule{After: storetest.Month})
		return s, file, err
	}
	t.Run("a copy of it: it takes its place", func(t *testing.T) {
		s, file, err := setUp(t, func(text string) string { return text })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the original is still there: %v", err)
		}
		if got := texts(t, s, "cpu-old"); len(got) != 1 {
			t.Errorf("got %q", got)
		}
	})
	t.Run("another file of that name: both stay", func(t *testing.T) {
		s, file, err := setUp(t, func(string) string { return "## User\n\nsomething else\n" })
		if !errors.Is(err, sessiondir.ErrTaken) {
			t.Errorf("got %v", err)
		}
		if got := readFile(t, file); !strings.Contains(got, "a question") {
			t.Errorf("the original is %q", got)
		}
		list, err := s.List(t.Context())
		if diff := cmp.Diff([]string{"cpu-old", "cpu-old"}, names(list)); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})
}

func TestLateSaveToTheOldPathOfAnArchivedSession(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-old", ago(40*24*time.Hour, "a question"))
	file := onlyFile(t, root)
	text := readFile(t, file)
	mustArchive(t, s, sessionmem.ArchiveRule{After: storetest.Month})
	if err := os.WriteFile(file, []byte(text+"\nadded by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, store := range []*sessionmem.Store{s, openStore(t, root)} {
		if diff := cmp.Diff([]string{"a question\n\nadded by hand"}, texts(t, store, "cpu-old")); diff != "" {
			t.Error(diff)
		}
	}
}
