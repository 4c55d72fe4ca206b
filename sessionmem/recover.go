package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// recoverPatience is how long RecoverAll waits for a session's turn: a session
// whose turn is held is being answered, its checkpoint is nobody else's.
const recoverPatience = 50 * time.Millisecond

// RecoverAll puts the checkpoints that dead processes left behind into their
// transcripts, as LockTurn does for one session, so that a cut answer can be read
// before anything new is said. Sessions whose turn is held are left alone.
func (s *Store) RecoverAll(ctx context.Context) error {
	if s.root == nil {
		return nil
	}
	names, err := s.partialSessions()
	if err != nil {
		return err
	}
	errs := []error{s.clearJournals()}
	for _, name := range names {
		lock, err := s.lockSoon(ctx, name)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
		case err != nil:
			errs = append(errs, fmt.Errorf("recovering %s: %w", name, err))
		default:
			lock.Unlock()
		}
	}
	return errors.Join(errs...)
}

func (s *Store) lockSoon(ctx context.Context, name string) (*TurnLock, error) {
	patience, cancel := context.WithTimeout(ctx, recoverPatience)
	defer cancel()
	return s.lockTurn(ctx, patience, name, "recovery", nil)
}

// partialSessions gives the sessions that have a checkpoint, each once.
func (s *Store) partialSessions() ([]string, error) {
	files, err := s.partialFiles()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var names []string
	for _, f := range files {
		name, _, ok := strings.Cut(f, ".")
		if ok && !seen[name] && transcript.CheckName(name) == nil {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}
