package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"

	"github.com/gofrs/flock"
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
	ses  *Session
	file *flock.Flock // nil for an in-memory session
	once sync.Once
}

// LockTurn takes the session's turn lock (a file lock held for the turn). While
// another holds it, waiting is called once with the holder; it may be nil. A lock
// whose process died is free. A checkpoint left in .partial/ by a dead holder is
// appended, marked interrupted, before LockTurn returns.
func (s *Session) LockTurn(ctx context.Context, who string, waiting func(Holder)) (*TurnLock, error) {
	return s.lockTurn(ctx, ctx, who, waiting)
}

// lockTurn is LockTurn that waits for the turn as long as patience lasts; what was
// interrupted is then put into the transcript however long that takes.
func (s *Session) lockTurn(ctx, patience context.Context, who string, waiting func(Holder)) (*TurnLock, error) {
	if err := transcript.CheckName(s.name); err != nil {
		return nil, err
	}
	l := &TurnLock{ses: s}
	wait := sync.OnceFunc(func() {
		if waiting != nil {
			waiting(l.holder())
		}
	})
	if err := l.take(patience, wait); err != nil {
		return nil, fmt.Errorf("waiting for the turn of %s: %w", s.name, err)
	}
	if !s.private.Load() {
		err := l.lockFile(patience, wait)
		if err != nil && s.onRefused != nil && isRefusal(err) && patience.Err() == nil {
			s.logger.Warn("a turn goes on without its lock file", "session", s.name, "err", err)
			l.file, err = nil, nil
		}
		if err != nil {
			<-s.turn
			return nil, fmt.Errorf("waiting for the turn of %s: %w", s.name, err)
		}
	}
	l.tell(Holder{Who: who, PID: os.Getpid(), Since: time.Now()})
	s.held.Store(l)
	if l.file != nil {
		if err := (recovery{s}).all(ctx); err != nil {
			s.logger.Warn("an interrupted answer could not be put into its transcript, it waits in its checkpoint", "session", s.name, "err", err)
		}
	}
	return l, nil
}

// lockFile orders the processes.
func (l *TurnLock) lockFile(ctx context.Context, wait func()) error {
	if err := l.ses.dir.Check(); err != nil {
		return err
	}
	l.file = l.ses.dir.NewLock(l.ses.name + turnSuffix)
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
		err = l.ses.dir.WriteAtomic(transcript.LocksDir+"/"+l.ses.name+holderSuffix, data, false) // a crash frees the lock, the name goes with it
	}
	if err != nil {
		l.ses.logger.Warn("others won't see who holds the turn", "session", l.ses.name, "err", err)
	}
}

// Unlock gives the lock back. It may be called more than once.
func (l *TurnLock) Unlock() {
	l.once.Do(func() {
		s := l.ses
		l.putBack()
		s.held.Store(nil)
		s.mu.Lock()
		s.holder, s.inTurn = Holder{}, nil
		s.mu.Unlock()
		if l.file != nil {
			if err := s.dir.Remove(transcript.LocksDir + "/" + s.name + holderSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.logger.Debug("a turn's holder file stays", "session", s.name, "err", err)
			}
			s.dir.Unlock(l.file)
		}
		<-s.turn
	})
}

// lockFile takes the short lock that every append holds. It is a file of its own,
// never the transcript: editors save by rename.
func (s *Session) lockFile(ctx context.Context) (release func(), err error) {
	if err := transcript.CheckName(s.name); err != nil {
		return nil, err
	}
	return s.dir.Lock(ctx, s.name)
}

// LockCompaction makes this process the only one that summarises the session. It waits
// until ctx ends. An in-memory session needs no lock file.
func (s *Session) LockCompaction(ctx context.Context) (release func(), err error) {
	if s.private.Load() {
		return func() {}, nil
	}
	if err := s.dir.Check(); err != nil {
		return nil, err
	}
	lock := s.dir.NewLock(s.name + compactSuffix)
	if _, err := lock.TryLockContext(ctx, wholefile.LockRetry); err != nil {
		return nil, wholefile.Explain("locking the compaction", err)
	}
	return func() { s.dir.Unlock(lock) }, nil
}

// TryTurn takes the session's turn if it is free, else gives ErrBusy and who
// holds it.
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

// take orders the goroutines of this process.
func (l *TurnLock) take(ctx context.Context, wait func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case l.ses.turn <- struct{}{}:
		return nil
	default:
	}
	wait()
	select {
	case l.ses.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// holder reads who holds the turn. Between taking a lock and telling it there is
// a moment when nobody is named.
func (l *TurnLock) holder() Holder {
	if l.ses.dir != nil {
		for try := range 5 {
			var h Holder
			data, err := l.ses.dir.ReadFile(transcript.LocksDir + "/" + l.ses.name + holderSuffix)
			if err == nil && json.Unmarshal(data, &h) == nil {
				return h
			}
			time.Sleep(time.Duration(try) * 2 * time.Millisecond)
		}
	}
	l.ses.mu.Lock()
	defer l.ses.mu.Unlock()
	if l.ses.holder.Who != "" {
		return l.ses.holder
	}
	return Holder{Who: "another program"}
}

// putBack puts back what a save in the midst of the turn dropped of it.
func (l *TurnLock) putBack() {
	l.ses.mu.Lock()
	wrote := len(l.ses.inTurn) > 0
	l.ses.mu.Unlock()
	if !wrote {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), wholefile.LockPatience)
	defer cancel()
	_, err := outsideSaves(ctx, halfSaveTakes, func(anyway bool) (struct{}, error) {
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
	l.ses.anyway = anyway
	if err := l.ses.refresh(); err != nil || !l.ses.rewrote {
		return err
	}
	_, err = l.ses.appendFile(ctx, nil)
	return err
}
