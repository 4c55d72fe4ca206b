package session

import (
	"context"
	"fmt"
	"sync"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/turn"
	"mac-stats/sessionmem/wholefile"
)

// Holder describes who holds a session's turn.
type Holder = turn.Holder

// TurnLock is a held turn of a session.
type TurnLock struct {
	ses  *Session
	lock *turn.Lock
	once sync.Once
}

// LockTurn waits for the session's turn. While another holds it, waiting is called once with
// the holder; it may be nil. The lock of a process that died is free: a checkpoint it left in
// .partial/ is appended, marked as interrupted, before LockTurn returns.
func (s *Session) LockTurn(ctx context.Context, who string, waiting func(Holder)) (*TurnLock, error) {
	return s.lockTurn(ctx, ctx, who, waiting)
}

// lockTurn is LockTurn, but waits for the turn only until patience ends. Appending what was
// interrupted may take longer.
func (s *Session) lockTurn(ctx, patience context.Context, who string, waiting func(Holder)) (*TurnLock, error) {
	if err := transcript.CheckName(s.name); err != nil {
		return nil, err
	}
	lock, err := s.turn.Take(patience, who, turn.Options{InMemory: s.private.Load(), Waiting: waiting, Without: func(err error) bool {
		if s.onRefused == nil || !isRefusal(err) {
			return false
		}
		s.logger.Warn("a turn goes on without its lock file", "session", s.name, "err", err)
		return true
	}})
	if err != nil {
		return nil, fmt.Errorf("waiting for the turn of %s: %w", s.name, err)
	}
	l := &TurnLock{ses: s, lock: lock}
	l.setHolds(true)
	s.held.Store(l)
	if lock.HasFile() {
		if err := (recovery{s}).all(ctx); err != nil {
			s.logger.Warn("an interrupted answer could not be put into its transcript, it waits in its checkpoint", "session", s.name, "err", err)
		}
	}
	return l, nil
}

// setHolds begins or ends the list of the turn's blocks, in one step with whether blocks are
// added to it: none may stay in it after the turn.
func (l *TurnLock) setHolds(holds bool) {
	l.ses.mu.Lock()
	defer l.ses.mu.Unlock()
	l.ses.holdsTurn, l.ses.inTurn = holds, nil
}

// Unlock releases the turn. It may be called more than once.
func (l *TurnLock) Unlock() {
	l.once.Do(func() {
		l.putBack()
		l.ses.held.Store(nil)
		l.setHolds(false)
		l.lock.Release()
	})
}

// TryTurn takes the session's turn if it is free; otherwise it returns ErrBusy with the
// holder.
func (s *Session) TryTurn(ctx context.Context, who string) (*TurnLock, error) {
	try, cancel := context.WithCancel(ctx)
	defer cancel()
	var held *Holder
	lock, err := s.LockTurn(try, who, func(h Holder) {
		held = &h
		cancel()
	})
	if err != nil && held != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %s (held by the %s)", ErrBusy, s.name, held.Who)
	}
	return lock, err
}

// lockFile takes the short lock that every append holds. The lock is a file of its own, never
// the transcript: editors save by rename.
func (s *Session) lockFile(ctx context.Context) (release func(), err error) {
	if err := transcript.CheckName(s.name); err != nil {
		return nil, err
	}
	return s.dir.Lock(ctx, s.name)
}

// putBack puts back what a save during the turn dropped of it.
func (l *TurnLock) putBack() {
	l.ses.mu.Lock()
	wrote := len(l.ses.inTurn) > 0
	l.ses.mu.Unlock()
	if !wrote {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), wholefile.LockPatience)
	defer cancel()
	_, err := retryMidSave(ctx, halfSaveTime, func(anyway bool) (struct{}, error) {
		return struct{}{}, l.putBackOnce(ctx, anyway)
	})
	if err != nil {
		l.ses.logger.Warn("what a save dropped of a turn that just ended could not be put back", "session", l.ses.name, "err", err)
	}
}

func (l *TurnLock) putBackOnce(ctx context.Context, anyway bool) error {
	unlock, err := l.ses.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	l.ses.ignoreSaves = anyway
	if err := l.ses.refresh(); err != nil || !l.ses.rewrote {
		return err
	}
	_, err = l.ses.appendFile(ctx, nil)
	return err
}
