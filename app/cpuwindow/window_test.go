package cpuwindow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/ollama/ollama/api"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/app/apptest"
	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

// bench is a window with stub parts. The test itself runs the UI goroutine's work.
type bench struct {
	*screentest.Screen
	t        testing.TB
	w        *Window
	turns    *stubTurns
	sessions *stubSessions
	keeper   *stubKeeper
	server   *stubServer
	vitals   *stubVitals
	visible  []bool
	quits    int
	hides    bool
	home     string
	environ  []string
	notify   func(backend.Notice)
	parts    parts
	params   Params

	reading  sync.Mutex // guards the two below
	confText string     // config.toml as last read, with the environment
	conf     config.Config
}

type stubTurns struct {
	mu       sync.Mutex
	requests []agents.Request
	runs     []*apptest.Run
}

func (s *stubTurns) Start(_ context.Context, req agents.Request) conversation.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := apptest.NewRun()
	s.requests, s.runs = append(s.requests, req), append(s.runs, r)
	return r
}
func (s *stubTurns) Active(string) conversation.Run { return nil }
func (*stubTurns) Attend(string)                    {}
func (*stubTurns) Typing()                          {}

type stubSessions struct {
	n     int
	infos []transcript.Info
	files map[string]*transcript.Transcript
}

func (s *stubSessions) List(context.Context) ([]transcript.Info, error) { return s.infos, nil }
func (s *stubSessions) Load(_ context.Context, name string) (*transcript.Transcript, error) {
	if t := s.files[name]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%w: %s", session.ErrNotFound, name)
}

func (s *stubSessions) NewName(source string) string {
	s.n++
	return fmt.Sprintf("%s-%d", source, s.n)
}

func (s *stubSessions) SetPrivate(string) {}

// stubMemories is the memory of an empty data folder.
type stubMemories struct{ *memory.Memory }

func (stubMemories) Undo(context.Context, string) ([]memory.UndoStep, error) { return nil, nil }

type stubRoster struct{ *registry.Registry }

func (stubRoster) Agents() []registry.Agent {
	return []registry.Agent{
		{ID: "000", Slug: "orchestrator", Name: "Orchestrator", Entry: true, Enabled: true},
		{ID: "009", Slug: "broken", Err: errors.New("agent.json: line 4")},
	}
}

type stubServer struct {
	mu     sync.Mutex
	down   error
	models []ollama.ModelInfo
	pulls  chan error
}

func (s *stubServer) Models(context.Context) ([]ollama.ModelInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.models, nil
}

func (s *stubServer) Pull(ctx context.Context, _ string, progress func(ollama.Progress)) error {
	progress(ollama.Progress{Status: "downloading", Completed: 1e9, Total: 4e9})
	select {
	case err := <-s.pulls:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stubServer) Version(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "0.34.0", s.down
}

func (s *stubServer) ModelsNow(ctx context.Context) ([]ollama.ModelInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.models), s.down
}

func (*stubServer) TakesTurns(string) bool                                      { return false }
func (*stubServer) Running(context.Context) ([]api.ProcessModelResponse, error) { return nil, nil }

func (*stubServer) Resolve(context.Context, string, ollama.Role) (ollama.ModelInfo, error) {
	return ollama.ModelInfo{}, ollama.ErrNoModel
}
func (*stubServer) Delete(context.Context, string) error { return nil }
func (*stubServer) Unload(context.Context, string) error { return nil }
func (*stubServer) Address() string                      { return "127.0.0.1:11434" }

type stubVitals struct {
	memory  uint64 // of the machine, in bytes
	shown   int
	publish func(monitor.Snapshot)
}

func (v *stubVitals) Show(bool, ...monitor.Metric) func() {
	v.shown++
	return func() { v.shown-- }
}

func (v *stubVitals) Subscribe(f func(monitor.Snapshot)) func() {
	v.publish = f
	return func() { v.publish = nil }
}

func (v *stubVitals) Snapshot() monitor.Snapshot {
	return monitor.Snapshot{
		Time: time.Now(), CPU: monitor.CPUReading{Percent: 37, Cores: make([]float64, 10)},
		Memory: monitor.MemoryReading{Used: 8 << 30, Total: v.memory}, GPU: monitor.GPUReading{NA: "no sensor"},
	}
}

