// Package setup brings a window to its first answer: it watches the model server, and shows
// what is missing.
//
// The server is asked when the window is shown, when a turn failed for want of it, when
// somebody presses Re-check, and every few seconds while it is down and somebody looks. What
// is missing (the server, a model, a model worth asking) is a card with the way to get it:
// below the conversation, and at the first run on a page of its own, which leads to the chat
// by itself as soon as nothing is missing. It changes no setting and starts no program; a
// model is downloaded only where a person asks for it. The window and the page of models
// call it, on the UI goroutine.
package setup

import (
	"context"
	"fmt"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/ui/column"
)

// Host is what it needs of the window.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Canvas() fyne.Canvas
	Visible() bool         // the window is on the screen
	MachineMemory() uint64 // bytes; 0: not known
	OpenLink(address string)
	Copy(text string)
	Demo() func()    // starts the demo; nil where there is none
	Welcoming() bool // the first page is on the screen
	LeaveWelcome()   // for the chat
	// ServerSays is the server's state in a few words.
	ServerSays(words string, down bool)
	SetupChanged()         // Cards may give others
	PullChanged(done bool) // a download goes on; done: there is a model that was not
}

// Server is the model server. Its methods are called off the UI goroutine.
type Server interface {
	Models(ctx context.Context) ([]ollama.ModelInfo, error)
	ModelsNow(ctx context.Context) ([]ollama.ModelInfo, error)
	Pull(ctx context.Context, model string, progress func(ollama.Progress)) error
	Version(ctx context.Context) (string, error)
	Address() string
}

// Setup is what is known of the server, and what shows it.
type Setup struct {
	Puller  *models.Puller
	View    *column.Viewport // the first page
	host    Host
	server  Server
	home    string // the data folder
	state   state
	at      time.Time // of the last look
	seen    bool      // it has answered before: it is installed
	pulled  bool      // a model, by somebody in this window
	recheck *recheckState
}

// New asks nothing yet.
func New(h Host, s Server, home string) *Setup {
	u := &Setup{host: h, server: s, home: home, View: column.NewViewport(), recheck: newRecheckState()}
	u.View.Follow, u.View.Fixed = false, true
	u.Puller = models.NewPuller(h, u.pull, u.pullChanged)
	return u
}

// Models are those of the server, as they were at the last look.
func (s *Setup) Models() []ollama.ModelInfo { return s.state.models }

// Seen reports whether the server has answered before: it is installed.
func (s *Setup) Seen() bool { return s.seen }

// Key is all that the cards depend on, but for the arguments of Cards.
func (s *Setup) Key() string {
	st := &s.state
	return fmt.Sprintln(s.host.MachineMemory(), st.checked, st.down != nil, st.modelsErr != nil, st.address, len(models.ForChat(st.models)), s.Puller.Phase())
}
