package pages

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/agents/registry"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
)

// bench is a window for one page, on real files; it is the page's host.
type bench struct {
	*screentest.Screen
	t       testing.TB
	parts   Parts
	edits   *Edits
	store   *sessionmem.Store
	page    fyne.CanvasObject
	tries   tries
	context int // tokens
	waiting int // proposals
	notices []string
	opened  []string
}

// newBench returns an empty window, and a data folder with one agent.
func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{Screen: screentest.New(t), t: t}
	b.Win = test.NewTempWindow(t, nil)
	b.Win.Resize(fyne.NewSize(980, 700))
	root := t.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	b.store = store
	b.parts = Parts{
		Sessions: store, Start: b.tries.start, Config: config.Default, Set: func(string, string) error { return nil }, Decided: func() {},
		Logger: slog.New(slog.DiscardHandler),
	}
	b.inFolder(root, nil)
	return b
}

// inFolder sets the data folder of the pages, and the shipped files.
func (b *bench) inFolder(root string, shipped fstest.MapFS) {
	if shipped == nil {
		shipped = fstest.MapFS{"agents/agent-000/agent.json": {Data: []byte(`{"name": "Orchestrator"}`)}, "agents/agent-000/skill.md": {Data: []byte("Help.\n")}}
		for name, f := range shipped {
			writeOutside(b.t, filepath.Join(root, name), string(f.Data))
		}
	}
	b.parts.Home = root
	b.parts.Memories = memory.New(memory.Config{Root: root, Shipped: shipped})
	b.parts.Roster = registry.New(registry.Config{Root: root, Defaults: shipped})
	b.edits = NewEdits(b, b.parts.Memories)
}

// shows puts a page into the window.
func (b *bench) shows(page *fyne.Container) {
	b.page = page
	b.Win.SetContent(page)
	b.Settle()
}

func (b *bench) Visible() bool                             { return true }
func (b *bench) Notify(words, more string)                 { b.notices = append(b.notices, words+": "+more) }
func (b *bench) OpenFile(path string)                      { b.opened = append(b.opened, path) }
func (b *bench) OpenSession(name string)                   { b.opened = append(b.opened, name) }
func (b *bench) SessionTitle(name string) string           { return "about " + name }
func (b *bench) Copy(string)                               {}
func (b *bench) ContextSize() int                          { return b.context }
func (b *bench) ShowProposals(n int)                       { b.waiting = n }
func (b *bench) EditsChanged()                             {}
func (b *bench) ModelMenu(string, func(string)) *fyne.Menu { return fyne.NewMenu("") }

// tries are the prompts tried with agents.
type tries struct {
	mu       sync.Mutex
	requests []agents.Request
	runs     []*try
}

func (s *tries) start(_ context.Context, req agents.Request) conversation.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &try{events: make(chan agents.Event, 16)}
	s.requests, s.runs = append(s.requests, req), append(s.runs, r)
	return r
}

// try is a prompt being answered; the test sends its events.
type try struct {
	conversation.Run
	events  chan agents.Event
	stopped bool
}

func (r *try) Stop()                                      { r.stopped = true }
func (r *try) Events(context.Context) <-chan agents.Event { return r.events }

// pushes presses the button with this label.
func (b *bench) pushes(words string) {
	b.t.Helper()
	b.Pushes(b.page, words)
}
