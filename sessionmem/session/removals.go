package session

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/transcript"
)

// Removed counts what the app wrote to a session and a save from outside removed.
type Removed struct {
	Session  string
	Messages int
	Others   int // Summaries, tool results, resets and other notes
}

// Removals handles what saves from outside removed from a session's files.
type Removals struct{ ses *Session }

// Removals returns a Removals for the session.
func (s *Session) Removals() Removals { return Removals{s} }

// nothingMissing reports, without reading a transcript, that nothing can be missing.
func (s Removals) nothingMissing() bool {
	return s.ses.dir == nil || s.ses.private.Load() || transcript.CheckName(s.ses.name) != nil || !s.ses.journal.Exists()
}

// Missing counts what is missing from a session's files. Nothing is missing from a session
// without a block or in memory.
func (s Removals) Missing(ctx context.Context) (Removed, error) {
	out := Removed{Session: s.ses.name}
	if s.nothingMissing() {
		return out, nil
	}
	err := s.ses.inspect(ctx, func() error {
		missing, err := s.ses.journal.Missing()
		out = s.removedOf(missing)
		return err
	})
	return out, err
}

func (s Removals) removedOf(missing []journal.Block) Removed {
	out := Removed{Session: s.ses.name}
	for _, m := range missing {
		if m.Message {
			out.Messages++
		} else {
			out.Others++
		}
	}
	return out
}

// Keep accepts what a save removed from a session's files: the journal drops it.
func (s Removals) Keep(ctx context.Context) (Removed, error) {
	return s.decide(ctx, "removing", s.acceptMissing)
}

// Restore puts back what a save removed from a session's files, each block in its old place.
func (s Removals) Restore(ctx context.Context) (Removed, error) {
	return s.decide(ctx, "restoring", s.putBack)
}

// decide calls do, which handles what is missing from a session.
func (s Removals) decide(ctx context.Context, doing string, do func(context.Context) ([]journal.Block, error)) (Removed, error) {
	none := Removed{Session: s.ses.name}
	if s.nothingMissing() {
		return none, nil
	}
	unlock, err := s.ses.lock(ctx, false)
	if err != nil {
		return none, fmt.Errorf("%s in %s: %w", doing, s.ses.name, err)
	}
	defer unlock()
	decided, err := do(ctx)
	if err != nil {
		return none, fmt.Errorf("%s in %s: %w", doing, s.ses.name, err)
	}
	return s.removedOf(decided), nil
}

// acceptMissing removes from the journal what the session's files lack.
func (s Removals) acceptMissing(_ context.Context) ([]journal.Block, error) {
	if err := s.ses.refresh(); err != nil {
		return nil, err
	}
	return s.ses.journal.Accept()
}

func (s Removals) expire(ctx context.Context) error {
	unlock, err := s.ses.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.ses.refresh(); err != nil {
		return err
	}
	return s.ses.journal.CatchUp()
}

// ExpireRemoved drops what was removed from sessions more than journal.RemovedKept ago and not
// decided about, also in sessions that nobody writes to any more. It also records removals
// that no journal has noted yet: their time counts from now.
func (f *Folder) ExpireRemoved(ctx context.Context) error {
	due, err := f.journals.Due()
	errs := []error{err}
	for _, name := range due {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f.IsPrivate(name) {
			continue
		}
		if err := f.Session(name).Removals().expire(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// journaled shows a session's blocks to its journal.
type journaled struct{ s *state }

// Index returns where the blocks are.
func (j journaled) Index() *branch.Index { return &j.s.index }

// Stored returns how many blocks are in the files, and where they end.
func (j journaled) Stored() (blocks int, end int64) {
	if j.s.unsaved.base != nil {
		return int(j.s.unsaved.first), j.s.end()
	}
	return j.s.index.Len(), j.s.end()
}

// Read reads blocks as they are in the files.
func (j journaled) Read(numbers []uint32, each func(transcript.Block) error) error {
	r := j.s.source()
	defer r.close()
	for _, n := range numbers {
		raw, err := r.read(n, 0)
		if err == nil {
			err = each(raw.Decode())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
