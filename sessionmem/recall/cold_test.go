package recall

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mac-stats/sessionmem/recall/corpus"
)

func TestColdSessionsAreSearchedWhenAskedFor(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-old", "The boiler was repaired by Marta.", "Good, Marta knows boilers.")
	asked := b.now.AddDate(0, 6, 0)
	b.sync()
	search := func(q Query) (Answer, []string) {
		t.Helper()
		q.Now = asked
		a, err := b.x.Search(b.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var sessions []string
		for _, h := range a.Hits {
			sessions = append(sessions, h.Session)
		}
		return a, sessions
	}

	// given only cold sessions: nothing is left to hide them from
	if a, got := search(Query{Text: "boiler"}); len(got) != 2 || a.State.Cold != 0 {
		t.Errorf("with cold sessions alone: %v, %d cold", got, a.State.Cold)
	}

	b.now = asked.Add(-time.Hour)
	b.talk("cpu-new", "The boiler makes a noise.", "Which noise?")
	b.sync()
	tests := map[string]struct {
		query Query
		cold  int
		found bool // the cold session
	}{
		"given the ordinary pass":              {Query{Text: "boiler"}, 2, false},
		"given a search that asks for it":      {Query{Text: "boiler", Cold: true}, 0, true},
		"given a question that names its time": {Query{Text: "who repaired the boiler in May 2026"}, 0, true},
		"given a question of another time":     {Query{Text: "who repaired the boiler in March 2025"}, 2, false},
		"given that session alone":             {Query{Text: "boiler", Scope: Scope{Session: "cpu-old"}}, 0, true},
		"given all sessions but the warm one":  {Query{Text: "boiler", Scope: Scope{NotSession: "cpu-new"}}, 0, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, got := search(test.query)
			found := false
			for _, session := range got {
				found = found || session == "cpu-old"
			}
			if found != test.found || a.State.Cold != test.cold {
				t.Errorf("found %v, %d cold chunks excluded; want %v, %d", got, a.State.Cold, test.found, test.cold)
			}
		})
	}
}

func TestMemoryIsNeverCold(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-new", "Hello.", "Hello.")
	file := filepath.Join(b.root, "agents", "memory.md")
	line := "# Memory\n\n- The boiler is in the cellar. <!-- 2020-01-02 cpu-x -->\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(line), 0o600)); err != nil {
		t.Fatal(err)
	}
	b.sync()
	if a := b.search("boiler"); len(a.Hits) != 1 || a.Hits[0].Kind != corpus.KindMemory || a.State.Cold != 0 {
		t.Errorf("%+v", a)
	}
}
