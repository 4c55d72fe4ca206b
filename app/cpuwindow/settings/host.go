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

// Host is what the page needs of the window it is in. All but Do and Context is called
// on the UI goroutine.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Visible() bool            // the window is on the screen
	Tell(words, more string)
	OpenFile(path string) // in the program that the system has for it
	Clipboard() string
	ChooseFile(title, confirm string, then func(path string))
	ConfigChanged() // config.toml was written
	ShowTools()     // the page of permissions and servers
}

// Parts is what the page works on; all is required but Discord.
type Parts struct {
	Config  func() config.Config
	Started func() config.Config // when the app started: what waits for a restart differs
	Environ func() []string
	Notices func() []Notice // what the app has to say of its set-up
	Actions []shortcuts.Action
	Index   Index
	// Import takes over the conversations of an export file; dry counts them only. Off
	// the UI goroutine.
	Import  func(ctx context.Context, file string, dry bool) (Imported, error)
	Discord Bot // nil: none
	Home    string
	File    string // config.toml
	Version string
}

// Notice is something the user should know, and what to do about it.
type Notice struct{ Text, Next string }

// Index is the search index; *backend.Backend.
type Index interface {
	IndexStatus(ctx context.Context) (recall.Status, error)
	RebuildIndex(ctx context.Context) error
	PauseVectors(paused bool)
	VectorsNow()
	// ServerName is where the memory server is, without a password.
	ServerName() string
	// TestServer connects to it and tells how it is; nil where there is none.
	TestServer(ctx context.Context) (*recall.ServerStatus, error)
}

// Bot is the Discord bot; *service.Service.
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
