package agents

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"mac-stats/agents/background"
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
