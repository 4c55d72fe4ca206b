package sessionmem

import (
	"context"
	"fmt"

	"mac-stats/sessionmem/trash"
)

// ErrNothingDeleted means that there is no deleted session to bring back.
var ErrNothingDeleted = trash.ErrNothing

// Delete moves the files of a session to .trash, where they stay until Undelete or until a
// person removes them; copies of the session stay in place. A running turn returns
// session.ErrBusy. A session in memory is gone for good.
func (l *library) Delete(ctx context.Context, name string) error {
	if err := l.sessions.Session(name).Moves().Delete(ctx, nil, l.trash.Put); err != nil {
		return fmt.Errorf("deleting %s: %w", name, err)
	}
	return nil
}

// Undelete brings back the last deleted session of this name, or of any name if it is
// empty, and returns its name: another one ("cli-notes-2") if a new session has taken it. It
// returns ErrNothingDeleted if there is none. A file that stands where another should return
// stays, and is an error.
func (l *library) Undelete(ctx context.Context, name string) (string, error) {
	if err := l.dir.Check(); err != nil {
		return "", err
	}
	if l.dir == nil {
		return "", ErrNothingDeleted
	}
	deleted, err := l.trash.Last(name)
	if err != nil {
		return "", err
	}
	as, err := deleted.NameBack(l.sessions.IsTaken)
	if err == nil {
		err = l.sessions.Session(as).Moves().BringBack(ctx, func() error { return deleted.BringBack(as) }, !deleted.Archived())
	}
	if err != nil {
		return "", fmt.Errorf("bringing back %s: %w", deleted.Session, err)
	}
	if deleted.Archived() {
		if err := l.state.BroughtBack(ctx, []string{as}); err != nil {
			l.logger.Warn("a session came back and its age counts from its last message on", "session", as, "err", err)
		}
	}
	return as, nil
}
