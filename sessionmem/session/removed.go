package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/transcript"
)

// Removed is what the app had written to a session and a save from outside took out.
type Removed struct {
	Session  string
	Messages int
	Others   int // summaries, results of tools, resets and other notes
}

// Removed tells what is missing from a session's files. Nothing is for one that was
// never written, or is in memory alone.
func (s *Session) Removed(ctx context.Context) (Removed, error) {
	out := Removed{Session: s.name}
	if s.dir == nil || s.private.Load() || transcript.CheckName(s.name) != nil || !s.journal.Exists() {
		return out, nil
	}
	err := s.look(ctx, func() error {
		missing, err := s.journal.Missing()
		out = s.removedOf(missing)
		return err
	})
	return out, err
}

func (s *state) removedOf(missing []journal.Block) Removed {
	out := Removed{Session: s.name}
	for _, m := range missing {
		if m.Message {
			out.Messages++
		} else {
			out.Others++
		}
	}
	return out
}

// KeepRemoved agrees with what a save took out of a session's files: the journal lets go
// of it.
func (s *Session) KeepRemoved(ctx context.Context) (Removed, error) {
	return s.decide(ctx, "removing", s.dropMissing)
}

// Restore puts back what a save took out of a session's files, each block where it stood.
func (s *Session) Restore(ctx context.Context) (Removed, error) {
	return s.decide(ctx, "restoring", s.putBack)
}

// decide does something with what is missing from a session.
func (s *Session) decide(ctx context.Context, doing string, do func(context.Context) ([]journal.Block, error)) (Removed, error) {
	none := Removed{Session: s.name}
	if s.dir == nil || s.private.Load() || transcript.CheckName(s.name) != nil || !s.journal.Exists() {
		return none, nil
	}
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return none, fmt.Errorf("%s in %s: %w", doing, s.name, err)
	}
	defer unlock()
	decided, err := do(ctx)
	if err != nil {
		return none, fmt.Errorf("%s in %s: %w", doing, s.name, err)
	}
	return s.removedOf(decided), nil
}

// dropMissing lets go of what the session's files lack.
func (s *state) dropMissing(_ context.Context) ([]journal.Block, error) {
	if err := s.refresh(); err != nil {
		return nil, err
	}
	return s.journal.Agree()
}

// acknowledged says whether a block was written to the session before. It may have been
// removed since.
func (s *state) acknowledged(id string) (bool, error) {
	if s.taken(id) {
		return true, nil
	}
	missing, err := s.journal.Missing()
	return slices.ContainsFunc(missing, func(m journal.Block) bool { return m.ID == id }), err
}

func (s *Session) expireRemoved(ctx context.Context) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	return s.journal.CatchUp()
}

// ExpireRemoved lets go of what was removed from sessions and not decided about for
// journal.RemovedKept, also where nothing is written to them any more. To know the time, it
// notes what was removed since the journal was written last.
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
		if err := f.Session(name).expireRemoved(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// journaled shows a session's blocks to its journal.
type journaled struct{ s *state }

// Index is where the blocks are.
func (j journaled) Index() *branch.Index { return &j.s.index }

// Stored is how many blocks stand in the files, and where they end.
func (j journaled) Stored() (blocks int, end int64) {
	if j.s.unsaved.base != nil {
		return int(j.s.unsaved.first), j.s.end()
	}
	return j.s.index.Len(), j.s.end()
}

// Read reads blocks as they stand in the files.
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
