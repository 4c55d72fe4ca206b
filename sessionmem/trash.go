package sessionmem

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/trash"
	"mac-stats/sessionmem/wholefile"
)

// ErrNothingDeleted: there is nothing to bring back.
var ErrNothingDeleted = trash.ErrNothing

// Delete moves the files of a session to .trash, where they stay until Undelete
// or until a person removes them; copies of it stay where they are. A running turn gives ErrBusy. What is kept in
// memory only is dropped for good.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := s.delete(ctx, name, nil); err != nil {
		return fmt.Errorf("deleting %s: %w", name, err)
	}
	return nil
}

// delete asks still, which may be nil, under the session's locks whether it is to be.
func (s *Store) delete(ctx context.Context, name string, still func() error) error {
	if err := transcript.CheckName(name); err != nil {
		return err
	}
	if err := s.mustExist(ctx, name); err != nil {
		return err
	}
	turn, err := s.tryTurn(ctx, name, "delete")
	if err != nil {
		return err
	}
	defer turn.Unlock()
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	if still != nil {
		if err := still(); err != nil {
			return err
		}
	}
	if ses.private.Load() {
		ses.mem, ses.files, ses.size = nil, nil, 0
		ses.forgetBlocks()
		return nil
	}
	return s.toTrash(ctx, ses)
}

// toTrash moves the files of a session to the trash, without copies; its locks are held.
func (s *Store) toTrash(ctx context.Context, ses *session) error {
	if len(ses.unsaved.blocks) > 0 { // what is deleted can be brought back
		ses.anyway = true
		if _, err := s.appendFile(ctx, ses, nil); err != nil {
			return err
		}
	}
	if err := s.trash.Put(ctx, ses.name); err != nil {
		return err
	}
	ses.forgetFile()
	return wholefile.Wrap("removing its journal", s.dropJournal(ses))
}

// Undelete brings back the session of this name that was deleted last, of any
// name where it is empty, and returns its name: another one ("cli-notes-2") where a new
// session has taken it. ErrNothingDeleted where there is none. A file that stands in the place of one that comes back is kept, and is an
// error.
func (s *Store) Undelete(ctx context.Context, name string) (string, error) {
	if err := s.root.Check(); err != nil {
		return "", err
	}
	if s.root == nil {
		return "", ErrNothingDeleted
	}
	deleted, err := s.trash.Last(name)
	if err != nil {
		return "", err
	}
	as, err := deleted.NameBack(s.isTaken)
	if err == nil {
		err = s.bringBackAs(ctx, deleted, as)
	}
	if err != nil {
		return "", fmt.Errorf("bringing back %s: %w", deleted.Session, err)
	}
	if deleted.Archived() {
		if err := s.state.BroughtBack(ctx, []string{as}); err != nil {
			s.logger.Warn("a session came back and its age counts from its last message on", "session", as, "err", err)
		}
	}
	return as, nil
}

// isTaken reports whether there is a session of this name.
func (s *Store) isTaken(name string) (bool, error) {
	_, err := s.catalog.Locate(name)
	if errors.Is(err, ErrNotFound) {
		return s.known(name), nil
	}
	return true, err
}

func (s *Store) bringBackAs(ctx context.Context, deleted *trash.Deleted, name string) error {
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	err = deleted.BringBack(name)
	if err == nil && !deleted.Archived() {
		s.beginJournal(ses)
	}
	return err
}
