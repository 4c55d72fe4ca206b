package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"mac-stats/sessionmem/transcript"
)

// enough is a number of files that makes an indexing run a long one.
const enough = 40

// manySessions returns a bench with enough files for a long indexing run.
func manySessions(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	for i := range enough {
		b.say(fmt.Sprintf("cpu-s%d", i), transcript.KindUser, fmt.Sprintf("the otter number %d swims", i))
	}
	return b
}

func TestALongIndexingReportsItsProgress(t *testing.T) {
	b := manySessions(t)
	other := b.open() // as in another process, except for the lock
	var own, others []string
	b.progress = func(p Progress) {
		s, err := b.x.Status(t.Context())
		if err != nil {
			t.Error(err)
		}
		own = append(own, s.String())
		if s, err = other.Status(t.Context()); err != nil {
			t.Error(err)
		}
		others = append(others, s.String())
	}
	b.sync()
	of := fmt.Sprintf(" of %d files", enough)
	if len(own) == 0 || !strings.Contains(own[len(own)/2], "building, ") || !strings.Contains(own[len(own)/2], of) {
		t.Errorf("reported: %q", own)
	}
	if !strings.Contains(others[len(others)/2], "building, ") || !strings.Contains(others[len(others)/2], of) {
		t.Errorf("reported elsewhere: %q", others)
	}
	if s, err := other.Status(t.Context()); err != nil || s.Building || s.Behind != 0 && strings.Contains(s.String(), "building") {
		t.Errorf("when it is over: %s, %v", s.String(), err)
	}
}

func TestAReplacementThatAKilledProcessLeftIsNoProgress(t *testing.T) {
	b := manySessions(t)
	b.sync()
	ctx, stop := context.WithCancel(t.Context())
	b.progress = func(p Progress) {
		if p.Files >= 3 {
			stop()
		}
	}
	if _, err := b.x.Rebuild(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("not stopped: %v", err)
	}
	if s, err := b.x.Status(t.Context()); err != nil || s.Building || !s.Unfinished || s.String() != "fresh" {
		t.Errorf("%s, %v", s.String(), err)
	}
	lock := flock.New(filepath.Join(b.cache, "recall.lock")) // as a process that goes on with it
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	if s, err := b.x.Status(t.Context()); err != nil || !s.Building || s.Done < 3 || s.Done >= enough || s.Of != enough {
		t.Errorf("while it runs: %s, %v", s.String(), err)
	}
	ctx, stop = context.WithCancel(t.Context())
	b.progress = func(p Progress) {
		if p.Waits {
			stop()
		}
	}
	if _, err := b.x.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for it returns %v, want Canceled", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	b.progress = nil
	if s, err := b.x.Status(t.Context()); err != nil || s.Building {
		t.Errorf("when it has ended: %s, %v", s.String(), err)
	}
}

func TestAnInterruptedRebuildResumes(t *testing.T) {
	b := manySessions(t)
	b.sync()
	ctx, stop := context.WithCancel(t.Context())
	done := 0
	b.progress = func(p Progress) {
		if p.Files >= 20 {
			done = max(done, p.Files)
			stop()
		}
	}
	if _, err := b.x.Rebuild(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("not stopped: %v", err)
	}
	s, err := b.x.Status(t.Context())
	if err != nil || !s.Unfinished || s.Building || s.Chunks != enough {
		t.Errorf("%+v, %v; want that the old one answers", s, err)
	}
	b.progress = nil
	r, err := b.x.Rebuild(t.Context())
	if err != nil || r.Changed == 0 || r.Changed > enough-20 {
		t.Errorf("%d files were read, %v; want those that were left after %d", r.Changed, err, done)
	}
	if s, err = b.x.Status(t.Context()); err != nil || s.Unfinished || s.Chunks != enough || s.String() != "fresh" {
		t.Errorf("%+v, %v", s, err)
	}
}

// of sets a version in the index file to another value.
func (b *bench) of(key string) {
	b.Helper()
	if err := b.x.Close(); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+b.x.file.Path())
	if err != nil {
		b.Fatal(err)
	}
	if _, err = db.ExecContext(b.Context(), "UPDATE meta SET value=value-1 WHERE key=?", key); err != nil {
		b.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	b.x = b.open()
}

func TestAnIndexOfAnotherVersionIsReplaced(t *testing.T) {
	const all = enough
	for _, c := range []struct {
		key     string
		answers bool // until the new one is ready
	}{{"analysis", true}, {"format", false}} {
		b := manySessions(t)
		b.sync()
		b.of(c.key)
		a := b.search("otter")
		if (len(a.Hits) > 0) != c.answers || a.State.String() != fmt.Sprintf("behind by %d files", all) {
			t.Errorf("another %s: %d hits, %s", c.key, len(a.Hits), a.State)
		}
		b.progress = func(Progress) {
			s, err := b.x.Status(t.Context())
			if err != nil || !strings.HasPrefix(s.String(), "building") {
				t.Errorf("another %s, while it is built: %s, %v", c.key, s.String(), err)
			}
			if a, err := b.x.Search(t.Context(), Query{Text: "otter", Now: b.now}); err != nil || (len(a.Hits) > 0) != c.answers {
				t.Errorf("another %s, while it is built: %d hits, %v", c.key, len(a.Hits), err)
			}
		}
		b.sync()
		b.progress = nil
		if a := b.search("otter"); len(a.Hits) == 0 || a.State.String() != "fresh" {
			t.Errorf("another %s, rebuilt: %d hits, %s", c.key, len(a.Hits), a.State)
		}
	}
}
