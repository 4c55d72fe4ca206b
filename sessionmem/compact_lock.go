package sessionmem

import (
	"context"
	"errors"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// ErrCompacting: somebody else, of this process or another one, summarises the
// session now.
var ErrCompacting = errors.New("the conversation is being summarised already")

const (
	// compactSuffix ends the name of the lock of a session's compaction. A session's
	// name has no dot.
	compactSuffix = ".compact"
	// compactPatience is how long a compaction that was just stopped may take to end.
	compactPatience = 300 * time.Millisecond
)

// lock makes this compaction the only one of the session, here and in other
// processes: two would ask the model for the same, and learn the same twice in
// other words. It is not waited for: what the other one does is done.
func (c *Compaction) lock(ctx context.Context, session string) (unlock func(), err error) {
	wait, stop := context.WithTimeout(ctx, compactPatience)
	defer stop()
	for !c.begin(session) {
		select {
		case <-wait.Done():
			return nil, busyOr(ctx)
		case <-time.After(wholefile.LockRetry):
		}
	}
	end := func() { c.end(session) }
	store := c.c.Store
	if store.IsPrivate(session) {
		return end, nil
	}
	if err := store.root.check(); err != nil {
		end()
		return nil, err
	}
	file := wholefile.NewLock(store.lockPath(session + compactSuffix))
	switch ok, err := file.TryLockContext(wait, wholefile.LockRetry); {
	case ok:
		return func() { store.unlockFile(file); end() }, nil
	case err != nil && wait.Err() == nil:
		end()
		return nil, wholefile.Explain("locking the compaction", err)
	}
	end()
	return nil, busyOr(ctx)
}

func busyOr(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrCompacting
}

// begin takes the session among the goroutines of this process.
func (c *Compaction) begin(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[session] {
		return false
	}
	c.busy[session] = true
	return true
}

func (c *Compaction) end(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, session)
}
