package forget

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
)

// While another process writes the index, everything else is forgotten. The report says so,
// and the next start finishes the index.
func TestALockedIndexIsFinishedLater(t *testing.T) {
	r := newRig(t)
	r.patience = 20 * time.Millisecond
	r.open()
	r.aDay()
	held := flock.New(filepath.Join(r.cache, "recall.lock"))
	must(t, held.Lock())
	report, err := r.f.Do(t.Context(), r.plan(Selection{Text: "blue zebra sleeps"}))
	must(t, err)
	i := slices.IndexFunc(report.Found, func(f forgotten.Touched) bool { return f.Place == "index" })
	if report.Pending != 1 || report.Refused != 0 || i < 0 || report.Found[i].Action != forgotten.Pending || !strings.Contains(report.Found[i].Why, "as soon as that ends") {
		t.Errorf("%d pending, %d refused: %+v; want the index alone, as pending", report.Pending, report.Refused, report.Found)
	}
	for _, left := range r.residue("zebra") {
		if !strings.Contains(left, "recall.db") {
			t.Error(left)
		}
	}
	a, err := r.index.Search(t.Context(), recall.Query{Text: "zebra", Limit: 50, Cold: true})
	must(t, err)
	for _, h := range a.Hits { // neighbours of what is gone
		if strings.Contains(h.Text, "zebra") {
			t.Errorf("meanwhile %s is found: %q", h.ID, h.Text)
		}
	}
	must(t, held.Unlock())
	r.open() // as the next start does
	if n := len(r.store.Forgotten().Unfinished()); n != 1 {
		t.Fatalf("%d forgettings are unfinished, want 1", n)
	}
	report, err = r.f.Resume(t.Context())
	if err != nil || report.Left() != 0 {
		t.Errorf("%+v %v, want it finished", report, err)
	}
	r.clean(secretWords...)
	if n := len(r.store.Forgotten().Unfinished()); n != 0 {
		t.Errorf("%d forgettings are unfinished, want none", n)
	}
}

// After a forgetting the index reports what it lacks, and finds the rest once it is up to
// date.
func TestAfterAForgettingTheIndexReportsThatItIsBehind(t *testing.T) {
	for _, s := range []Selection{{Text: "blue zebra sleeps"}, {Session: "cpu-day"}, {Since: time.Now().Add(-time.Hour)}} {
		r := newRig(t)
		r.aDay()
		state := func() recall.Status {
			t.Helper()
			s, err := r.index.Status(t.Context())
			must(t, err)
			return s
		}
		if before := state(); before.Behind != 0 {
			t.Fatalf("before: %s", before)
		}
		r.forget(s)
		if after := state(); after.Behind == 0 || strings.Contains(after.String(), "fresh") {
			t.Errorf("%+v: the index says %q, want that it is behind", s, after)
		}
		must(t, second(r.index.Sync(t.Context())))
		if after := state(); after.Behind != 0 {
			t.Errorf("%+v: once up to date it says %q", s, after)
		}
		if n := r.hits("what else nothing"); s.Text != "" && n == 0 {
			t.Error("what is left of the session is not found")
		}
		r.clean(secretWords[1:]...)
	}
}
