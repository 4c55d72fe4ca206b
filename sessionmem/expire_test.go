package sessionmem_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

const day = 24 * time.Hour

// aged writes sessions of these ages in days, and archives those of a month or more.
func aged(t *testing.T, s *sessionmem.Store, ages map[string]int) {
	t.Helper()
	for name, days := range ages {
		mustAppend(t, s, name, ago(time.Duration(days)*day, "in "+name))
	}
	mustArchive(t, s, sessionmem.ArchiveRule{After: 30 * day})
}

func expire(t *testing.T, s *sessionmem.Store, rule sessionmem.ExpireRule) []string {
	t.Helper()
	due, err := s.Expired(t.Context(), rule)
	must(t, err)
	deleted, err := s.DeleteExpired(t.Context(), rule)
	must(t, err)
	slices.Sort(deleted)
	want := names(due)
	slices.Sort(want)
	if diff := cmp.Diff(want, deleted); diff != "" {
		t.Errorf("(-due +deleted):\n%s", diff)
	}
	return deleted
}

// What is deleted by age is archived, old enough, whole, and neither kept nor in use.
func TestWhatIsDeletedByAge(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	aged(t, s, map[string]int{"cpu-old": 100, "cpu-older": 400, "cpu-pinned": 400, "cpu-young": 80, "cpu-fresh": 1})
	archive := filepath.Join(root, transcript.SessionDir, catalog.ArchiveDir, "2020-01")
	writeFile(t, filepath.Join(archive, "notes.md"), "## User · 2020-01-01T00:00:00Z\n\nno session's name, and old\n")
	writeFile(t, filepath.Join(archive, "session-memory-cpu-new-20200101-101500-x.md"), "---\nformat: mac-stats-session/9\nsession: cpu-new\n---\n\n## User · 2020-01-01T00:00:00Z\n\nof a newer version\n")
	must(t, os.MkdirAll(filepath.Join(archive, "session-memory-cpu-folder-20200101-101500-x.md"), 0o700))
	before, err := s.List(t.Context())
	must(t, err)
	if got := expire(t, s, sessionmem.ExpireRule{}); got != nil {
		t.Errorf("never is never: %v", got)
	}
	rule := sessionmem.ExpireRule{After: 90 * day, Keep: func(name string) bool { return name == "cpu-pinned" }}
	deleted := expire(t, s, rule)
	if !slices.Contains(deleted, "notes") { // its name may be a session's
		t.Errorf("a file renamed by hand stays")
	}
	deleted = slices.DeleteFunc(deleted, func(name string) bool { return name == "notes" })
	if diff := cmp.Diff([]string{"cpu-old", "cpu-older"}, deleted); diff != "" {
		t.Error(diff)
	}
	if got := expire(t, s, rule); got != nil {
		t.Errorf("once more: %v", got)
	}
	after, err := s.List(t.Context())
	if err != nil || len(after) != len(before)-3 {
		t.Errorf("left are %v, %v", names(after), err)
	}
}

