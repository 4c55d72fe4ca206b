package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/turn"
)

func TestInTurnSeesTurnsOfEveryProcess(t *testing.T) {
	root := t.TempDir()
	open := func() *sessionmem.Store {
		s, err := sessionmem.Open(sessionmem.Config{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	here, there := open(), open() // like two processes: they share only the files
	expect := func(when string, want bool) {
		t.Helper()
		for who, s := range map[string]*sessionmem.Store{"here": here, "there": there} {
			if got := s.Sessions().InTurn(); got != want {
				t.Errorf("%s: %v %s, want %v", when, got, who, want)
			}
		}
	}
	expect("before any turn", false)
	lock, err := here.Session("cpu-a").LockTurn(t.Context(), "window", nil)
	if err != nil {
		t.Fatal(err)
	}
	expect("in a turn", true)
	lock.Unlock()
	expect("after the turn", false)
	if err := os.WriteFile(filepath.Join(root, transcript.SessionDir, transcript.LocksDir, "cpu-a"+turn.HolderSuffix), []byte(`{"who":"window","pid":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("after the holder was killed", false)
	if lock, err = there.Session("cpu-a").LockTurn(t.Context(), "command line", func(session.Holder) { t.Error("a look at the lock held it") }); err != nil {
		t.Fatal(err)
	}
	lock.Unlock()
}
