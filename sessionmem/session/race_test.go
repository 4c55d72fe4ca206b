package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
)

// If an editor saves between opening the file and writing to it, the block ends up in a file
// without a name.
func TestAppendEndsUpInTheNamedFile(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	saves := 1
	session.Between(s.Sessions(), func() {
		if saves > 0 {
			saves--
			renameOver(t, path, strings.Replace(readFile(t, path), "\none\n", "\nONE\n", 1))
		}
	})
	mustAppend(t, s, "cli-a", assistant("two"))
	other := openStore(t, root) // like another process
	if diff := cmp.Diff([]string{"ONE", "two"}, texts(t, other, "cli-a")); diff != "" {
		t.Error(diff)
	}
	saves = 1000
	if _, err := s.Append(t.Context(), "cli-a", user("three")); !errors.Is(err, sessiondir.ErrReplaced) {
		t.Errorf("while a program replaces it all the time: %v", err)
	}
}

// What a save during a turn dropped of it comes back too.
func TestAppendRestoresWhatASaveDropped(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	turn, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
	must(t, err)
	defer turn.Unlock()
	path := onlyFile(t, root)
	before := readFile(t, path)
	mustAppend(t, s, "cli-a", assistant("two"))
	saved := false
	session.Between(s.Sessions(), func() {
		if !saved {
			saved = true
			renameOver(t, path, before)
		}
	})
	mustAppend(t, s, "cli-a", user("three"))
	got := texts(t, openStore(t, root), "cli-a")
	for _, want := range []string{"one", "two", "three"} {
		if n := len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s != want })); n != 1 {
			t.Errorf("%q is there %d times: %q", want, n, got)
		}
	}
}

func TestContextDuringAnEditorsSave(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	must(t, os.Rename(path, path+"~"))
	time.AfterFunc(50*time.Millisecond, func() { must(t, os.Rename(path+"~", path)) })
	c, err := s.Context(t.Context(), "cli-a")
	if err != nil || len(c.Messages) != 1 {
		t.Errorf("%d messages, %v", len(c.Messages), err)
	}
}

// A process that hangs while it holds the lock makes appends fail, and nothing else.
func TestLockThatIsNeverReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		s := openStore(t, root)
		mustAppend(t, s, "cli-a", user("one"))
		m := memory.New(memory.Config{Root: root})
		for _, name := range []string{"cli-a", "memory.lock"} {
			hung := flock.New(filepath.Join(root, transcript.SessionDir, transcript.LocksDir, name))
			if ok, err := hung.TryLock(); err != nil || !ok {
				t.Fatal(ok, err)
			}
			t.Cleanup(func() { must(t, hung.Unlock()) })
		}
		begin := time.Now()
		done := make(chan error, 2)
		go func() { done <- second(s.Append(t.Context(), "cli-a", user("two"))) }()
		go func() {
			done <- second(m.Append(t.Context(), memory.Lesson{Text: "likes green tea", Target: global}))
		}()
		time.Sleep(time.Second)
		if s.IsPrivate("cli-a") {
			t.Error("it is not private")
		}
		if l, err := s.List(t.Context()); err != nil || len(l) != 1 {
			t.Errorf("the list waits for the lock: %v, %v", l, err)
		}
		for range 2 {
			if err := <-done; err == nil || !strings.Contains(err.Error(), "has held it for 30s") {
				t.Errorf("got %v", err)
			}
		}
		if took := time.Since(begin); took > 31*time.Second {
			t.Errorf("gave up after %s", took)
		}
	})
}