// A session that comes back from the trash counts as used then, also if people move its files
// back themselves, or a crash kept it in place.
func TestSessionThatCameBackIsNotDeletedAtOnce(t *testing.T) {
	for name, back := range map[string]func(t *testing.T, s *sessionmem.Store, root string){
		"undeleted": func(t *testing.T, s *sessionmem.Store, _ string) { must(t, second(s.Undelete(t.Context(), "cpu-old"))) },
		"moved back by hand": func(t *testing.T, _ *sessionmem.Store, root string) {
			dir := filepath.Join(root, transcript.SessionDir)
			trash, err := filepath.Glob(filepath.Join(dir, catalog.TrashDir, "*"))
			must(t, err)
			must(t, os.RemoveAll(filepath.Join(dir, catalog.ArchiveDir)))
			must(t, os.Rename(filepath.Join(trash[0], catalog.ArchiveDir), filepath.Join(dir, catalog.ArchiveDir)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			aged(t, s, map[string]int{"cpu-old": 100})
			rule := sessionmem.ExpireRule{After: 90 * day}
			if got := expire(t, s, rule); len(got) != 1 {
				t.Fatalf("deleted %v", got)
			}
			back(t, s, root)
			for _, s := range []*sessionmem.Store{s, openStore(t, root), s} {
				if got := expire(t, s, rule); got != nil {
					t.Errorf("deleted again: %v", got)
				}
			}
			list, err := s.List(t.Context())
			must(t, err)
			marks, err := s.State().Marks()
			if back := marks.LastBack(list); err != nil || time.Since(back) > time.Minute || marks.Expired("cpu-old") {
				t.Errorf("it came back %s, %v", back, err)
			}
			if got := expire(t, s, sessionmem.ExpireRule{After: time.Nanosecond}); len(got) != 1 {
				t.Errorf("when that is long ago, it isn't deleted: %v", got)
			}
		})
	}
}

// What can't be deleted stays, unmarked; the others go.
func TestDeletingByAgeThatFails(t *testing.T) {
	rule := sessionmem.ExpireRule{After: 90 * day}
	setUp := func(t *testing.T) (*sessionmem.Store, string) {
		root := t.TempDir()
		s := openStore(t, root)
		aged(t, s, map[string]int{"cpu-a": 100, "cpu-b": 100})
		return s, root
	}
	stay := func(t *testing.T, s *sessionmem.Store, want ...string) {
		t.Helper()
		list, err := s.List(t.Context())
		got := names(list)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
		marks, err := s.State().Marks()
		for _, name := range want {
			if err != nil || marks.Expired(name) {
				t.Errorf("%s is marked as deleted, %v", name, err)
			}
		}
	}
	t.Run("one is in use", func(t *testing.T) {
		s, root := setUp(t)
		turn, err := openStore(t, root).Session("cpu-a").LockTurn(t.Context(), "window", nil)
		must(t, err)
		defer turn.Unlock()
		if got, err := s.DeleteExpired(t.Context(), rule); err != nil || !slices.Equal(got, []string{"cpu-b"}) {
			t.Errorf("deleted %v, %v", got, err)
		}
		stay(t, s, "cpu-a")
	})
	t.Run("one is kept at the last moment", func(t *testing.T) {
		s, _ := setUp(t)
		asked := map[string]int{}
		rule := sessionmem.ExpireRule{After: rule.After, Keep: func(name string) bool {
			asked[name]++
			return name == "cpu-a" && asked[name] > 1
		}}
		if got, err := s.DeleteExpired(t.Context(), rule); err != nil || !slices.Equal(got, []string{"cpu-b"}) {
			t.Errorf("deleted %v, %v", got, err)
		}
		stay(t, s, "cpu-a")
	})
	t.Run("there is no place for a trash", func(t *testing.T) {
		s, root := setUp(t)
		trash := filepath.Join(root, transcript.SessionDir, catalog.TrashDir)
		writeFile(t, trash, "a file")
		got, err := s.DeleteExpired(t.Context(), rule)
		must(t, os.Remove(trash))
		if err == nil || !strings.Contains(err.Error(), "deleting cpu-a") || !strings.Contains(err.Error(), "deleting cpu-b") || got != nil {
			t.Errorf("deleted %v, %v", got, err)
		}
		stay(t, s, "cpu-a", "cpu-b")
	})
	t.Run("cancelled", func(t *testing.T) {
		s, _ := setUp(t)
		ctx, cancel := context.WithCancel(t.Context())
		rule := sessionmem.ExpireRule{After: rule.After, Keep: func(string) bool { cancel(); return false }}
		if got, err := s.DeleteExpired(ctx, rule); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("deleted %v, %v", got, err)
		}
		stay(t, s, "cpu-a", "cpu-b")
	})
	t.Run("the pins are unknown", func(t *testing.T) {
		s, root := setUp(t)
		writeFile(t, filepath.Join(root, transcript.SessionDir, "state.json"), "{")
		if got, err := s.DeleteExpired(t.Context(), rule); err == nil || got != nil {
			t.Errorf("deleted %v, %v", got, err)
		}
		must(t, os.Remove(filepath.Join(root, transcript.SessionDir, "state.json")))
		stay(t, s, "cpu-a", "cpu-b")
	})
	t.Run("the folder is away", func(t *testing.T) {
		s, root := setUp(t)
		folder := filepath.Join(root, transcript.SessionDir)
		must(t, os.Rename(folder, folder+".away"))
		for what, err := range map[string]error{
			"deleting": second(s.DeleteExpired(t.Context(), rule)), "archiving": second(s.Archive(t.Context(), sessionmem.ArchiveRule{After: day})), "undeleting": second(s.Undelete(t.Context(), "")),
		} {
			if err == nil {
				t.Errorf("%s what is away", what)
			}
		}
		must(t, os.Rename(folder+".away", folder))
		stay(t, s, "cpu-a", "cpu-b")
	})
}

// What can't be archived stays, and is reported together.
func TestArchivingThatFails(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	for _, name := range []string{"cpu-a", "cpu-b"} {
		mustAppend(t, s, name, ago(40*day, "x"))
	}
	rule := sessionmem.ArchiveRule{After: 30 * day}
	ctx, cancel := context.WithCancel(t.Context())
	stopping := sessionmem.ArchiveRule{After: rule.After, Keep: func(string) bool { cancel(); return true }}
	if moved, err := s.Archive(ctx, stopping); !errors.Is(err, context.Canceled) || moved != nil {
		t.Errorf("cancelled: %v, %v", moved, err)
	}
	filetest.Write(t, filepath.Join(root, transcript.SessionDir, catalog.ArchiveDir), "a file")
	moved, err := s.Archive(t.Context(), rule)
	if err == nil || !strings.Contains(err.Error(), "archiving cpu-a") || !strings.Contains(err.Error(), "archiving cpu-b") || moved != nil {
		t.Errorf("moved %v, %v", moved, err)
	}
	must(t, os.Remove(filepath.Join(root, transcript.SessionDir, catalog.ArchiveDir)))
	if diff := cmp.Diff([]string{"cpu-a", "cpu-b"}, storetest.Archive(t, s, rule)); diff != "" {
		t.Error(diff)
	}
}
