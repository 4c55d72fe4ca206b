package forgotten

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// Data from a server may be truncated or forged.
func TestOpenRefusesADamagedBox(t *testing.T) {
	r := newRig(t)
	r.forget("Zebra seven opens my locker", "zebra seven opens")
	record := NewRecord(r.root, nil)
	shared, err := record.Share(func(string) bool { return false }, 0)
	if err != nil || len(shared) != 1 {
		t.Fatal(shared, err)
	}
	for n := range len(shared[0].Box) {
		cut := shared[0]
		cut.Box = cut.Box[:n]
		if _, err := record.Open(cut, 0); err == nil {
			t.Errorf("%d bytes of it were opened", n)
		}
	}
	if _, err := record.Open(shared[0], 0); err != nil {
		t.Error(err)
	}
}

// shared returns the one forgetting of a data folder, with clocks that differ.
func shared(t *testing.T, f *Record, ahead time.Duration) Shared {
	t.Helper()
	all, err := f.Share(func(string) bool { return false }, ahead)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	return all[0]
}

// Another machine of the same person takes over a forgetting once it has the key.
func TestMachinesShareWhatWasForgotten(t *testing.T) {
	since := time.Now().Add(-2 * time.Hour).Round(0)
	here, traces := recorded(t, true, func(d *Draft) {
		d.AddWords("blue whale")
		d.AddSpan(since, since.Add(time.Hour))
	})
	there, _ := recorded(t, true, func(d *Draft) { d.AddWords("green turtle") })
	s := shared(t, here, time.Minute) // the shared clock is a minute ahead of this machine's
	if known, err := here.Share(here.Knows, 0); err != nil || len(known) != 0 {
		t.Errorf("shared again: %+v, %v", known, err)
	}
	if _, err := there.Open(s, 0); !errors.Is(err, ErrNoKey) {
		t.Errorf("without the key: %v", err)
	}
	pair, err := NewPair([]byte("the other machine"))
	must(t, err)
	same, err := NewPair([]byte("the other machine"))
	must(t, err)
	other, err := NewPair([]byte("a third one"))
	must(t, err)
	if string(pair.Public()) != string(same.Public()) || string(pair.Public()) == string(other.Public()) {
		t.Error("a secret gives one pair, and no other secret gives the same")
	}
	if _, err := here.SealKey("none", pair.Public()); !errors.Is(err, ErrNoKey) {
		t.Errorf("a key that isn't there: %v", err)
	}
	if _, err := here.SealKey(s.KeyID, []byte("no public key")); err == nil {
		t.Error("sealed for nobody")
	}
	box, err := here.SealKey(s.KeyID, pair.Public())
	must(t, err)
	if err := there.TakeKey(s.KeyID, box, other); err == nil {
		t.Error("another machine could read the key")
	}
	if err := there.TakeKey("none", box, pair); err == nil {
		t.Error("a key under a wrong name was taken")
	}
	must(t, there.TakeKey(s.KeyID, box, pair))
	if ids := there.KeyIDs(); len(ids) != 2 || !slices.Contains(ids, s.KeyID) || !slices.Contains(here.KeyIDs(), s.KeyID) {
		t.Errorf("keys %q", ids)
	}
	renamed := s
	renamed.ID = "other"
	if _, err := there.Open(renamed, 0); err == nil {
		t.Error("opened under another name")
	}
	draft, err := there.Open(s, time.Hour)
	must(t, err)
	g := draft.Own()
	if by := -time.Hour + time.Minute; !g.At.Equal(traces.Own().At.Add(by)) || !g.Since.Equal(since.Add(by)) || !g.Elsewhere || !g.Begun.IsZero() {
		t.Errorf("opened %+v of %+v", g, traces.Own())
	}
	if there.Knows(s.ID) || !draft.Holds("a blue whale") {
		t.Error("opening records nothing")
	}
	must(t, there.Begin(draft))
	if !there.Knows(s.ID) || !there.Has("a blue whale") || !there.Has("a green turtle") || here.Has("a green turtle") {
		t.Error("recorded, it counts here too")
	}
	if !there.Traces().MatchesTime(since.Add(-time.Hour)) {
		t.Error("its span of time is lost")
	}
}
