package recall

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
)

// MeasureServer prints how well the evidence of questions is found on a server and in the
// machine's own index, and how long searches take.
func MeasureServer(tb testing.TB, address func() string, open func(address, machine string) Server) {
	tb.Helper()
	all := loadChats(tb)
	if program := os.Getenv("MAC_STATS_TEST_BINARY"); program != "" {
		measureProgram(tb, all, program, address)
		return
	}
	measure := func() (*benchTable, []time.Duration) {
		t, took := &benchTable{}, []time.Duration(nil)
		for _, c := range all {
			t.take(c, func(q benchQuestion) []benchHit {
				begun := time.Now()
				hits := c.ask(tb, q)
				took = append(took, time.Since(begun))
				return hits
			})
		}
		slices.Sort(took)
		return t, took
	}
	here, fast := measure()
	for _, c := range all { // another machine asks, which has no index
		at := address()
		there, here := open(at, "there"), open(at, "here")
		c.index.cfg.Server = func() (Server, error) { return there, nil }
		if _, err := c.index.Copy(tb.Context()); err != nil {
			tb.Fatal(err)
		}
		cfg := c.index.cfg
		cfg.Root, cfg.CacheDir, cfg.Server, cfg.ServerPatience = tb.TempDir(), tb.TempDir(), func() (Server, error) { return here, nil }, time.Minute
		var err error
		if cfg.Store, err = sessionmem.Open(sessionmem.Config{Root: cfg.Root}); err == nil {
			c.index, err = Open(cfg)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	there, slow := measure()
	tb.Logf("here:   %s, p50 %v p95 %v", strings.Join(here.total(), " "), fast[len(fast)/2], fast[len(fast)*95/100])
	tb.Logf("server: %s, p50 %v p95 %v", strings.Join(there.total(), " "), slow[len(slow)/2], slow[len(slow)*95/100])
	for _, c := range all {
		if err := c.index.asker.err; err != nil {
			tb.Error(err)
		}
	}
}

// measureProgram prints how well the built program finds here and on a server.
func measureProgram(tb testing.TB, all []*benchChat, program string, address func() string) {
	tb.Helper()
	strategies := strategiesOfProgram()
	here, there := make([]benchTable, len(strategies)), make([]benchTable, len(strategies))
	for _, c := range all {
		for server, tables := range map[string][]benchTable{"": here, address(): there} {
			ask := c.program(tb, program, server)
			for i, s := range strategies {
				answers := ask(s)
				tables[i].take(c, func(q benchQuestion) []benchHit { return answers[q.text] })
			}
		}
	}
	for i, s := range strategies {
		tb.Logf("%s here:   %s", s, strings.Join(here[i].total(), " "))
		tb.Logf("%s server: %s", s, strings.Join(there[i].total(), " "))
	}
}

// BenchServer compares the speed of a server with the machine's own index: how many messages
// per second arrive there, and how long searches take, with vectors if there is an embedder.
func BenchServer(b *testing.B, chunks int, embedder Embedder, open func(machine string) Server) {
	b.Helper()
	w := newWorld(b, chunks)
	w.x.cfg.Embedder, w.x.cfg.EmbedPatience = embedder, time.Minute
	if _, err := w.x.Rebuild(b.Context()); err != nil {
		b.Fatal(err)
	}
	if embedder != nil {
		if err := w.x.MakeVectors(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
	ask := func(b *testing.B) {
		for b.Loop() {
			percentiles(b, 200, func() {
				a, err := w.x.Search(b.Context(), Query{Text: w.question(), Limit: 8, Now: w.now})
				if err != nil || a.State.Server != nil {
					b.Fatal(err, a.State.Server)
				}
			}, serverWait)
		}
	}
	b.Run("here", ask)
	server := open("there")
	w.x.cfg.Server, w.x.cfg.ServerPatience = func() (Server, error) { return server, nil }, time.Minute
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			begun := time.Now()
			done, err := w.x.Copy(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(done.Passages)/time.Since(begun).Seconds(), "messages/s")
		}
	})
	server = open("here")
	b.Run("both", ask)
}
