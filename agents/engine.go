package agents

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/fetch"
	"mac-stats/agents/prompt"
)

// Engine runs turns. A process has one; it is safe for concurrent use.
type Engine struct {
	p      Params
	guides prompt.Guides
	log    *slog.Logger
	fetch  *fetch.Fetcher
	after  *background.Work // work on sessions between their turns

	mu     sync.Mutex // guards the fields below
	runs   map[string][]*Run
	closed bool
	ahead  preparing
	// What one turn leaves for the next.
	memory map[string]string   // each memory file's text as the last turn sent it, by path
	last   map[string]lastTurn // by session

	small    sync.Map       // models reported as too small for tools
	work     sync.WaitGroup // runs and their searches
	prepares sync.WaitGroup
}

// NewEngine returns an engine. It panics if a required field of p or a prompt is
// missing.
func NewEngine(p Params) *Engine {
	if p.Store == nil || p.Memory == nil || p.Registry == nil || p.Chat == nil || p.Models == nil || p.Prompts == nil || p.Settings == nil {
		panic("agents: NewEngine needs Store, Memory, Registry, Chat, Models, Prompts and Settings")
	}
	guides, err := prompt.LoadGuides(p.Prompts)
	if err != nil {
		panic("agents: " + err.Error())
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	if p.RecallTime == nil {
		p.RecallTime = func() time.Duration { return 0 }
	}
	e := &Engine{
		p: p, guides: guides, log: p.Logger, fetch: fetch.New(fetch.IsRemote), runs: map[string][]*Run{},
		memory: map[string]string{}, last: map[string]lastTurn{},
	}
	if p.Small == nil {
		p.Small = background.NewSmallModel(p.Chat, p.Models, p.Prompts, func() background.Settings { return p.Settings().Small() })
	}
	p.Small.Follow(e.next)
	e.after = background.NewWork(background.Config{
		Store: p.Store, Compactor: p.Compactor, Small: p.Small,
		Titles: func() bool { return p.Settings().AutoTitle }, Loaded: p.Loaded,
		Busy:      func(session string) bool { return e.Active(session) != nil },
		Compacted: p.Compacted, Named: p.Named, Logger: p.Logger,
		Rested: e.rested,
	})
	return e
}

// Start begins a turn and returns at once. Cancelling ctx stops the turn, as Stop does.
// The turns of one session run one after the other, in the order of Start.
func (e *Engine) Start(ctx context.Context, req Request) *Run {
	if req.Holder == "" {
		req.Holder = "mac-stats"
	}
	ctx, cancel := context.WithCancel(ctx)
	run := newRun(req, cancel)
	e.mu.Lock()
	e.stopPreparing()
	if waiting := e.runs[req.Session]; len(waiting) > 0 {
		run.previous = waiting[len(waiting)-1]
	}
	e.runs[req.Session] = append(e.runs[req.Session], run)
	end := cancel
	if e.closed {
		cancel() // Close doesn't wait for it
	} else {
		e.work.Add(1)
		end = func() { cancel(); e.work.Done() }
	}
	e.mu.Unlock()
	e.after.Stop(req.Session)
	go func() {
		defer end()
		newTurn(e, run, req).serve(ctx)
	}()
	return run
}

// Active returns the session's running turn in this process, or nil. It never returns a
// queued one.
func (e *Engine) Active(session string) *Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	if runs := e.runs[session]; len(runs) > 0 {
		return runs[0]
	}
	return nil
}

// Busy reports whether a turn is running in this process.
func (e *Engine) Busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.runs) > 0
}

// Close stops all runs and waits for them; their partial answers are kept. A run that is
// started later is cancelled at once.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.stopPreparing()
	for _, runs := range e.runs {
		for _, r := range runs {
			r.Stop()
		}
	}
	e.mu.Unlock()
	e.after.Close()
	e.prepares.Wait()
	e.work.Wait()
	return nil
}

// forget removes a finished run from its session's queue.
func (e *Engine) forget(run *Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	runs := slices.DeleteFunc(e.runs[run.session], func(r *Run) bool { return r == run })
	if len(runs) == 0 {
		delete(e.runs, run.session)
		return
	}
	e.runs[run.session] = runs
}
