package turn

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"

	"github.com/gofrs/flock"
)

// The ends of the names of a turn's lock file and of the file that names its holder. A
// session's name has no dot.
const (
	lockSuffix   = ".turn"
	HolderSuffix = lockSuffix + ".json"
)

// Holder describes who holds a turn.
type Holder struct {
	Who   string    `json:"who"` // "window", "command line", …
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// Turn is the turn of one session. It is safe for use by several goroutines.
type Turn struct {
	dir    *sessiondir.Dir // nil in memory
	name   string          // of the session
	logger *slog.Logger
	slot   chan struct{} // 1 place: taken by the goroutine that holds the lock file, or waits for it

	mu     sync.Mutex
	holder Holder // in this process; guarded by mu
}

// New returns the turn of a session; dir is nil if there are no files.
func New(dir *sessiondir.Dir, name string, logger *slog.Logger) *Turn {
	return &Turn{dir: dir, name: name, logger: logger, slot: make(chan struct{}, 1)}
}

// Options say how a turn is taken.
type Options struct {
	InMemory bool             // take no lock file
	Waiting  func(Holder)     // called once if another holds the turn; may be nil
	Without  func(error) bool // reports whether the turn may go on without its lock file after this error; nil: it may not
}

// Lock is a held turn.
type Lock struct {
	turn *Turn
	file *flock.Flock // nil without a lock file
}

// Take waits for the turn until ctx ends.
func (t *Turn) Take(ctx context.Context, who string, o Options) (*Lock, error) {
	wait := sync.OnceFunc(func() {
		if o.Waiting != nil {
			o.Waiting(t.otherHolder())
		}
	})
	if err := t.takeSlot(ctx, wait); err != nil {
		return nil, err
	}
	l := &Lock{turn: t}
	if !o.InMemory {
		err := l.lockFile(ctx, wait)
		if err != nil {
			l.file = nil
		}
		if err != nil && (ctx.Err() != nil || o.Without == nil || !o.Without(err)) {
			<-t.slot
			return nil, err
		}
	}
	l.announce(Holder{Who: who, PID: os.Getpid(), Since: time.Now()})
	return l, nil
}

// takeSlot orders the goroutines of this process.
func (t *Turn) takeSlot(ctx context.Context, wait func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t.slot <- struct{}{}:
		return nil
	default:
	}
	wait()
	select {
	case t.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lockFile orders the processes.
func (l *Lock) lockFile(ctx context.Context, wait func()) error {
	if err := l.turn.dir.Check(); err != nil {
		return err
	}
	l.file = l.turn.dir.NewLock(l.turn.name + lockSuffix)
	ok, err := l.file.TryLock()
	if err != nil || ok {
		return wholefile.Wrap("locking the turn", err)
	}
	wait()
	_, err = l.file.TryLockContext(ctx, wholefile.TurnRetry)
	return wholefile.Wrap("locking the turn", err)
}

// announce writes who holds the turn, for those who wait.
func (l *Lock) announce(h Holder) {
	l.turn.setHolder(h)
	if l.file == nil {
		return
	}
	data, err := json.Marshal(h)
	if err == nil {
		err = l.turn.dir.WriteAtomic(l.turn.holderFile(), data, false) // a crash frees the lock, the name goes with it
	}
	if err != nil {
		l.turn.logger.Warn("others won't see who holds the turn", "session", l.turn.name, "err", err)
	}
}

// HasFile reports whether the turn has its lock file: a session in memory has none.
func (l *Lock) HasFile() bool { return l.file != nil }

// Release releases the turn. Call it once.
func (l *Lock) Release() {
	t := l.turn
	t.setHolder(Holder{})
	if l.file != nil {
		if err := t.dir.RemoveIfThere(t.holderFile()); err != nil {
			t.logger.Debug("a turn's holder file stays", "session", t.name, "err", err)
		}
		t.dir.Unlock(l.file)
	}
	<-t.slot
}

// IsTaken reports whether a goroutine of this process holds the turn or waits for its lock
// file.
func (t *Turn) IsTaken() bool { return len(t.slot) > 0 }

// Holder returns who holds the turn in this process; Who is empty if nobody does.
func (t *Turn) Holder() Holder {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holder
}

func (t *Turn) setHolder(h Holder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holder = h
}

func (t *Turn) holderFile() string { return transcript.LocksDir + "/" + t.name + HolderSuffix }

// otherHolder reads who holds the turn. For a moment after a lock is taken nobody is named.
func (t *Turn) otherHolder() Holder {
	if t.dir != nil {
		for try := range 5 {
			var h Holder
			data, err := t.dir.ReadFile(t.holderFile())
			if err == nil && json.Unmarshal(data, &h) == nil {
				return h
			}
			time.Sleep(time.Duration(try) * 2 * time.Millisecond)
		}
	}
	if h := t.Holder(); h.Who != "" {
		return h
	}
	return Holder{Who: "other program"}
}

// AnyRuns reports whether any process holds the turn of a session of the folder. The name that
// a dead process left is removed: to look takes the lock for a moment, and a turn that begins
// then would be told to wait.
func AnyRuns(dir *sessiondir.Dir) bool {
	entries, err := os.ReadDir(dir.Path(transcript.LocksDir))
	if err != nil {
		return false // nobody ever had one
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		name, ok := strings.CutSuffix(e.Name(), HolderSuffix)
		if !ok {
			return false
		}
		lock := dir.NewLock(name + lockSuffix)
		free, err := lock.TryRLock() // the locks of dead processes are free
		if free {
			_ = os.Remove(dir.Path(transcript.LocksDir + "/" + e.Name())) // the next look tries again
			_ = lock.Unlock()
		}
		return err == nil && !free
	})
}
