package vectors

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestOfManyVectorsOnlyTheSignsStayInMemory(t *testing.T) {
	s := &Set{model: vectorModel{Model: Model{Dims: 64}}, pages: map[uint32]*vectorPage{}, budget: 500}
	for n := range uint32(2) {
		p := newVectorPage(64)
		for slot := range byte(5) {
			p.put(slot, 1, make([]byte, 64))
		}
		s.addPage(n, p)
		if lean := n == 1; s.signsOnly != lean {
			t.Errorf("with %d vectors of 64 bytes: the signs alone are held: %v, want %v of 500 bytes", s.Count, s.signsOnly, lean)
		}
	}
	for _, p := range s.pages {
		if p.data != nil || p.scales != nil || len(p.signs) != 5 {
			t.Error("a page holds its vectors, or not all signs")
		}
	}
}

func TestIdleVectorsLeaveMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Cache
		holds := func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.set != nil
		}
		use := func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.set = &Set{}
			c.used()
		}
		use()
		time.Sleep(vectorsIdle * 3 / 4)
		use()
		time.Sleep(vectorsIdle * 3 / 4)
		if !holds() {
			t.Error("vectors left memory while in use")
		}
		time.Sleep(vectorsIdle)
		if holds() {
			t.Error("idle vectors are still held")
		}
	})
}
