package recall

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// MeasureServer prints how well the evidence of questions is found on a server beside the
// index of the machine, and how long searches take.
func MeasureServer(tb testing.TB, open func() Server) {
	tb.Helper()
	all := loadChats(tb)
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
	for _, c := range all {
		server := open()
		defer server.Close()
		c.index.cfg.Server, c.index.cfg.ServerPatience = func() Server { return server }, time.Minute
		if _, err := c.index.Push(tb.Context()); err != nil {
			tb.Fatal(err)
		}
	}
	there, slow := measure()
	tb.Logf("here:   %s, p50 %v p95 %v", strings.Join(here.total(), " "), fast[len(fast)/2], fast[len(fast)*95/100])
	tb.Logf("server: %s, p50 %v p95 %v", strings.Join(there.total(), " "), slow[len(slow)/2], slow[len(slow)*95/100])
	for _, c := range all {
		if err := c.index.serverErr; err != nil {
			tb.Error(err)
		}
	}
}
