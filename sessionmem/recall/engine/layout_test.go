package engine

import (
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
)

// openTest creates an index.
func openTest(t *testing.T, l Limits) *Engine {
	t.Helper()
	e, err := Open(t.Context(), filepath.Join(t.TempDir(), "recall.db"), "root", true, l, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// put appends messages of one passage each to a source.
func put(t *testing.T, e *Engine, key string, texts ...string) {
	t.Helper()
	a := analysis.NewAnalyzer()
	b := Batch{Name: format.Name{Key: key, Session: key}, Last: true}
	n := 0
	err := e.Read(t.Context(), func(s *Snapshot) error {
		if b.Known = s.Source(key); b.Known != nil {
			n = b.Known.Docs
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		terms := a.Chunk(text, time.Time{})
		b.Add(format.Passage{Seq: uint32(n + i), Words: uint32(terms.Words), Block: fmt.Sprint(key, n+i)}, terms)
	}
	w, err := e.NewWriter(t.Context())
	if err == nil {
		err = w.Put(t.Context(), &b)
	}
	if err == nil {
		err = w.Finish(t.Context(), time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestMovingAStrandLeavesItsNeighborsUnchanged(t *testing.T) {
	e := openTest(t, DefaultLimits())
	for _, source := range []string{"a", "b", "c"} {
		put(t, e, source, "the lynx sleeps under the old tree")
	}
	for i := range 20 { // it moves behind its neighbours
		put(t, e, "a", strings.Repeat("the otter swims ", i+1))
	}
	err := e.Read(t.Context(), func(now *Snapshot) error {
		if now.Passages() != 23 {
			t.Errorf("%d passages", now.Passages())
		}
		l := &now.v.lay
		for _, s := range l.strands {
			for i := s.base; i < s.base+s.size; i++ {
				want := float32(l.words[i])
				for n := range uint32(strandGap) {
					if i >= s.base+n+1 && !l.refs[i-n-1].none() {
						want += l.shares.after[n] * min(float32(l.words[i-n-1]), l.shares.beginning)
					}
					if i+n+1 < s.base+s.size && !l.refs[i+n+1].none() {
						want += l.shares.before[n] * min(float32(l.words[i+n+1]), l.shares.beginning)
					}
				}
				if want /= l.shares.sum; !l.refs[i].none() && math.Abs(float64(l.around[i]-want)) > 1e-3 {
					t.Errorf("%.3f words are said around document %d of the strand at %d, want %.3f", l.around[i], i-s.base, s.base, want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
