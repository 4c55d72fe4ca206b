package sessionmem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// The ends of the names of a turn's lock file, of the file that tells who holds it, and of
// the lock file of a compaction. A session's name has no dot.
const (
	turnSuffix    = ".turn"
	holderSuffix  = ".turn.json"
	compactSuffix = ".compact"
)

// Holder says who holds a session's turn lock.
type Holder struct {
	Who   string    `json:"who"` // "window", "command line", …
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// TurnLock is a held turn lock.
type TurnLock struct {
	store *Store
	ses   *session
	file  *flock.Flock // nil for an in-memory session
	once  sync.Once
}

// LockTurn takes the session's turn lock (a file lock held for the turn). While
// another holds it, waiting is called once with the holder; it may be nil. A lock
// whose process died is free. A checkpoint left in .partial/ by a dead holder is
// appended, marked interrupted, before LockTurn returns.
func (s *Store) LockTurn(ctx context.Context, name, who string, waiting func(Holder)) (*TurnLock, error) {
	return s.lockTurn(ctx, ctx, name, who, waiting)
}

// lockTurn is LockTurn that waits for the turn as long as patience lasts; what was
// interrupted is then put into the transcript however long that takes.
func (s *Store) lockTurn(ctx, patience context.Context, name, who string, waiting func(Holder)) (*TurnLock, error) {
	if err := transcript.CheckName(name); err != nil {
		return nil, err
	}
	ses := s.session(name)
	wait := sync.OnceFunc(func() {
		if waiting != nil {
			waiting(s.holder(ses))
		}
	})
	if err := ses.takeTurn(patience, wait); err != nil {
		return nil, fmt.Errorf("waiting for the turn of %s: %w", name, err)
	}
	l := &TurnLock{store: s, ses: ses}
	if !s.IsPrivate(name) {
		err := l.lockFile(patience, wait)
		if err != nil && s.onRefused != nil && isRefusal(err) && patience.Err() == nil {
			s.logger.Warn("a turn goes on without its lock file", "session", name, "err", err)
			l.file, err = nil, nil
		}
		if err != nil {
			<-ses.turn
			return nil, fmt.Errorf("waiting for the turn of %s: %w", name, err)
		}
	}
	l.tell(Holder{Who: who, PID: os.Getpid(), Since: time.Now()})
	s.mu.Lock()
	s.turns[l] = struct{}{}
	s.mu.Unlock()
	if l.file != nil {
		if err := s.recover(ctx, ses); err != nil {
			s.logger.Warn("an interrupted answer could not be put into its transcript, it waits in its checkpoint", "session", name, "err", err)
		}
	}
	return l, nil
}

// takeTurn orders the goroutines of this process.
func (ses *session) takeTurn(ctx context.Context, wait func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case ses.turn <- struct{}{}:
		return nil
	default:
	}
	wait()
	select {
	case ses.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lockFile orders the processes.
func (l *TurnLock) lockFile(ctx context.Context, wait func()) error {
	if err := l.store.root.Check(); err != nil {
		return err
	}
	l.file = l.store.root.NewLock(l.ses.name + turnSuffix)
	ok, err := l.file.TryLock()
	if err != nil || ok {
		return wholefile.Wrap("locking the turn", err)
	}
	wait()
	_, err = l.file.TryLockContext(ctx, wholefile.TurnRetry)
	return wholefile.Wrap("locking the turn", err)
}

// tell writes who holds the turn, for those that wait. The lock holds without it.
func (l *TurnLock) tell(h Holder) {
	l.ses.mu.Lock()
	l.ses.holder, l.ses.inTurn = h, nil
	l.ses.mu.Unlock()
	if l.file == nil {
		return
	}
	data, err := json.Marshal(h)
	if err == nil {
		err = l.store.root.WriteAtomic(locksDir+"/"+l.ses.name+holderSuffix, data, false) // a crash frees the lock, the name goes with it
	}
	if err != nil {
		l.store.logger.Warn("others won't see who holds the turn", "session", l.ses.name, "err", err)
	}
}

// holder reads who holds the turn. Between taking a lock and telling it there is
// a moment when nobody is named.
func (s *Store) holder(ses *session) Holder {
	if s.root != nil {
		for try := range 5 {
			var h Holder
			data, err := s.root.ReadFile(locksDir + "/" + ses.name + holderSuffix)
			if err == nil && json.Unmarshal(data, &h) == nil {
				return h
			}
			time.Sleep(time.Duration(try) * 2 * time.Millisecond)
		}
	}
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if ses.holder.Who != "" {
		return ses.holder
	}
	return Holder{Who: "another program"}
}

// Unlock gives the lock back. It may be called more than once.
func (l *TurnLock) Unlock() {
	l.once.Do(func() {
		s := l.store
		s.endTurn(l.ses)
		s.mu.Lock()
		delete(s.turns, l)
		s.mu.Unlock()
		l.ses.mu.Lock()
		l.ses.holder, l.ses.inTurn = Holder{}, nil
		l.ses.mu.Unlock()
		if l.file != nil {
			if err := s.root.Remove(locksDir + "/" + l.ses.name + holderSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.logger.Debug("a turn's holder file stays", "session", l.ses.name, "err", err)
			}
			s.root.Unlock(l.file)
		}
		<-l.ses.turn
	})
}

// endTurn puts back what a save in the midst of the turn dropped of it.
func (s *Store) endTurn(ses *session) {
	ses.mu.Lock()
	wrote := len(ses.inTurn) > 0
	ses.mu.Unlock()
	if !wrote {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), wholefile.LockPatience)
	defer cancel()
	_, err := outsideSaves(ctx, halfSaveTakes, func(anyway bool) (struct{}, error) {
		return struct{}{}, s.putBackTurn(ctx, ses, anyway)
	})
	if err != nil {
		s.logger.Warn("what a save dropped of a turn that just ended could not be put back", "session", ses.name, "err", err)
	}
}

func (s *Store) putBackTurn(ctx context.Context, ses *session, anyway bool) error {
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	ses.anyway = anyway
	if err := s.refresh(ses); err != nil || !ses.rewrote {
		return err
	}
	_, err = s.appendFile(ctx, ses, nil)
	return err
}

// lockFile takes the short lock that every append holds. It is a file of its own,
// never the transcript: editors save by rename.
func (s *Store) lockFile(ctx context.Context, name string) (release func(), err error) {
	if err := transcript.CheckName(name); err != nil {
		return nil, err
	}
	return s.root.Lock(ctx, name)
}

// LockCompaction makes this process the only one that summarises the session. It waits
// until ctx ends. An in-memory session needs no lock file.
func (s *Store) LockCompaction(ctx context.Context, session string) (release func(), err error) {
	if s.IsPrivate(session) {
		return func() {}, nil
	}
	if err := s.root.Check(); err != nil {
		return nil, err
	}
	lock := s.root.NewLock(session + compactSuffix)
	if _, err := lock.TryLockContext(ctx, wholefile.LockRetry); err != nil {
		return nil, wholefile.Explain("locking the compaction", err)
	}
	return func() { s.root.Unlock(lock) }, nil
}
