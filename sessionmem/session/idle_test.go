package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem/session"

	"github.com/google/go-cmp/cmp"
)

func TestRestFreesIdleSessions(t *testing.T) {
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, root)
		s.SetPrivate("cpu-private")
		for _, name := range []string{"cpu-idle", "cpu-used", "cpu-private"} {
			mustAppend(t, s, name, user("one"))
			mustAppend(t, s, name, assistant("two"))
		}
		before, err := s.Context(t.Context(), "cpu-idle")
		if err != nil {
			t.Fatal(err)
		}
		if n := s.Sessions().Rest(time.Minute); n != 0 {
			t.Errorf("%d were let go of at once", n)
		}
		turn, err := s.Session("cpu-busy").LockTurn(t.Context(), "test", nil)
		must(t, err)
		mustAppend(t, s, "cpu-busy", user("one"))
		time.Sleep(59 * time.Second)
		mustAppend(t, s, "cpu-used", user("three"))
		time.Sleep(2 * time.Second)
		if n := s.Sessions().Rest(time.Minute); n != 1 {
			t.Errorf("%d were let go of, want the idle one alone", n)
		}
		turn.Unlock()
		if n := session.Known(s.Sessions().Session("cpu-idle")); n != 0 {
			t.Errorf("%d blocks are still in memory", n)
		}
		for name, want := range map[string]int{"cpu-idle": 2, "cpu-used": 3, "cpu-private": 2} {
			if got := texts(t, s, name); len(got) != want {
				t.Errorf("%s: %q", name, got)
			}
		}
		after, err := s.Context(t.Context(), "cpu-idle")
		if diff := cmp.Diff(before, after); diff != "" || err != nil {
			t.Error("its context changed: ", diff, err)
		}
		mustAppend(t, s, "cpu-idle", user("three"))
		if got := texts(t, s, "cpu-idle"); len(got) != 3 {
			t.Errorf("got %q", got)
		}
	})
}

func TestABlockAtTheVeryEndOfATurnIsNotKeptForIt(t *testing.T) {
	s := openStore(t, t.TempDir())
	mustAppend(t, s, "cpu-a", user("one"))
	turn, err := s.Session("cpu-a").LockTurn(t.Context(), "test", nil)
	must(t, err)
	mustAppend(t, s, "cpu-a", user("two"))
	if n := session.InTurn(s.Session("cpu-a")); n != 1 {
		t.Errorf("%d blocks of the turn are kept", n)
	}
	session.EndTurnInSteps(turn, func() { mustAppend(t, s, "cpu-a", user("a title, say")) })
	if n := session.InTurn(s.Session("cpu-a")); n != 0 {
		t.Errorf("%d blocks are kept after the turn", n)
	}
}
