package cpuwindow

import (
	"context"
	"log/slog"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/chatpane"
	"mac-stats/app/cpuwindow/chats"
	"mac-stats/app/cpuwindow/clipimage"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/forgetsheet"
	"mac-stats/app/cpuwindow/library"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/cpuwindow/notices"
	"mac-stats/app/cpuwindow/pages"
	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/cpuwindow/setup"
	"mac-stats/app/cpuwindow/toolpage"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

// What the window needs of the rest of the app, as small interfaces: tests and the
// views see these, New fills them from the backend.

// store is the transcripts.
type store interface {
	List(ctx context.Context) ([]transcript.Info, error)
	Load(ctx context.Context, name string) (*transcript.Transcript, error)
	NewName(source string) string
	SetPrivate(name string)
}

// actions is what can be done with transcripts beside talking.
type actions interface {
	Forgotten() *forgotten.Record
	LoadFile(path string) (*transcript.Transcript, error)
	SetTitle(ctx context.Context, name, title string) error
	Delete(ctx context.Context, name string) error
	Undelete(ctx context.Context, name string) (string, error)
	Continue(ctx context.Context, name, from string) error
	UseVersion(ctx context.Context, name, id string) error
	Removed(ctx context.Context, name string) (session.Removed, error)
	Restore(ctx context.Context, name string) (session.Removed, error)
	KeepRemoved(ctx context.Context, name string) (session.Removed, error)
	Fork(ctx context.Context, t *transcript.Transcript, through, source string) (string, error)
}

// keeper is what else the window does with transcripts.
type keeper interface {
	chatpane.Files
	SetSettings(ctx context.Context, name string, s transcript.Settings) error
	SetPrivate(name string)
	IsPrivate(name string) bool
}

// memories is the memory files.
type memories interface {
	pages.Memories
	InboxPath() string
}

// server is the model server.
type server interface {
	models.Server
	setup.Server
}

// recaller is the search index.
type recaller interface {
	Related(ctx context.Context, query string, quick bool) ([]recall.Hit, recall.State, error)
	Elsewhere(ctx context.Context, session, machine string) (*transcript.Transcript, error)
	Typing() // somebody types: work in the background steps back
	settings.Index
}

// parts is everything the window works on.
type parts struct {
	turns     chats.Engine
	sessions  store
	library   actions
	marks     library.Marks
	finder    sessions.Finder
	recaller  recaller
	forgetter forgetsheet.Forgetter
	discord   settings.Bot // nil: none
	logger    *slog.Logger
	keeper    keeper
	memories  memories
	roster    pages.Roster
	schedules schedules.Parts
	tools     toolpage.Parts
	server    server
	vitals    vitals.Source
	config    func() config.Config
	started   func() config.Config // when the app started: what waits for a restart differs
	environ   func() []string
	// set writes a setting into config.toml and reads it again; off the UI goroutine.
	set      func(key, value string) error
	notices  func() []backend.Notice
	imports  func(ctx context.Context, file string, dry bool) (settings.Imported, error)
	onNotice func(func(backend.Notice)) (stop func())
	explain  func(error) fault.Explanation
	crashes  notices.Crashes
	// clipImage reads an image from the clipboard, off the UI goroutine.
	clipImage func(ctx context.Context) ([]byte, error)
	// decided tells the backend that the user decided about missing lines.
	decided  func()
	home     string
	conffile string
	demo     bool
	firstRun bool // there was no config.toml before this start
	version  string
}

// searched is this machine's search index and the one that several share.
type searched struct {
	*backend.Index
	*backend.SharedMemory
}

// fromBackend is the real parts.
func fromBackend(b *backend.Backend) parts {
	p := parts{
		turns: engineTurns{b.Engine}, sessions: b.Store, library: b.Store, marks: b.Store.State(), finder: wordsearch.New(b.Store, b.Logger), recaller: searched{b.Index, b.Shared}, forgetter: b.Forgetting, logger: b.Logger, memories: b.Memory, roster: b.Registry,
		keeper: b.Store, clipImage: clipimage.Read,
		server: ollamaServer{b.Client, b.Models}, vitals: b.Monitor, config: b.Config, started: b.Started, environ: b.Environ, set: b.Set,
		notices: b.Notices, decided: b.Keeper.LookAtMemory, onNotice: b.OnNotice, explain: fault.Explain,
		home: b.Paths.Home, crashes: b.Crashes, tools: toolpage.Parts{Allowed: b.Outside.Answers, Servers: b.Outside.MCP}, conffile: b.Paths.ConfigFile(), demo: b.Demo, firstRun: b.FirstRun, version: b.Version,
	}
	p.imports = func(ctx context.Context, file string, dry bool) (settings.Imported, error) {
		got, err := b.Import(ctx, file, dry, nil)
		return settings.Imported(got), err
	}
	p.schedules = schedules.Parts{Runner: b.Schedules, Book: b.Schedules, Agents: func() []string {
		var slugs []string
		for _, a := range b.Registry.Agents() {
			if a.Usable() {
				slugs = append(slugs, a.Slug)
			}
		}
		return slugs
	}}
	if !b.Demo {
		p.discord = b.Discord
	}
	return p
}

type engineTurns struct{ e *agents.Engine }

func (t engineTurns) Start(ctx context.Context, req agents.Request) conversation.Run {
	return t.e.Start(ctx, req)
}

func (t engineTurns) Active(session string) conversation.Run {
	if r := t.e.Active(session); r != nil {
		return r
	}
	return nil
}

type ollamaServer struct {
	*ollama.Client
	models *ollama.Catalog
}

func (s ollamaServer) Models(ctx context.Context) ([]ollama.ModelInfo, error) {
	return s.models.Models(ctx)
}

func (s ollamaServer) ModelsNow(ctx context.Context) ([]ollama.ModelInfo, error) {
	return s.models.ModelsNow(ctx)
}

func (s ollamaServer) Resolve(ctx context.Context, explicit string, role ollama.Role) (ollama.ModelInfo, error) {
	return s.models.Resolve(ctx, explicit, role)
}

func (s ollamaServer) Address() string { return s.Host().Host }
