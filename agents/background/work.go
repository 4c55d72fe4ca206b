package background

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/session"
)

// Compactor shortens a session's context with a Summary; compact.Compaction is one.
type Compactor interface {
	Snapshot(ctx context.Context, session, before string) (session.Snapshot, compact.Policy, error)
	Compact(ctx context.Context, snap session.Snapshot, keep int) (compact.Result, error)
	Renew(ctx context.Context, session string) (compact.Result, error)
}

// Config configures Work. Fields are required unless marked optional.
type Config struct {
	Store     *sessionmem.Store
	Compactor Compactor // optional
	Small     *SmallModel
	// Titles reports whether the small model names new sessions, and Loaded whether a model
	// is in the server's memory, because none is loaded for a title. Loaded is optional:
	// without it, no session is named.
	Titles func() bool
	Loaded func(ctx context.Context, model string) bool
	// Busy reports whether the session has a running turn, which does the work itself.
	Busy      func(session string) bool
	Compacted func(compact.Result) // called after each compaction, including one that failed after saving lessons (no Summary); optional
	Named     func(session string) // called when a session got a title; optional
	Rested    func(session string) // called when the work on a session is done; optional
	Logger    *slog.Logger
}

// Work names new sessions and summarises those that are due, after their turns. Safe for
// concurrent use.
type Work struct {
	c Config

	mu       sync.Mutex // guards the fields below
	sessions map[string]*task
	closed   bool
	running  sync.WaitGroup
}

// task is the work on one session.
type task struct {
	ctx  context.Context
	stop func()
	over chan struct{} // closed when it ends

	again bool // it must be repeated; guarded by Work.mu
}

// Filled reports how full a turn left its model's context.
type Filled struct {
	Percent float64
	History int // cap of the history in tokens; 0 if unknown
}

// NewWork returns a Work. Nothing runs until Begin.
func NewWork(c Config) *Work { return &Work{c: c, sessions: map[string]*task{}} }

// Begin starts the work on a session that was written to, until Stop or Close.
func (w *Work) Begin(session string, last Filled) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(session, last)
}

// begin is Begin; the caller holds mu.
func (w *Work) begin(name string, last Filled) {
	before := w.sessions[name]
	switch {
	case w.closed || w.c.Busy(name):
		return
	case before != nil && before.ctx.Err() == nil:
		before.again = true // it may have read the session before the change
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	own := &task{ctx: ctx, stop: stop, over: make(chan struct{})}
	w.sessions[name] = own
	w.running.Go(func() {
		defer w.end(name, own)
		if before != nil { // it was stopped but may still be using the session
			<-before.over
		}
		w.name(ctx, name)
		err := w.compact(ctx, name, last)
		if err != nil && ctx.Err() == nil && !errors.Is(err, session.ErrStale) && !errors.Is(err, compact.ErrBusy) {
			w.c.Logger.Warn("a session could not be summarised", "session", name, "err", err)
		}
		if ctx.Err() == nil && w.c.Rested != nil {
			w.c.Rested(name)
		}
	})
}

func (w *Work) end(session string, own *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	again := own.again && own.ctx.Err() == nil // a turn that stopped it will begin it again
	own.stop()
	if w.sessions[session] == own {
		delete(w.sessions, session)
	}
	close(own.over)
	if again {
		w.begin(session, Filled{})
	}
}

// Stop cancels the work on a session without waiting: a turn starts, and the user comes
// first.
func (w *Work) Stop(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if own := w.sessions[session]; own != nil {
		own.stop()
	}
}

// Close stops all work and waits for its end.
func (w *Work) Close() {
	w.mu.Lock()
	w.closed = true
	for _, own := range w.sessions {
		own.stop()
	}
	w.mu.Unlock()
	w.Wait()
}

// Wait waits until no work is running.
func (w *Work) Wait() { w.running.Wait() }

// name gives a session a title once, after its first answer. It loads no model, and nobody
// waits for it; if it fails, the words of the first message stay the title.
func (w *Work) name(ctx context.Context, session string) {
	if w.c.Loaded == nil || !w.c.Titles() {
		return
	}
	window, err := w.c.Store.Context(ctx, session)
	if err != nil || !lacksTitle(window) {
		return
	}
	title, by := w.c.Small.Title(ctx, session, w.c.Loaded, window.Messages[0], window.Messages[1])
	if title == "" {
		return
	}
	if named, err := w.c.Store.SuggestTitle(ctx, session, title, by); err != nil {
		w.c.Logger.Debug("a session got no title", "session", session, "err", err)
	} else if named && w.c.Named != nil {
		w.c.Named(session)
	}
}

// compact summarises a session that is due.
func (w *Work) compact(ctx context.Context, name string, last Filled) error {
	if w.c.Compactor == nil {
		return nil
	}
	if done, err := w.c.Compactor.Renew(ctx, name); err == nil && w.c.Compacted != nil {
		w.c.Compacted(done)
	} else if err != nil && !errors.Is(err, session.ErrNothing) {
		w.c.Logger.Info("a Summary that lost something is not made anew yet", "session", name, "err", err)
	}
	snap, policy, err := w.c.Compactor.Snapshot(ctx, name, "")
	if err != nil || !policy.Due(snap.Since, last.Percent) || snap.Covered(policy.KeepRecent) == 0 {
		return err
	}
	if last.History > 0 {
		policy.KeepTokens = min(policy.KeepTokens, last.History/2)
	}
	done, err := w.c.Compactor.Compact(ctx, snap, policy.Keep(snap))
	learnt := len(done.Lessons.Written)+len(done.Lessons.Proposed) > 0
	if (err == nil || learnt) && w.c.Compacted != nil {
		w.c.Compacted(done)
	}
	return err
}
