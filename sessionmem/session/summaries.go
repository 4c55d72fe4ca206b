package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Summaries provides what a session's Summaries are made of and appends them if they are
// still valid.
type Summaries struct{ ses *Session }

// Summaries returns a Summaries for the session.
func (s *Session) Summaries() Summaries { return Summaries{s} }

// CheckCurrent returns ErrStale if a Summary of the snapshot that covers up to this block could
// not be appended now.
func (s Summaries) CheckCurrent(ctx context.Context, snap Snapshot, through string) error {
	return s.ses.inspect(ctx, func() error {
		if !s.ses.summaryFits(snap, through, s.ses.forgotten.Since(snap.taken)) {
			return fmt.Errorf("%w: %s", ErrStale, s.ses.name)
		}
		return nil
	})
}

// CheckForgotten returns ErrStale if the snapshot contains something that was forgotten since or is
// being forgotten: no model may see it, and no lesson may come from it.
func (s Summaries) CheckForgotten(snap Snapshot) error {
	blocks := snap.Recent()
	if snap.Previous != nil {
		blocks = append(slices.Clip(blocks), *snap.Previous)
	}
	if s.ses.forgotten.Since(snap.taken) || s.ses.forgotten.HasAny(s.ses.name, blocks) {
		return fmt.Errorf("%w: something was forgotten meanwhile", ErrStale)
	}
	return nil
}

// Append appends a Summary of the snapshot if the conversation still contains what it covers;
// messages written meanwhile stay behind it, in order. Otherwise it returns ErrStale.
func (s Summaries) Append(ctx context.Context, snap Snapshot, b transcript.Block) (transcript.Block, error) {
	return retryMidSave(ctx, savePatience, func(anyway bool) (transcript.Block, error) {
		return s.appendOnce(ctx, anyway, snap, b)
	})
}

// appendOnce is Append, but returns sessiondir.ErrMidSave if it would have to wait, unless
// anyway is set.
func (s Summaries) appendOnce(ctx context.Context, anyway bool, snap Snapshot, b transcript.Block) (transcript.Block, error) {
	unlock, err := s.ses.lock(ctx, false)
	if err != nil {
		return transcript.Block{}, fmt.Errorf("writing to %s: %w", s.ses.name, err)
	}
	defer unlock()
	s.ses.ignoreSaves = anyway
	private := s.ses.private.Load()
	if !private {
		if err := s.ses.refreshToWrite(ctx); err != nil {
			return transcript.Block{}, fmt.Errorf("writing to %s: %w", s.ses.name, err)
		}
	}
	if !s.ses.summaryFits(snap, b.Through, s.ses.forgotten.Since(snap.taken)) {
		return transcript.Block{}, fmt.Errorf("%w: %s", ErrStale, s.ses.name)
	}
	b = b.WithFingerprint(snap.fingerprint)
	write := func() ([]transcript.Block, error) { return s.ses.appendFile(ctx, []transcript.Block{b}) }
	if private {
		write = func() ([]transcript.Block, error) { return s.ses.appendMemory([]transcript.Block{b}) }
	}
	out, err := write()
	if err != nil {
		return transcript.Block{}, fmt.Errorf("writing to %s: %w", s.ses.name, err)
	}
	return out[0], nil
}

// Renewable holds what a model needs to renew a Summary that forgetting rebuilt without one.
type Renewable struct {
	Old  transcript.Block // the Summary
	From Snapshot         // what it is made of
}

// Renewable returns the last Summary of a session with what it covers. It returns ErrNothing
// if a model made that Summary, or nothing of it is left.
func (s Summaries) Renewable(ctx context.Context) (Renewable, error) {
	r := Renewable{}
	err := s.ses.inspect(ctx, func() error {
		f, x := &s.ses.fold, &s.ses.index
		before, at, end, ok := f.BeforeSummary(x)
		if !ok || s.ses.private.Load() {
			return ErrNothing
		}
		source := s.ses.source()
		defer source.close()
		old, err := source.block(f.Block(at))
		if err != nil {
			return err
		}
		if !summary.IsRebuilt(old) {
			return ErrNothing
		}
		r.Old = old
		r.From, err = s.snapshotOf(&before, end)
		if p := r.From.Previous; p != nil && p.Text == forgotten.Text {
			r.From.Previous = nil
		}
		return err
	})
	return r, err
}

// Snapshot returns what can be summarised of a session. With before, the ID of a User block, it
// ends in front of that block: the question that waits for its answer. A session without a
// block returns an empty Snapshot.
func (s Summaries) Snapshot(ctx context.Context, before string) (Snapshot, error) {
	var snap Snapshot
	err := s.ses.inspect(ctx, func() (err error) {
		snap, err = s.snapshotNow(before)
		return err
	})
	return snap, err
}

// snapshotNow copies the current context up to the block before.
func (s Summaries) snapshotNow(before string) (Snapshot, error) {
	f, x := &s.ses.fold, &s.ses.index
	end := f.Len()
	if i := f.At(x, x.Hash(before)); before != "" && i >= 0 {
		end = i
	}
	snap, err := s.snapshotOf(f, end)
	snap.Unsaved = len(s.ses.unsaved.blocks) > 0
	snap.seen = s.ses.last.seen
	return snap, err
}

// snapshotOf copies the context in the first blocks of a branch.
func (s Summaries) snapshotOf(f *branch.Fold, end int) (Snapshot, error) {
	x := &s.ses.index
	snap := Snapshot{Session: s.ses.name, taken: time.Now(), corrections: f.Corrections(), fingerprint: f.Fingerprint(x, end)}
	at, from := f.LastSummary(x)
	r := s.ses.source()
	defer r.close()
	if at >= 0 {
		summary, err := r.block(f.Block(at))
		if err != nil {
			return Snapshot{}, err
		}
		snap.Previous = &summary
		through := f.At(x, x.Hash(summary.Through))
		snap.throughExists = summary.Through == branch.ThroughNone || through >= 0 && through < end
	}
	kept, omitted := f.Window(x, from, end, s.ses.end())
	for _, i := range kept {
		b, err := r.message(f, f.Block(i))
		if err != nil {
			return Snapshot{}, err
		}
		snap.Messages = append(snap.Messages, b)
		snap.lastAt = b.Time
		if b.Kind == transcript.KindAssistant {
			snap.Agent = b.Agent
		}
	}
	snap.Omitted, snap.Since = omitted, f.SinceSummary(x, end)
	snap.results, snap.tools = f.Tools(from, end)
	return snap, snap.nameEnds(r, f, kept, end)
}

// Lock makes this process the only one that summarises the session. It waits until ctx
// ends. An in-memory session needs no lock file.
func (s Summaries) Lock(ctx context.Context) (release func(), err error) {
	if s.ses.private.Load() {
		return func() {}, nil
	}
	if err := s.ses.dir.Check(); err != nil {
		return nil, err
	}
	lock := s.ses.dir.NewLock(s.ses.name + ".compact")
	if _, err := lock.TryLockContext(ctx, wholefile.LockRetry); err != nil {
		return nil, wholefile.Explain("locking the compaction", err)
	}
	return func() { s.ses.dir.Unlock(lock) }, nil
}
