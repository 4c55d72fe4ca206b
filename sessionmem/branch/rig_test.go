package branch_test

import (
	"testing"

	"mac-stats/sessionmem"
)

func openStore(t testing.TB, root string) *sessionmem.Store {
	t.Helper()
	s, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
