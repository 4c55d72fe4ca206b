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

// base is what all turns of a process stand on: what the Engine was given, and what one
// turn leaves for the next. It knows no turn.
type base struct {
	p      Params
	guides prompt.Guides
	log    *slog.Logger
	fetch  *fetch.Fetcher

	mu     sync.Mutex        // guards what follows
	memory map[string]string // text of each memory file as the last turn sent it, by path
	small  map[string]bool   // models of which was said that they are too small for tools
	shown  map[string]string // the first message of the history as the last turn sent it, by session
}

// wasSmall reports whether it was said of a model that it is too small for tools, and
// notes that it was.
func (b *base) wasSmall(model string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	told := b.small[model]
	b.small[model] = true
	return told
}

// mostShown is of how many sessions is kept what was shown last.
const mostShown = 1000

// showed keeps from which message on a session's history was sent.
func (b *base) showed(session, first string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.shown) >= mostShown {
		clear(b.shown)
	}
	b.shown[session] = first
}

// shownFrom is the first message of the history as it was sent last; "" where that
// is not known.
func (b *base) shownFrom(session string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shown[session]
}

// memoryChanged compares a memory file with what an earlier turn of this process
// sent and counts the lines that came and went; ok is false where it is the same
// or was not sent beforb.
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

// lineChanges counts the lines that only one of two texts holds.
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
