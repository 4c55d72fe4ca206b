package agents

import (
	"cmp"
	"context"
	"errors"
	"time"

	"mac-stats/agents/ollama"
)

// A server reads a prompt from the first difference to the one before. After a Summary, a cut
// or a removed line of memory, when a conversation is opened, or when another one was
// answered meanwhile, the beginning of the next request is known before anybody sends it.
// The engine then has it read in advance, while nobody waits. A private conversation is no
// exception: the server on this machine gets what its next message sends anyway, and nothing
// of it is written or kept as text.

// PromptCache is what the model server keeps of the prompts that it has read; ollama.Client
// knows it.
type PromptCache interface {
	Expect(req ollama.ChatRequest) ollama.Reading
	Kept(req ollama.ChatRequest)
	Prepare(ctx context.Context, req ollama.ChatRequest, o ollama.PrepareOptions) (bytes int, err error)
}

const (
	// askedFor is how long a session that was asked in a terminal counts as the one that goes
	// on.
	askedFor = 5 * time.Minute
	// typedFor is how long somebody who types isn't noticed again.
	typedFor = time.Minute
)

// preparing is the state of the reading in advance; Engine.mu guards it.
type preparing struct {
	view    string // the session that a window shows
	asked   string // the session that was last asked in a terminal
	askedAt time.Time
	typedAt time.Time

	stop    context.CancelFunc // ends the running one; nil if none runs
	session string             // the next to prepare; "" for none
	load    bool               // its model may be loaded
}

// Attend records which session a window shows, "" for none, and has its next request
// prepared. That of another session isn't read any further.
func (e *Engine) Attend(session string) {
	e.mu.Lock()
	if session != e.ahead.view {
		e.stopPreparing()
		e.ahead.typedAt = time.Time{} // whoever types now does so in this one
	}
	e.ahead.view = session
	e.mu.Unlock()
	e.prepareSoon(session, false)
}

// Typing has the next request of the session in view prepared, and its model loaded,
// because somebody begins to type.
func (e *Engine) Typing() {
	e.mu.Lock()
	session, again := e.ahead.view, time.Since(e.ahead.typedAt) < typedFor
	e.ahead.typedAt = time.Now()
	e.mu.Unlock()
	if !again {
		e.prepareSoon(session, true)
	}
}

// Asked is CompactSoon for a session of which another process has answered a message in a
// terminal, so that it goes on. The server keeps what that process sent: a step of reading it
// in advance would make it drop the rest.
func (e *Engine) Asked(session string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.ahead.asked, e.ahead.askedAt = session, time.Now()
	e.prepares.Go(func() { e.goOn(session) })
}

// goOn notes what another process had the server read for the session, and does what follows a
// turn.
func (e *Engine) goOn(session string) {
	if in, err := e.next(context.Background(), session); err == nil && e.p.Cache != nil {
		e.p.Cache.Kept(in.Request)
	}
	e.CompactSoon(session)
}

// MemoryChanged has the next request prepared that a changed memory, or what was forgotten,
// changes. What is being prepared may hold a line that was removed, so it ends at once.
func (e *Engine) MemoryChanged() {
	e.mu.Lock()
	e.stopPreparing()
	session := cmp.Or(e.ahead.view, e.ahead.asked)
	e.mu.Unlock()
	e.prepareSoon(session, false)
}

// rested has the next request prepared after a turn and its background work: that of this
// session, or of the one that goes on, whose beginning the server may have dropped for it.
func (e *Engine) rested(session string) {
	e.mu.Lock()
	if session != e.ahead.view && session != e.ahead.asked {
		session = cmp.Or(e.ahead.view, e.ahead.asked)
	}
	e.mu.Unlock()
	e.prepareSoon(session, false)
}

// prepareSoon has the session's next request prepared, if it is the one that goes on.
func (e *Engine) prepareSoon(session string, load bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	a := &e.ahead
	goesOn := session != "" && (session == a.view || session == a.asked && time.Since(a.askedAt) < askedFor)
	if e.p.Cache == nil || !e.p.Background || e.closed || !goesOn || len(e.runs) > 0 {
		return
	}
	a.session, a.load = session, load
	if a.stop != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	e.prepares.Go(func() {
		defer stop()
		for e.prepareNext(ctx) {
		}
	})
}

// stopPreparing ends the reading in advance: somebody needs the server. The caller holds mu.
func (e *Engine) stopPreparing() {
	e.ahead.session = ""
	if e.ahead.stop != nil {
		e.ahead.stop()
		e.ahead.stop = nil
	}
}

// prepareNext prepares the session that waits for it. It returns false if there is none.
func (e *Engine) prepareNext(ctx context.Context) bool {
	e.mu.Lock()
	session, load := e.ahead.session, e.ahead.load
	switch {
	case ctx.Err() != nil:
		session = "" // it was stopped; another one may run
	case session == "":
		e.ahead.stop = nil
	default:
		e.ahead.session = ""
	}
	e.mu.Unlock()
	if session == "" {
		return false
	}
	mayNot := func() bool { // a turn may run in another process
		return e.p.Store.Sessions().InTurn() || e.p.MayPrepare != nil && !e.p.MayPrepare(ctx)
	}
	if mayNot() {
		return true
	}
	in, err := e.next(ctx, session)
	if err != nil {
		e.log.Debug("the next request isn't prepared", "session", session, "err", err)
		return true
	}
	o := ollama.PrepareOptions{Load: load, Stop: mayNot}
	begun := false
	if e.p.Prepares != nil {
		o.Begins = func() {
			begun = true
			e.p.Prepares(in.Request.Model)
		}
	}
	bytes, err := e.p.Cache.Prepare(ctx, in.Request, o)
	if begun {
		e.p.Prepares("")
	}
	switch {
	case err != nil && !errors.Is(err, ollama.ErrAside) && !errors.Is(err, ollama.ErrBusy) && !errors.Is(err, ollama.ErrNotLoaded) && ctx.Err() == nil:
		e.log.Info("the next request could not be prepared", "session", session, "err", err)
	case bytes > 0:
		e.log.Debug("the next request is prepared", "session", session, "bytes", bytes, "whole", err == nil)
	}
	return true
}
