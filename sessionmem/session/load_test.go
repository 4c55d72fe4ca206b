package session_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// Reading block by block gives what loading gives, from several parts and from memory.
func TestSessionIsReadBlockByBlock(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *sessionmem.Store{
		"in three parts": func(t *testing.T) *sessionmem.Store {
			s := openLimited(t, t.TempDir(), storetest.PartLimit)
			threeParts(t, s)
			return s
		},
		"in memory": func(t *testing.T) *sessionmem.Store {
			s := openStore(t, t.TempDir())
			s.SetPrivate("cpu-a")
			threeParts(t, s)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			want := loadOne(t, s, "cpu-a")
			var got transcript.Transcript
			begin := func(info transcript.Info, front string) error {
				got.Info, got.FrontMatter = info, front
				return nil
			}
			must(t, s.Each(t.Context(), "cpu-a", begin, func(b transcript.Block) error {
				got.Blocks = append(got.Blocks, b)
				return nil
			}))
			if diff := cmp.Diff(*want, got); diff != "" {
				t.Errorf("(-loaded +block by block):\n%s", diff)
			}
			var whole, written bytes.Buffer
			must(t, transcript.Write(&whole, want))
			if n, err := s.Write(t.Context(), "cpu-a", &written); n != 6 || err != nil || written.String() != whole.String() {
				t.Errorf("%d blocks, %v:\n%s", n, err, written.String())
			}

			stop := errors.New("enough")
			n := 0
			if err := s.Each(t.Context(), "cpu-a", func(transcript.Info, string) error { return stop }, nil); !errors.Is(err, stop) {
				t.Errorf("stopped at the beginning: %v", err)
			}
			if err := s.Each(t.Context(), "cpu-a", nil, func(transcript.Block) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
				t.Errorf("stopped at the first block: %d, %v", n, err)
			}
		})
	}
	s := openStore(t, t.TempDir())
	s.SetPrivate("cpu-p")
	for _, name := range []string{"cpu-none", "cpu-p"} {
		if n, err := s.Write(t.Context(), name, nil); n != 0 || !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%s: %d blocks, %v", name, n, err)
		}
	}
	mustAppend(t, s, "cpu-a", user("one"))
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Each(ctx, "cpu-a", func(transcript.Info, string) error { cancel(); return nil }, func(transcript.Block) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := second(s.Exists(ctx, "cpu-a")); !errors.Is(err, context.Canceled) {
		t.Errorf("looking for it, cancelled before: %v", err)
	}
}

// A message of the context comes with its current text and the message after it.
func TestMessageOfTheContext(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	s.SetPrivate("cpu-p")
	for _, name := range []string{"cpu-a", "cpu-p"} {
		one := mustAppend(t, s, name, user("one"))
		mustAppend(t, s, name, transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "page"})
		two := mustAppend(t, s, name, assistant("two"))
		must(t, s.Correct(t.Context(), name, transcript.Block{Note: transcript.NoteEdited, Parent: one.ID, Text: "one, edited"}))
		stores := []*sessionmem.Store{s}
		if name == "cpu-a" {
			stores = append(stores, openStore(t, root))
		}
		for _, s := range stores {
			if b, next, err := s.Session(name).Message(t.Context(), one.ID); b.Text != "one, edited" || next != two.ID || err != nil {
				t.Errorf("%s: %+v before %s, %v", name, b, next, err)
			}
			if b, next, err := s.Session(name).Message(t.Context(), two.ID); b.Text != "two" || next != "" || err != nil {
				t.Errorf("%s: %+v before %q, %v", name, b, next, err)
			}
			if got := texts(t, s, name); !slices.Equal(got, []string{"one, edited", "two"}) {
				t.Errorf("%s: the context is %q", name, got)
			}
			if _, _, err := s.Session(name).Message(t.Context(), "none"); !errors.Is(err, session.ErrNotFound) {
				t.Errorf("%s: a message that isn't there: %v", name, err)
			}
		}
		must(t, s.Reset(t.Context(), name))
		if _, _, err := s.Session(name).Message(t.Context(), two.ID); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%s: before a reset: %v", name, err)
		}
	}
}

// A version is one of a branch that was left since the last reset.
func TestHasVersion(t *testing.T) {
	s := openStore(t, t.TempDir())
	one := mustAppend(t, s, "cpu-a", user("one"))
	must(t, second(s.Rewind(t.Context(), "cpu-a", one.ID, user("two"))))
	ses := s.Session("cpu-a")
	if err := ses.HasVersion(t.Context(), one.ID); err != nil {
		t.Error(err)
	}
	must(t, s.Reset(t.Context(), "cpu-a"))
	for _, id := range []string{one.ID, "none"} {
		if err := ses.HasVersion(t.Context(), id); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A Summary goes through the last message that isn't kept word for word, and says so.
func TestWhatASummaryGoesThrough(t *testing.T) {
	s := openStore(t, t.TempDir())
	var blocks []transcript.Block
	for _, text := range []string{"one", "two", "three"} {
		blocks = append(blocks, mustAppend(t, s, "cpu-a", user(text)))
	}
	note := mustAppend(t, s, "cpu-a", transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "page"})
	summaries := s.Session("cpu-a").Summaries()
	snapshot := func() session.Snapshot {
		t.Helper()
		snap, err := summaries.Snapshot(t.Context(), "")
		must(t, err)
		return snap
	}
	snap := snapshot()
	for keep, want := range map[int]string{0: note.ID, -1: note.ID, 1: blocks[1].ID, 2: blocks[0].ID, 3: "none", 9: "none"} {
		if got := snap.Through(keep); got != want || snap.Covered(keep) != max(3-max(keep, 0), 0) {
			t.Errorf("keeping %d, it covers %d through %s, want %s", keep, snap.Covered(keep), got, want)
		}
	}
	if before, err := summaries.Snapshot(t.Context(), blocks[2].ID); err != nil || len(before.Messages) != 2 {
		t.Errorf("before the last message: %+v, %v", before.Messages, err)
	}
	sum := transcript.Block{Kind: transcript.KindSummary, Text: "so far", Through: snap.Through(9)}
	if !session.CoversNothing(&sum) || session.CoversNothing(nil) {
		t.Error("it covers nothing")
	}
	must(t, second(summaries.Append(t.Context(), snap, sum)))
	if err := summaries.CheckCurrent(t.Context(), snap, blocks[0].ID); !errors.Is(err, session.ErrStale) {
		t.Errorf("after another Summary: %v", err)
	}
	snap = snapshot()
	must(t, summaries.CheckCurrent(t.Context(), snap, blocks[1].ID))
	must(t, second(summaries.Append(t.Context(), snap, transcript.Block{Kind: transcript.KindSummary, Text: "so far", Through: blocks[1].ID})))
	if got := snapshot(); got.Through(1) != blocks[1].ID || got.Previous == nil || len(got.Messages) != 1 {
		t.Errorf("with nothing new it goes through %s, %+v", got.Through(1), got)
	}
	if _, err := summaries.Renewable(t.Context()); !errors.Is(err, session.ErrNothing) {
		t.Errorf("a model's Summary can be renewed: %v", err)
	}
}
