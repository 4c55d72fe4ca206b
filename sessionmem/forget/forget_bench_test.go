package forget

import (
	"fmt"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// BenchmarkForget forgets one message among 2,000 sessions with 60,000 blocks, planned in
// advance. The cost of a plan grows with all text, the cost of the removal with what is
// touched.
func BenchmarkForget(b *testing.B) {
	root, cache := b.TempDir(), b.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: root, CacheDir: cache})
	must(b, err)
	b.Cleanup(func() { must(b, store.Close()) })
	blocks := make([]transcript.Block, 30)
	for n := range 2000 {
		for i := range blocks {
			blocks[i] = user(fmt.Sprintf("What was said in session %d as message %d about the harbour, the weather and the boats that were there.", n, i))
		}
		must(b, second(store.Session(fmt.Sprintf("cpu-s%d", n)).Append(b.Context(), blocks...)))
	}
	f := New(Params{Root: root, CacheDir: cache, Store: store, Memory: memory.New(memory.Config{Root: root})})
	var planning, doing time.Duration
	n := 0
	for b.Loop() {
		begun := time.Now()
		p, err := f.Plan(b.Context(), Selection{Text: fmt.Sprintf("session %d as message 7 about", n)})
		must(b, err)
		planned := time.Now()
		r, err := f.Do(b.Context(), p)
		must(b, err)
		planning, doing = planning+planned.Sub(begun), doing+time.Since(planned)
		if len(r.Found) == 0 || r.Refused > 0 {
			b.Fatalf("%+v", r)
		}
		n++
	}
	b.ReportMetric(float64(planning.Milliseconds())/float64(n), "ms/plan")
	b.ReportMetric(float64(doing.Milliseconds())/float64(n), "ms/forget")
}
