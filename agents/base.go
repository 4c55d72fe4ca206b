package agents

import (
	"context"
	"io/fs"
	"log/slog"
	"strings"
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
	Recall   func() (passages.Searcher, error)                       // searches earlier conversations; optional
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

// base holds what all turns of a process share: the engine's parameters, and what one
// turn leaves for the next. It knows no turn.
type base struct {
	p      Params
	guides prompt.Guides
	log    *slog.Logger
	fetch  *fetch.Fetcher

	mu     sync.Mutex        // guards the fields below
	memory map[string]string // each memory file's text as the last turn sent it, by path
	small  map[string]bool   // models reported as too small for tools
	shown  map[string]string // ID of the first message that the last turn sent, by session
	places map[string]*Place // of the last turn, by session
}

// placeOf returns where the session's last message came from, nil for the owner.
func (b *base) placeOf(session string) *Place {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.places[session]
}

// wasSmall reports whether the model was already reported as too small for tools, and
// records that it is now.
func (b *base) wasSmall(model string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	told := b.small[model]
	b.small[model] = true
	return told
}

// cameFrom records where a session's message came from.
func (b *base) cameFrom(session string, p *Place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.places) >= maxShown {
		clear(b.places)
	}
	if p != nil {
		b.places[session] = p
	}
}

// maxShown limits the number of sessions in base.shown and base.places.
const maxShown = 1000

// showed records the first message of the history that was sent for a session.
func (b *base) showed(session, first string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.shown) >= maxShown {
		clear(b.shown)
	}
	b.shown[session] = first
}

// shownFrom returns the first message of the history that was last sent, or "" if it is
// unknown.
func (b *base) shownFrom(session string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shown[session]
}

// memoryChanged compares a memory file with the text that an earlier turn of this
// process sent, and counts the added and removed lines. ok is false if the text is the
// same or wasn't sent before.
func (b *base) memoryChanged(f memory.File) (added, removed int, ok bool) {
	b.mu.Lock()
	before, known := b.memory[f.Path]
	b.memory[f.Path] = f.Text
	b.mu.Unlock()
	if !known || before == f.Text {
		return 0, 0, false
	}
	added, removed = lineChanges(before, f.Text)
	return added, removed, true
}

// lineChanges counts the lines that only one of the two texts has.
func lineChanges(before, after string) (added, removed int) {
	counts := map[string]int{}
	for line := range strings.Lines(before) {
		counts[strings.TrimRight(line, "\n")]++
	}
	for line := range strings.Lines(after) {
		line = strings.TrimRight(line, "\n")
		if counts[line] > 0 {
			counts[line]--
			continue
		}
		added++
	}
	for _, n := range counts {
		removed += n
	}
	return added, removed
}
