package cpuwindow

import (
	"context"
	"log/slog"

	"github.com/ollama/ollama/api"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
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
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/cpuwindow/toolpage"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

// What the window needs of the rest of the app, as small interfaces. Tests implement them;
// fromBackend fills them from the backend.

// store lists and reads the transcripts.
type store interface {
	List(ctx context.Context) ([]transcript.Info, error)
	Load(ctx context.Context, name string) (*transcript.Transcript, error)
	NewName(source string) string
	SetPrivate(name string)
}

// actions changes transcripts.
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

// keeper holds the attachments and settings of transcripts.
type keeper interface {
	chatpane.Files
	SetSettings(ctx context.Context, name string, s transcript.Settings) error
	SetPrivate(name string)
	IsPrivate(name string) bool
}

// memories reads and changes the memory files.
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
	Typing() // called while the user types; background work pauses
	settings.Index
}

// parts is everything the window works on.
type parts struct {
	transcriptParts
	configParts
	noticeParts
	turns     chats.Engine
	recaller  recaller
	forgetter forgetsheet.Forgetter
	discord   settings.Bot // nil: no bot
	logger    *slog.Logger
	memories  memories
	roster    pages.Roster
	schedules schedules.Parts
	tools     toolpage.Parts
	server    server
	vitals    vitals.Source
	loaded    func(context.Context) []api.ProcessModelResponse // models in this machine's memory
	imports   func(ctx context.Context, file string, dry bool, progress func(percent, conversations int)) (settings.Imported, error)
	// clipImage reads an image from the clipboard, off the UI goroutine.
	clipImage func(ctx context.Context) ([]byte, error)
	home      string // the data folder
	version   string
	demo      bool
	firstRun  bool // there was no config.toml before this start
}

// transcriptParts reads, changes and searches the transcripts.
type transcriptParts struct {
	sessions store
	library  actions
	keeper   keeper
	marks    library.Marks
	finder   sessions.Finder
}

// configParts reads and changes the settings.
type configParts struct {
	config   func() config.Config
	started  func() config.Config // as of the start of the app: a difference needs a restart
	environ  func() []string
	conffile string
	// set writes a setting to config.toml and reads the file again; off the UI goroutine.
	set func(key, value string) error
}

// noticeParts holds what the backend reports outside turns.
type noticeParts struct {
	notices  func() []backend.Notice // the current ones
	onNotice func(func(backend.Notice)) (stop func())
	decided  func() // called when the user has decided about missing lines
	crashes  notices.Crashes
}

// forLibrary returns the parts of the session list.
func (p *parts) forLibrary() library.Parts {
	return library.Parts{
		Sessions: listed{p.sessions, p.library}, Marks: p.marks, Elsewhere: p.recaller.Elsewhere,
		Attachment: p.keeper.ReadAttachment, Logger: p.logger,
	}
}

// listed is the transcripts with the actions on them.
type listed struct {
	store
	actions
}

// forPages returns the parts of the memory and agents pages.
func (p *parts) forPages() pages.Parts {
	return pages.Parts{
		Memories: p.memories, Roster: p.roster, Sessions: listed{p.sessions, p.library}, Start: p.turns.Start,
		Config: p.config, Set: p.set, Decided: p.decided, Logger: p.logger, Home: p.home,
	}
}

// forSettings returns the parts of the settings page.
func (p *parts) forSettings(actions []shortcuts.Action) settings.Parts {
	current := func() []settings.Notice {
		var list []settings.Notice
		for _, n := range p.notices() {
			list = append(list, settings.Notice{Text: schedules.Translate(n.Text), Next: schedules.Translate(n.Next)})
		}
		return list
	}
	return settings.Parts{
		Config: p.config, Started: p.started, Environ: p.environ, Notices: current, Import: p.imports, Actions: actions,
		Index: p.recaller, Discord: p.discord, Home: p.home, File: p.conffile, Version: p.version,
	}
}

