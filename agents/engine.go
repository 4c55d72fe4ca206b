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
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/linediff"
	"mac-stats/sessionmem/memory"
)

// Params configures an Engine. Fields are required unless marked optional.
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
	Recall   func() (Searcher, error)                                // searches earlier conversations; optional
	// RecallTime limits how long a turn waits for the search of earlier conversations;
	// 150 ms if it is nil or returns 0.
	RecallTime func() time.Duration
	// Answers are the permissions that a person gave for more than one call. Optional:
	// without it, no answer lasts.
	Answers *tools.Answers
	// Outside returns the tools that act outside this program, as they are now, and a
	// sentence for each program whose tools are missing; optional. It may wait for other
	// programs until ctx is done, and tells waiting for which. If waiting is nil, it starts
	// no program, and those that it would have to start are missing.
	Outside   func(ctx context.Context, waiting func(program string)) (list []tools.Guarded, missing []string)
	Compactor background.Compactor // optional
	// Small does the small work on sessions. Optional: without it, the engine makes its own.
	Small *background.SmallModel
	// Background reports whether a session that is due is summarised after its turn, until
	// its next turn starts. Otherwise, as in a command, which ends with its turn, the next
	// turn summarises first and shows that.
	Background bool
	Compacted  func(compact.Result) // called after each compaction in the background, including one that failed after saving lessons (no Summary); optional
	// Loaded reports whether a model is in the server's memory. Optional: without it, no
	// model names sessions.
	Loaded func(ctx context.Context, model string) bool
	// Cache is what the server keeps of its prompts. Optional: without it, no request is
	// prepared in advance.
	Cache PromptCache
	// MayPrepare reports whether requests may be prepared now; optional.
	MayPrepare func(ctx context.Context) bool
	// Prepares is called with the model when a request begins to be prepared, and with ""
	// when that ends; optional.
	Prepares func(model string)
	Named    func(session string) // called when a session got a title in the background; optional
	Ended    func(session string) // called when a turn ended, successfully or not; optional
	Logger   *slog.Logger         // optional
}

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

// CompactSoon summarises a session in the background if it is due, and then prepares the next
// request of the one that goes on. It is for sessions that another process has written to,
// which ended with its turn.
func (e *Engine) CompactSoon(session string) {
	e.workAfter(session, background.Filled{})
}

// workAfter names a new session and summarises one that is due, in the background, until
// the session's next turn or Close.
func (e *Engine) workAfter(session string, last background.Filled) {
	if e.p.Background {
		e.after.Begin(session, last)
	}
}

// lastTurn is what a session's last turn leaves for the next.
type lastTurn struct {
	first string // ID of the first message of the history that it sent; "" if unknown
	place *Place // where its message came from; nil for the owner's
}

// maxLast limits the number of sessions in Engine.last.
const maxLast = 1000

// lastTurn returns what the session's last turn left, after change, if that isn't nil.
func (e *Engine) lastTurn(session string, change func(*lastTurn)) lastTurn {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := e.last[session]
	if change != nil {
		if len(e.last) >= maxLast {
			clear(e.last)
		}
		change(&last)
		e.last[session] = last
	}
	return last
}

// memoryChanged compares a memory file with the text that an earlier turn of this
// process sent, and counts the added and removed lines. ok is false if the text is the
// same or wasn't sent before.
func (e *Engine) memoryChanged(f memory.File) (added, removed int, ok bool) {
	e.mu.Lock()
	before, known := e.memory[f.Path]
	e.memory[f.Path] = f.Text
	e.mu.Unlock()
	if !known || before == f.Text {
		return 0, 0, false
	}
	for _, line := range linediff.Lines(before, f.Text) {
		switch line.Op {
		case linediff.Added:
			added++
		case linediff.Removed:
			removed++
		}
	}
	return added, removed, true
}
