// Package setup checks the model server and shows what is missing for a first answer.
//
// It asks the server when the window is shown, when a turn couldn't reach it, when the user
// presses Re-check, and every few seconds while it is down and the window is visible. A card
// shows how to get what is missing: the server, a model, or a larger model. The card appears
// below the conversation and, at the first run, on a page of its own, which switches to the chat
// as soon as nothing is missing. The package changes no setting and starts no program. It
// downloads a model only when the user asks for it. The window and the models page call it on
// the UI goroutine.
package setup

import (
	"context"
	"fmt"
	"time"

	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// Host is what setup needs from the window.
type Host interface {
	kit.Window
	Visible() bool         // the window is on the screen
	MachineMemory() uint64 // bytes; 0 if unknown
	OpenLink(address string)
	Copy(text string)
	Demo() func()    // returns what starts the demo, or nil if there is none
	Welcoming() bool // the page of the first run is visible
	LeaveWelcome()   // shows the chat instead
	// ShowServer shows the server's state in a few words.
	ShowServer(words string, down bool)
	SetupChanged()         // the cards may have changed
	PullChanged(done bool) // a download progressed; done: the model is installed
}

// Server is the model server. Its methods are called off the UI goroutine.
type Server interface {
	Models(ctx context.Context) ([]ollama.ModelInfo, error)
	ModelsNow(ctx context.Context) ([]ollama.ModelInfo, error)
	Pull(ctx context.Context, model string, progress func(ollama.Progress)) error
	Version(ctx context.Context) (string, error)
	Address() string
}

// Setup holds what is known about the server, and the page of the first run.
type Setup struct {
	Puller  *models.Puller
	View    *column.Viewport // the page of the first run
	host    Host
	server  Server
	home    string // the data folder
	state   state
	at      time.Time // of the last check
	seen    bool      // the server has answered before, so it is installed
	pulled  bool      // the user has downloaded a model in this window
	recheck *recheckState
}

// New returns a Setup that has not asked the server yet.
func New(h Host, s Server, home string) *Setup {
	u := &Setup{host: h, server: s, home: home, View: column.NewViewport(), recheck: newRecheckState()}
	u.View.Follow, u.View.Fixed = false, true
	u.Puller = models.NewPuller(h, u.pull, u.pullChanged)
	return u
}

// Models returns the models of the server as of the last check.
func (s *Setup) Models() []ollama.ModelInfo { return s.state.models }

// Seen reports whether the server has answered before, so it is installed.
func (s *Setup) Seen() bool { return s.seen }

// Key returns everything the cards depend on except the arguments of Cards.
func (s *Setup) Key() string {
	st := &s.state
	return fmt.Sprintln(s.host.MachineMemory(), st.checked, st.down != nil, st.modelsErr != nil, st.address, len(models.ForChat(st.models)), s.Puller.Phase())
}