func (*stubVitals) Quit(monitor.Process, bool) error { return nil }
func (*stubVitals) Runs(monitor.Process) bool        { return false }

func (v *stubVitals) Series(_ monitor.Metric, r monitor.Range) monitor.Series {
	return monitor.Series{Step: r.Span() / 3, Points: []monitor.Point{{Mean: 1, Max: 2, OK: true}, {}, {Mean: 3, Max: 3, OK: true}}}
}

func newBench(t testing.TB) *bench {
	t.Helper()
	t.Setenv(envScale, "1") // zoom changes it
	b := &bench{
		Screen: screentest.New(t), t: t, turns: &stubTurns{}, vitals: &stubVitals{memory: 16 << 30}, hides: true, home: t.TempDir(),
		sessions: &stubSessions{files: map[string]*transcript.Transcript{}}, keeper: newStubKeeper(),
		server: &stubServer{models: []ollama.ModelInfo{{Name: "qwen3:8b"}}, pulls: make(chan error)},
	}
	store, err := sessionmem.Open(sessionmem.Config{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	log := slog.New(slog.DiscardHandler)
	b.parts = parts{
		transcriptParts: transcriptParts{sessions: b.sessions, library: store, keeper: b.keeper, marks: store.State(), finder: wordsearch.New(store, log)},
		configParts: configParts{
			config: b.config, started: config.Default, conffile: b.conffile(),
			environ: func() []string { return b.environ },
			set:     func(key, value string) error { return config.Set(b.conffile(), key, value) },
		},
		noticeParts: noticeParts{
			notices:  func() []backend.Notice { return []backend.Notice{{Text: "config.toml:3: bad value"}} },
			onNotice: func(f func(backend.Notice)) func() { b.notify = f; return func() {} },
			decided:  func() {},
		},
		turns: b.turns, recaller: stubIndex{}, logger: log, memories: stubMemories{memory.New(memory.Config{Root: t.TempDir()})}, roster: stubRoster{}, server: b.server, vitals: b.vitals,
		clipImage: b.keeper.clipImage, home: b.home, schedules: scheduleParts(b.home), tools: toolParts(b.home),
	}
	b.parts.roster = stubRoster{registry.New(registry.Config{Root: t.TempDir(), Defaults: fstest.MapFS{}})}
	b.params = Params{
		App: fyne.CurrentApp(), Do: b.Do,
		OnVisible: func(v bool) { b.visible = append(b.visible, v) }, OnQuit: func() { b.quits++ },
		CloseHides: func() bool { return b.hides },
	}
	b.open()
	return b
}

// open builds the window.
func (b *bench) open() {
	b.w = newWindow(b.params, b.parts)
	b.Win = b.w.win
	b.Win.Resize(fyne.NewSize(980, 700))
	b.t.Cleanup(b.w.end)
}

// with starts the window again with changed parts.
func (b *bench) with(change func(*parts)) {
	b.t.Helper()
	change(&b.parts)
	shown := b.w.visible
	b.w.End()
	b.Win.Close()
	if b.open(); shown {
		b.shown()
	}
}

func (b *bench) conffile() string { return filepath.Join(b.home, "config.toml") }

// set changes a setting in config.toml.
func (b *bench) set(key, value string) {
	b.t.Helper()
	if err := config.Set(b.conffile(), key, value); err != nil {
		b.t.Fatal(err)
	}
}

// config returns the current config.toml. As in the app, it is read again only if it changed.
func (b *bench) config() config.Config {
	b.reading.Lock()
	defer b.reading.Unlock()
	data, err := os.ReadFile(b.conffile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.t.Error(err)
	}
	if now := string(data) + "\x00" + strings.Join(b.environ, "\x00"); now != b.confText {
		b.conf, _ = config.Load(b.conffile(), b.environ)
		b.confText = now
	}
	return b.conf
}

func (b *bench) shown() *bench {
	b.w.Show()
	b.Settle()
	return b
}

func (b *bench) run(i int) *apptest.Run {
	b.t.Helper()
	if len(b.turns.runs) <= i {
		b.t.Fatalf("%d runs were started", len(b.turns.runs))
	}
	return b.turns.runs[i]
}

func token(s string) agents.Event {
	return agents.Event{Type: agents.EventToken, Round: 1, Text: s, Agent: "orchestrator", Model: "qwen3:8b"}
}

func TestConstructorsPanicWithoutWhatTheyNeed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(Params{})
}

func TestShortcutsReachTheWindowFromTheComposer(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.chat.Send("q")
		b.Settle()
		before := b.w.chats().Shown()
		b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault})
		if b.w.chats().Shown() == before {
			t.Error("no new chat")
		}
		b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyComma, Modifier: fyne.KeyModifierShortcutDefault})
		b.Settle()
		b.Sees("config.toml:3: bad value")
		b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyW, Modifier: fyne.KeyModifierShortcutDefault})
		b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyQ, Modifier: fyne.KeyModifierShortcutDefault})
		if b.quits != 1 || len(b.visible) != 2 || b.visible[1] {
			t.Errorf("quits %d, visible %v", b.quits, b.visible)
		}
	})
}

