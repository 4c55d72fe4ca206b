package recall

import (
	"testing"
	"time"

	"mac-stats/sessionmem"
)

func newBench(t *testing.T) (*Index, *sessionmem.Store) {
	t.Helper()
	root := t.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(Config{Root: root, CacheDir: t.TempDir(), Store: store, Memory: sessionmem.NewMemory(sessionmem.MemoryConfig{Root: root})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return x, store
}

func TestFindsWhatWasSaid(t *testing.T) {
	x, store := newBench(t)
	at := time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)
	for _, b := range []sessionmem.Block{
		{Kind: sessionmem.KindUser, Text: "Why is my fan loud?", Time: at},
		{Kind: sessionmem.KindAssistant, Text: "Because kernel_task runs at 80 %.", Time: at.Add(time.Second)},
		{Kind: sessionmem.KindUser, Text: "And the battery?", Time: at.Add(time.Minute)},
	} {
		if _, err := store.Append(t.Context(), "cpu-k3x9qa", b); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := x.Search(t.Context(), Query{Text: "fan"}); err != nil || len(a.Hits) != 0 || a.State.Behind != 1 {
		t.Fatalf("before a sync: %v %v, want nothing and 1 file behind", a, err)
	}
	if r, err := x.Sync(t.Context()); err != nil || r.Added != 3 {
		t.Fatalf("Sync: %+v %v, want 3 chunks", r, err)
	}
	a, err := x.Search(t.Context(), Query{Text: "battery"})
	if err != nil || len(a.Hits) == 0 || a.Hits[0].Text != "And the battery?" || a.Hits[0].Turn != 2 || a.State.Behind != 0 {
		t.Fatalf("Search: %+v %v", a, err)
	}
}
