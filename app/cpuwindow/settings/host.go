package settings

import (
	"context"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/recall"
)

// Host is what the page needs from its window. Except for Do and Context, its methods are
// called on the UI goroutine.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // is cancelled when the window closes
	Visible() bool            // reports whether the window is on the screen
	Notify(words, more string)
	OpenFile(path string) // opens a file in the system's default program
	Clipboard() string
	ChooseFile(title, confirm string, then func(path string))
	ChooseFolder(title, confirm string, then func(path string))
	ConfigChanged() // called after config.toml was written
	ShowTools()     // shows the page of permissions and servers
}

// Parts holds what the page works on; all fields but Discord are required.
type Parts struct {
	Config  func() config.Config
	Started func() config.Config // the configuration at the app's start; a restart applies the differences
	Environ func() []string
	Notices func() []Notice // the app's notices about its set-up
	Actions []shortcuts.Action
	Index   Index
	// Import imports the conversations of an export; dry only counts them. It is called off
	// the UI goroutine and reports how much of the file it has read.
	Import  func(ctx context.Context, file string, dry bool, progress func(percent, conversations int)) (Imported, error)
	Discord Bot // nil if there is no bot
	Home    string
	File    string // config.toml
	Version string
}

// Notice is something the user should know, and what to do about it.
type Notice struct{ Text, Next string }

// Index is the search index; implemented by *backend.Backend.
type Index interface {
	IndexStatus(ctx context.Context) (recall.Status, error)
	RebuildIndex(ctx context.Context) error
	PauseVectors(paused bool)
	VectorsNow()
	// ServerName returns the memory server's address, without a password.
	ServerName() string
	// TestServer connects to the memory server and returns its state, or nil if none is
	// set.
	TestServer(ctx context.Context) (*recall.ServerStatus, error)
}

// Bot is the Discord bot; implemented by *service.Service.
type Bot interface {
	Status() connection.Status
	Channels() *channels.File
	ChannelsFile() string
	Pairings(ctx context.Context) ([]botstate.Pairing, error)
	Approve(ctx context.Context, code string, owner bool) (channels.Person, error)
	Revoke(ctx context.Context, id string) error
	SetToken(text string) (where string, err error)
	Connect() error
	TokenFrom() (from string, err error)
}
