package session

import (
	"context"
	"fmt"
	"slices"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"
)

// StillHolds gives ErrStale where a Summary of the snapshot that goes through this
// block could not be appended now.
func (s *Session) StillHolds(ctx context.Context, snap Snapshot, through string) error {
	return s.look(ctx, func() error {
		if !s.holds(snap, through, s.forgotten.Since(snap.taken)) {
			return fmt.Errorf("%w: %s", ErrStale, s.name)
		}
		return nil
	})
}

// StillMeant gives ErrStale where the snapshot says what was forgotten since, or is
// just being forgotten: no model is told, and nothing learnt from it.
func (s *Session) StillMeant(snap Snapshot) error {
	blocks := snap.Recent()
	if snap.Previous != nil {
		blocks = append(slices.Clip(blocks), *snap.Previous)
	}
	if s.forgotten.Since(snap.taken) || s.forgotten.Meant(s.name, blocks) {
		return fmt.Errorf("%w: something was forgotten meanwhile", ErrStale)
	}
	return nil
}

// AppendSummary appends a Summary of the snapshot, if what it covers is still the
// conversation: messages that came meanwhile stay behind it, in order. Else it
// gives ErrStale.
func (s *Session) AppendSummary(ctx context.Context, snap Snapshot, b transcript.Block) (transcript.Block, error) {
	return outsideSaves(ctx, savePatience, func(anyway bool) (transcript.Block, error) {
		return s.appendSummaryOnce(ctx, anyway, snap, b)
	})
}

// appendSummaryOnce is AppendSummary that gives sessiondir.ErrMidSave where it has to wait, unless it
// is anyway.
func (s *Session) appendSummaryOnce(ctx context.Context, anyway bool, snap Snapshot, b transcript.Block) (transcript.Block, error) {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return transcript.Block{}, fmt.Errorf("writing to %s: %w", s.name, err)
	}
	defer unlock()
	s.anyway = anyway
	private := s.private.Load()
	if !private {
		if err := s.refreshToWrite(ctx); err != nil {
			return transcript.Block{}, fmt.Errorf("writing to %s: %w", s.name, err)
		}
	}
	if !s.holds(snap, b.Through, s.forgotten.Since(snap.taken)) {
		return transcript.Block{}, fmt.Errorf("%w: %s", ErrStale, s.name)
	}
	b = b.WithTold(snap.told)
	write := func() ([]transcript.Block, error) { return s.appendFile(ctx, []transcript.Block{b}) }
	if private {
		write = func() ([]transcript.Block, error) { return s.appendMemory([]transcript.Block{b}) }
	}
	out, err := write()
	if err != nil {
		return transcript.Block{}, fmt.Errorf("writing to %s: %w", s.name, err)
	}
	return out[0], nil
}

// Renewable is what a Summary that a forgetting made was to be made of.
type Renewable struct {
	Old  transcript.Block // the Summary
	From Snapshot         // what was before it
}

// Renewable gives the last Summary of a session with what it covers; ErrNothing where a
// model made it, or nothing of it is left.
func (s *Session) Renewable(ctx context.Context) (Renewable, error) {
	r := Renewable{}
	err := s.look(ctx, func() error {
		f, x := &s.fold, &s.index
		before, at, end, ok := f.BeforeSummary(x)
		if !ok || s.private.Load() {
			return ErrNothing
		}
		source := s.source()
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