func TestNothingIsDrawnWhileHidden(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.chat.Send("q")
		b.Settle()
		b.w.Hide()
		if b.vitals.shown != 0 || b.vitals.publish != nil {
			t.Error("the vitals are still asked for")
		}
		b.run(0).Sent <- token("while hidden")
		time.Sleep(240 * time.Millisecond) // three frames
		if n := len(b.Queue); n != 0 {
			t.Errorf("%d calls onto the UI goroutine while hidden", n)
		}
		b.w.Show()
		b.Settle()
		b.Sees("while hidden")
	})
}

func TestANewSessionIsListedOnceItsMessageIsOnDisk(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.chat.Send("what is slow?")
		b.sessions.infos = []transcript.Info{{Name: b.w.chats().Shown().Name, Source: "cpu", Title: "what is slow?", Active: time.Now(), Messages: 1}}
		b.Settle()
		if len(b.w.library.Infos()) != 0 {
			t.Fatalf("%d sessions are listed before anything is on disk", len(b.w.library.Infos()))
		}
		b.run(0).Sent <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"}
		b.Settle()
		if len(b.w.library.Infos()) != 1 {
			t.Errorf("%d sessions are listed while the answer comes, want 1", len(b.w.library.Infos()))
		}
	})
}

func TestFirstRun(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.server.down = errors.New("refused")
		b.server.models = nil
		b.shown()
		b.Sees("Ollama isn't running", "127.0.0.1:11434", "Re-check", "Ollama is down")
		b.SeesNot("Try the demo")
		b.server.mu.Lock()
		b.server.down = nil
		b.server.mu.Unlock()
		b.w.setup.Check()
		b.Settle()
		b.Sees("One model to begin with", "16 GB of memory", "Pull qwen3:8b")
		b.w.setup.Puller.Start("qwen3:8b")
		b.Settle()
		b.Sees("Pulling qwen3:8b", "1.0 GB of 4.0 GB · 25 %")
		b.w.setup.Puller.Stop()
		b.Settle()
		b.w.setup.Puller.Dismiss()
		b.Settle()
		b.Sees("One model to begin with")
		b.w.setup.Puller.Start("qwen3:8b")
		b.server.pulls <- errors.New("no space left")
		b.Settle()
		b.Sees("The disk is full.", "Try again")
		b.w.NewChat()
		b.Settle()
		b.w.chat.Send("q")
		b.w.NewChat()
		b.Settle()
		b.SeesNot("The disk is full.")
	})
}

func TestPages(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.showPage(pageMemory)
		b.Settle()
		b.Sees("memory.md", "nothing remembered yet", "used by every agent")
		b.w.showPage(pageAgents)
		b.Settle()
		b.Sees("Orchestrator", "t be used")
		b.w.ShowSettings()
		b.Settle()
		b.Sees("config.toml:3: bad value", "As the system")
		b.w.NewChat()
		b.Sees("What shall we look at?")
	})
}

