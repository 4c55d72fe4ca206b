package session

import (
	"context"
	"fmt"
	"slices"

	"mac-stats/sessionmem/transcript"
)

// journalAlone puts a block into the session's journal that is in none of its files.
func (s *Session) journalAlone(ctx context.Context, b transcript.Block) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	s.journal.whole = false
	if err := s.catchUp(); err != nil {
		return err
	}
	s.journal.whole = true
	err = s.appendJournal(transcript.AppendBlock(nil, s.guard(b, false)))
	s.journal.stat = nil // it is missing
	return err
}

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
	if s.dir == nil || s.private.Load() || transcript.CheckName(s.name) != nil || !s.dir.Has(journalFile(s.name)) {
		return out, nil
	}
	err := s.look(ctx, func() error {
		missing, err := s.missing()
		out = s.removedOf(missing)
		return err
	})
	return out, err
}

func (s *state) removedOf(missing []journaled) Removed {
	out := Removed{Session: s.name}
	for _, m := range missing {
		if m.message {
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
func (s *Session) decide(ctx context.Context, doing string, do func(context.Context) ([]journaled, error)) (Removed, error) {
	none := Removed{Session: s.name}
	if s.dir == nil || s.private.Load() || transcript.CheckName(s.name) != nil || !s.dir.Has(journalFile(s.name)) {
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
func (s *state) dropMissing(_ context.Context) ([]journaled, error) {
	if err := s.refresh(); err != nil {
		return nil, err
	}
	all, err := s.readJournal()
	if err != nil || len(all.missing) == 0 {
		return nil, err
	}
	return all.missing, s.rewriteJournal(all, all.missing)
}

// acknowledged says whether a block was written to the session before. It may have been
// removed since.
func (s *state) acknowledged(id string) (bool, error) {
	if s.taken(id) {
		return true, nil
	}
	missing, err := s.missing()
	return slices.ContainsFunc(missing, func(m journaled) bool { return m.id == id }), err
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
	s.journal.whole = false // whoever writes next looks at it again
	return s.catchUp()
}