// chatParts returns the parts of the chat.
func (w *Window) chatParts() chatpane.Parts {
	p := &w.parts
	return chatpane.Parts{
		Parts: chats.Parts{
			Engine: p.turns, Sessions: p.sessions, Config: p.config, Notify: w.p.Notify, Home: p.home,
			Forgotten: p.library.Forgotten().HasTyped,
		},
		Library: chatLibrary{p.library, p.keeper}, Files: p.keeper, Roster: p.roster, Memories: p.memories,
		Commands: w.commands.slashItems, Marks: p.findMarks, WordMarks: p.wordMarks, Typing: func() { p.recaller.Typing(); p.turns.Typing() }, Image: p.clipImage, HasFont: w.p.HasFont, Demo: p.demo,
		TurnOn: func(ctx context.Context, a registry.Agent) error {
			return p.forPages().SetAgent(ctx, a, "enabled", true)
		},
	}
}

// chatLibrary changes the transcripts of the chat.
type chatLibrary struct {
	actions
	keeper
}

// findMarks returns where a phrase occurs in a text, as rows show it. Any goroutine may call
// it.
func (p *parts) findMarks(text, phrase string) []prose.Mark {
	return shownMarks(p.finder.Find(text, phrase))
}

// wordMarks returns a function that marks the words of a query, as the results of a search do.
func (p *parts) wordMarks(query string) func(text string) []prose.Mark {
	marks := sessions.WordMarks(query, p.finder.Find)
	return func(text string) []prose.Mark { return shownMarks(marks(text)) }
}

func shownMarks(found []textfold.Mark) []prose.Mark {
	out := make([]prose.Mark, len(found))
	for i, m := range found {
		out[i] = prose.Mark(m)
	}
	return out
}

// searched is the search index of this machine and the one that several machines share.
type searched struct {
	*backend.Index
	*backend.SharedMemory
}

// fromBackend fills the parts from the backend.
func fromBackend(b *backend.Backend) parts {
	p := parts{
		transcriptParts: transcriptParts{sessions: b.Store, library: b.Store, keeper: b.Store, marks: b.Store.State(), finder: wordsearch.New(b.Store, b.Logger)},
		configParts:     configParts{config: b.Config, started: b.Started, environ: b.Environ, conffile: b.Paths.ConfigFile(), set: b.Set},
		noticeParts:     noticeParts{notices: b.Notices, onNotice: b.OnNotice, decided: b.Keeper.LookAtMemory, crashes: b.Crashes},
		turns:           engineTurns{b.Engine},
		recaller:        searched{b.Index, b.Shared},
		forgetter:       b.Forgetting,
		logger:          b.Logger,
		memories:        b.Memory,
		roster:          b.Registry,
		tools:           toolpage.Parts{Allowed: b.Outside.Answers, Servers: b.Outside.MCP},
		server:          ollamaServer{b.Client, b.Models},
		vitals:          b.Monitor,
		loaded:          b.LoadedModels,
		clipImage:       clipimage.Read,
		home:            b.Paths.Home,
		version:         b.Version,
		demo:            b.Demo,
		firstRun:        b.FirstRun,
	}
	p.imports = func(ctx context.Context, file string, dry bool, progress func(percent, conversations int)) (settings.Imported, error) {
		got, err := b.Import(ctx, file, dry, backend.ImportWatch{Progress: func(read, of int64, conversations, _ int) {
			progress(int(100*read/max(of, 1)), conversations)
		}})
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

// engineTurns returns the runs of the engine as an interface.
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

func (t engineTurns) Attend(session string) { t.e.Attend(session) }
func (t engineTurns) Typing()               { t.e.Typing() }

// ollamaServer is the server with the catalog of its models.
type ollamaServer struct {
	*ollama.Client
	*ollama.Catalog
}

func (s ollamaServer) Models(ctx context.Context) ([]ollama.ModelInfo, error) {
	return s.Catalog.Models(ctx)
}
