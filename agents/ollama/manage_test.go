package ollama_test

import (
	"errors"
	"testing"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

func TestAModelIsUnloadedAndDeleted(t *testing.T) {
	loaded := tiny
	loaded.Loaded = true
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{loaded}})
	c := newClient(t, s, nil)
	if running, err := c.Running(t.Context()); err != nil || len(running) != 1 {
		t.Fatalf("before: %v, %v", running, err)
	}
	if err := c.Unload(t.Context(), loaded.Name); err != nil {
		t.Fatal(err)
	}
	if running, err := c.Running(t.Context()); err != nil || len(running) != 0 {
		t.Errorf("after unloading: %v, %v", running, err)
	}
	catalog := ollama.NewCatalog(c, 0)
	if list, err := catalog.Models(t.Context()); err != nil || len(list) != 1 {
		t.Fatalf("unloading took it off the disk: %v, %v", list, err)
	}
	if err := c.Delete(t.Context(), loaded.Name); err != nil {
		t.Fatal(err)
	}
	if list, err := catalog.ModelsNow(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after deleting: %v, %v", list, err)
	}
	if err := c.Delete(t.Context(), loaded.Name); !errors.Is(err, ollama.ErrModelMissing) {
		t.Errorf("deleting it again: %v", err)
	}
}

func TestFits(t *testing.T) {
	const gib = 1 << 30
	for _, tt := range []struct {
		size   int64
		memory uint64
		want   bool
	}{
		{5_200_000_000, 16 * gib, true},
		{11_000_000_000, 16 * gib, false},
		{40_000_000_000, 0, true}, // unknown memory
	} {
		if got := ollama.Fits(tt.size, tt.memory); got != tt.want {
			t.Errorf("%d bytes in %d: %v", tt.size, tt.memory, got)
		}
	}
}
