package agents

import (
	"context"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/fetch"
	"mac-stats/agents/passages"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
)

// Params is what an Engine needs. Optional fields say so.
type Params struct {
	Store    *sessionmem.Store
	Memory   *memory.Memory
	Registry *registry.Registry
	Chat     background.ChatModel
	Models   background.ModelResolver
	Prompts  fs.FS // assets: prompts/*.md
	Settings func() Settings
	Vitals   func() string                                           // one line for the prompt; optional
	Stats    func(ctx context.Context, topic string) (string, error) // SYSTEM_STATS; optional
	Recall   func() (passages.Searcher, error)                       // finds what was said before; optional
	// RecallTime is how long a turn waits for what was said before, 150 ms where it is nil or 0.
	RecallTime func() time.Duration
	// Answers are what a person allowed for longer than a call; optional: without them no
	// answer lasts.
	Answers *tools.Answers
	// Outside gives the tools that act outside this program, as they are now; optional.
	// It may wait for other programs, until ctx ends.
	Outside   func(ctx context.Context) []tools.Guarded
	Compactor background.Compactor // optional
	// Background: a session that is due is summarised after its turn, until its next
	// one comes. Without it (a command, which ends with its turn) the next turn does
	// it first and says so.
	Background bool
	Compacted  func(compact.Result) // told of each one in the background, also of one that learnt something and then failed (no Summary); optional
	// Loaded tells whether a model is in the server's memory; optional: without it no
	// session is named by a model.
	Loaded func(ctx context.Context, model string) bool
	Named  func(session string) // a session got a title in the background; optional
	Ended  func(session string) // a turn has ended, well or not; optional
	Logger *slog.Logger         // optional
}

// Engine runs turns. One a process; safe for concurrent use.
type Engine struct {
	p      Params
	guides prompt.Guides
	log    *slog.Logger
	fetch  *fetch.Fetcher
	after  *background.Work // on sessions, between their turns

	mu     sync.Mutex // guards what follows
	runs   map[string][]*Run
	memory map[string]string // text of each memory file as the last turn sent it, by path
	small  map[string]bool   // models of which was said that they are too small for tools
	shown  map[string]string // the first message of the history as the last turn sent it, by session
	closed bool
	work   sync.WaitGroup // runs, and their searches
}

// NewEngine panics where a required field of p, or a prompt, is missing.
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
		p: p, guides: guides, log: p.Logger, fetch: fetch.New(fetch.IsRemote),
		runs: map[string][]*Run{}, memory: map[string]string{}, small: map[string]bool{}, shown: map[string]string{},
	}
	e.after = background.NewWork(background.Config{
		Store: p.Store, Compactor: p.Compactor, Small: background.NewSmallModel(p.Chat, p.Models, p.Prompts, func() background.Settings { return p.Settings().Small() }),
		Titles: func() bool { return p.Settings().AutoTitle }, Loaded: p.Loaded,
		Busy:      func(session string) bool { return e.Active(session) != nil },
		Compacted: p.Compacted, Named: p.Named, Logger: p.Logger,
	})
	return e
}

// Start begins a turn and returns at once. Ending ctx stops the turn as Stop does.
// Turns of one session run one after the other, in the order of Start.
func (e *Engine) Start(ctx context.Context, req Request) *Run {
	if req.Holder == "" {
		req.Holder = "mac-stats"
	}
	ctx, cancel := context.WithCancel(ctx)
	run := newRun(req, cancel)
	e.mu.Lock()
	if waiting := e.runs[req.Session]; len(waiting) > 0 {
		run.before = waiting[len(waiting)-1]
	}
	e.runs[req.Session] = append(e.runs[req.Session], run)
	end := cancel
	if e.closed {
		cancel() // nobody waits for it
	} else {
		e.work.Add(1)
		end = func() { cancel(); e.work.Done() }
	}
	e.mu.Unlock()
	e.after.Stop(req.Session)
	go func() {
		defer end()
		newTurn(e, run, req).run(ctx)
	}()
	return run
}

// Active gives the run that works on the session in this process (not one that
// waits for it), or nil.
func (e *Engine) Active(session string) *Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	if runs := e.runs[session]; len(runs) > 0 {
		return runs[0]
	}
	return nil
}

// Busy reports whether a turn is under way in this process.
func (e *Engine) Busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.runs) > 0
}

// Close stops all runs and waits for them (their partial answers are kept). A run
// started later ends at once, cancelled.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	for _, runs := range e.runs {
		for _, r := range runs {
			r.Stop()
		}
	}
	e.mu.Unlock()
	e.after.Close()
	e.work.Wait()
	return nil
}

// forget takes a finished run out of its session's line.
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

// mostShown is of how many sessions is kept what was shown last.
const mostShown = 1000

// showed keeps from which message on a session's history was sent.
func (e *Engine) showed(session, first string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.shown) >= mostShown {
		clear(e.shown)
	}
	e.shown[session] = first
}

// shownFrom is the first message of the history as it was sent last; "" where that
// is not known.
func (e *Engine) shownFrom(session string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.shown[session]
}

// memoryChanged compares a memory file with what an earlier turn of this process
// sent and counts the lines that came and went; ok is false where it is the same
// or was not sent before.
func (e *Engine) memoryChanged(f memory.File) (added, removed int, ok bool) {
	e.mu.Lock()
	before, known := e.memory[f.Path]
	e.memory[f.Path] = f.Text
	e.mu.Unlock()
	if !known || before == f.Text {
		return 0, 0, false
	}
	added, removed = lineChanges(before, f.Text)
	return added, removed, true
}