func TestVitals(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.Sees("CPU · 10 cores", "37", "8.0", "of 16 GB", "n/a", "no sensor")
		b.vitals.publish(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: 99}})
		b.Settle()
		b.Sees("99")
	})
}

func TestNarrowWindowsHaveADrawer(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		if !b.w.side.object.Visible() || strings.Contains(b.Markup(), ">Chats<") {
			t.Fatal("a wide window has no list")
		}
		b.w.win.Resize(fyne.NewSize(420, 700))
		if b.w.side.object.Visible() || !strings.Contains(b.Markup(), ">Chats<") {
			t.Fatal("a narrow window shows the list")
		}
		b.tap("Chats")
		if !b.w.side.object.Visible() {
			t.Error("the drawer did not open")
		}
		test.Tap(b.w.root.scrim)
		if b.w.side.object.Visible() {
			t.Error("the drawer did not close")
		}
	})
}

func TestClosing(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.onClose()
		if b.quits != 0 || len(b.visible) != 2 {
			t.Errorf("with a tray: %d quits, visible %v", b.quits, b.visible)
		}
		b.shown()
		b.hides = false
		b.w.onClose()
		if b.quits != 1 {
			t.Error("without a tray closing did not quit")
		}
	})
}

func TestEveryScriptIsDrawn(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		for _, s := range []string{
			"emoji 👨‍👩‍👧‍👦🏳️‍🌈🎉", "日本語の長い文章がここにあります。とても長いので折り返す必要があります。", "שלום עולם, זה טקסט מימין לשמאל",
			"العربية", "हिन्दी ภาษาไทย", "\u202eoverride\u202c", "a\u0301\u0302\u0303", strings.Repeat("W", 5000), "\x00\x01\x02", "tab\there", "\u200b\ufeff",
		} {
			b := newBench(t).shown()
			b.w.win.Resize(fyne.NewSize(420, 700))
			b.w.chat.Send(s)
			b.run(0).Sent <- token("```\n" + s + "\n```\n\n" + s + "\n\n| " + s + " |\n|---|\n| x |\n\n- " + s)
			b.Settle()
			b.w.chat.View.Port.ScrollTo(0)
			b.w.win.Canvas().Capture()
		}
	})
}

func TestChoicesApplyToTheirSession(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		am := header.AgentMenu(stubRoster{}.Agents(), "orchestrator", func(slug string) {
			b.choose(b.w.chats().Shown(), transcript.Settings{Agent: slug})
		})
		b.keeper.refuse = session.ErrNotFound // there is no transcript yet
		am.Items[0].Action()
		b.w.chat.Send("q")
		if s := b.turns.requests[0].Settings; s == nil || s.Agent != "orchestrator" {
			t.Errorf("the request is %+v", b.turns.requests[0])
		}
	})
}

func TestALongNoticeIsShownInFull(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.win.Resize(fyne.NewSize(420, 700))
		b.w.SetNotice("There is no tray icon here, because nothing on this desktop shows one: the window is the way in.")
		b.Sees("There is no tray", "the way in.")
		b.tap("Dismiss")
		b.SeesNot("There is no tray")
	})
}

// stubIndex is a search index that finds nothing.
type stubIndex struct{ settings.Index }

func (stubIndex) Related(context.Context, string, bool) ([]recall.Hit, recall.State, error) {
	return nil, recall.State{}, nil
}

func (stubIndex) Typing() {}

// Elsewhere returns the one conversation of another machine.
func (stubIndex) Elsewhere(_ context.Context, name, machine string) (*transcript.Transcript, error) {
	if name != "cpu-far" || machine != "lap" && machine != "" {
		return nil, session.ErrNotFound
	}
	return &transcript.Transcript{
		Info: transcript.Info{Name: name, Source: "cpu", Machine: "lap", ReadOnly: true},
		Blocks: []transcript.Block{
			{ID: "f1", Kind: transcript.KindUser, Text: "where is the ferry"},
			{ID: "f2", Kind: transcript.KindAssistant, Agent: "orchestrator", Text: "At the pier of the far island."},
		},
	}, nil
}

func (stubIndex) IndexStatus(context.Context) (recall.Status, error) { return recall.Status{}, nil }
