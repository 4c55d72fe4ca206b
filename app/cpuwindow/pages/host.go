package pages

import (
	"context"
	"log/slog"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/agents/registry"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/memory"
)

// Host is what the pages need from their window. Except for Do and Context, its methods are
// called on the UI goroutine.
type Host interface {
	kit.Window
	Visible() bool // reports whether the window is on the screen
	Notify(words, more string)
	OpenFile(path string)    // opens a file in the system's default program
	OpenSession(name string) // shows where a memory was learned
	SessionTitle(name string) string
	Copy(text string) // copies to the clipboard
	ContextSize() int // context size of the shown chat's model, in tokens; 0 if unknown
	ModelMenu(chosen string, pick func(name string)) *fyne.Menu
	ShowProposals(n int) // shows the number of proposals in the inbox
	EditsChanged()       // called when the set of files with unsaved edits may have changed
}

// Parts holds what the pages work on; all fields are required.
type Parts struct {
	Memories Memories
	Roster   Roster
	Sessions Sessions
	Start    func(ctx context.Context, req agents.Request) conversation.Run
	Config   func() config.Config
	Set      func(key, value string) error // changes a setting; called off the UI goroutine
	Decided  func()                        // called when the user decided about missing lines
	Logger   *slog.Logger
	Home     string // the data folder
}

// SetAgent changes a setting in an agent's agent.json. One that has none gets the settings that
// it came with.
func (p Parts) SetAgent(ctx context.Context, a registry.Agent, key string, value any) error {
	o, err := p.Memories.OpenOwned(a.SettingsFile())
	if err != nil {
		return err
	}
	text := o.Text
	if o.Missing {
		if text, err = p.Roster.Text(a.SettingsFile()); err != nil {
			return err
		}
	}
	if text, err = registry.WithSetting(a.SettingsFile(), text, key, value); err != nil {
		return err
	}
	_, err = p.Memories.SaveOwned(ctx, o, text)
	return err
}

// Memories are the memory files; implemented by *memory.Memory.
type Memories interface {
	Copies() []string
	List() ([]memory.File, error)
	Path(t memory.Target) string
	Undo(ctx context.Context, undoID string) ([]memory.UndoStep, error)
	Accept(ctx context.Context, id string) (memory.Written, error)
	Discard(ctx context.Context, id string) (memory.Proposal, error)
	Edit(ctx context.Context, id, text string) (memory.Proposal, error)
	Inbox() ([]memory.Proposal, error)
	Append(ctx context.Context, l memory.Lesson) (memory.Written, error)
	Undoable() []memory.UndoStep
	Dropped() []memory.Dropped
	Restore(ctx context.Context, ids ...string) ([]memory.Written, error)
	KeepRemoved(ctx context.Context, ids ...string) error
	OpenOwned(path string) (memory.Owned, error)
	SaveOwned(ctx context.Context, o memory.Owned, text string) (memory.Owned, error)
	KeepUnsaved(u memory.Unsaved) error
	DropUnsaved(path string) error
	AllUnsaved() (map[string]memory.Unsaved, error)
}

// Roster holds the agents; implemented by *registry.Registry.
type Roster interface {
	Agents() []registry.Agent
	NotAgents() []string
	Skills() []registry.Skill
	Ships(id string) bool
	Text(file string) (string, error)
	Customise(ctx context.Context, path string) error
	Reset(ctx context.Context, selector string) (kept []string, err error)
	CheckName(name string) (slug string, err error)
	Create(ctx context.Context, name, like string) (registry.Agent, error)
	Delete(ctx context.Context, a registry.Agent) (trash string, err error)
	Restore(trash, path string) error
}

// Sessions answers a tried prompt, in a session that is never written.
type Sessions interface {
	NewName(source string) string
	SetPrivate(name string)
	Delete(ctx context.Context, name string) error
}
