package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/session"
)

// The first message of a new session reads the folder of all others once. Each look allocates a
// string for every name, so allocations count the looks.
func TestNewSessionReadsTheFolderOnce(t *testing.T) {
	const others = 2000
	root := t.TempDir()
	store := openStore(t, root)
	for i := range others {
		file := filepath.Join(root, "session", fmt.Sprintf("session-memory-cpu-%06d-20260102-030405-disk.md", i))
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name := store.NewName("cli")
	named := testing.AllocsPerRun(5, func() { store.NewName("cli") })
	if named > 3*others/2 {
		t.Errorf("a new name takes %.0f allocations in a folder of %d sessions: it looks more than once", named, others)
	}
	asked := testing.AllocsPerRun(5, func() {
		if _, err := store.Context(t.Context(), name); err != nil && !errors.Is(err, session.ErrNotFound) {
			t.Error(err)
		}
		if _, err := store.Session(name).InContext(t.Context()); err != nil && !errors.Is(err, session.ErrNotFound) {
			t.Error(err)
		}
	})
	if asked > others/2 {
		t.Errorf("asking for what a new session holds takes %.0f allocations: it looks through the folder", asked)
	}
	if _, err := store.Load(t.Context(), name); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("%v", err)
	}
}
