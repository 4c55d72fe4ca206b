package compact

import (
	"context"
	"errors"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// ErrBusy means that another goroutine or process is summarising the session.
var ErrBusy = errors.New("the conversation is being summarised already")

// compactPatience is how long a compaction that was just stopped may take to end.
const compactPatience = 300 * time.Millisecond

// lock makes this compaction the only one of the session, here and in other processes: two
// would ask the model for the same, and learn the same twice in different words. It doesn't
// wait: what the other one does is done.
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
	release, err := c.c.Store.Session(session).Summaries().Lock(wait)
	if err != nil {
		c.end(session)
		if wait.Err() != nil {
			err = busyOr(ctx)
		}
		return nil, err
	}
	return func() { release(); c.end(session) }, nil
}

func busyOr(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrBusy
}

// begin claims the session among the goroutines of this process.
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
