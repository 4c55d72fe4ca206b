package chatpane

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
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
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/app/apptest"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/chats"
	"mac-stats/app/cpuwindow/clipimage"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/setup"
	"mac-stats/app/cpuwindow/slash"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

// bench is a chat in a window of its own, with transcripts and memory on disk. The test sends
// the events of the turns. The bench is also the window that the chat is in.
type bench struct {
	*screentest.Screen
	t      testing.TB
	pane   *Pane
	setup  *setup.Setup
	store  *sessionmem.Store
	memory *memory.Memory
	turns  *stubTurns
	server *stubServer
	roster *roster
	conf   config.Config
	home   string
	clip   []byte // the image on the clipboard
	slow   bool   // reading the clipboard doesn't end by itself
	refuse error  // of SetSettings
	fonts  func(r rune) bool

	elsewhere bool     // another page is shown
	told      []string // notices
	ways      []string // where the user was led, and what was opened
	lists     int      // how often the list of sessions was said to have changed
}

// stubTurns starts runs whose events a test sends.
type stubTurns struct {
	requests []agents.Request
	runs     []*apptest.Run
}

func (s *stubTurns) Start(_ context.Context, req agents.Request) conversation.Run {
	r := apptest.NewRun()
	s.requests, s.runs = append(s.requests, req), append(s.runs, r)
	return r
}

func (*stubTurns) Active(string) conversation.Run { return nil }
func (*stubTurns) Attend(string)                  {}
func (*stubTurns) Typing()                        {}

type stubServer struct {
	mu     sync.Mutex
	down   error
	models []ollama.ModelInfo
}

func (s *stubServer) ModelsNow(context.Context) ([]ollama.ModelInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.models), s.down
}

func (s *stubServer) Models(ctx context.Context) ([]ollama.ModelInfo, error) { return s.ModelsNow(ctx) }

func (s *stubServer) Version(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "0.34.0", s.down
}

func (*stubServer) Pull(context.Context, string, func(ollama.Progress)) error {
	return ollama.ErrNoModel
}
func (*stubServer) Address() string { return "127.0.0.1:11434" }

// roster holds the agents and skills that a message can name.
type roster struct {
	*registry.Registry
	agents []registry.Agent
	skills []registry.Skill
}

func (r *roster) Agents() []registry.Agent { return r.agents }
func (r *roster) Skills() []registry.Skill { return r.skills }

// library is the store, which may refuse to write a choice.
type library struct {
	*sessionmem.Store
	b *bench
}

func (l library) SetSettings(ctx context.Context, name string, s transcript.Settings) error {
	if l.b.refuse != nil {
		return l.b.refuse
	}
	return l.Store.SetSettings(ctx, name, s)
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{
		Screen: screentest.New(t), t: t, home: t.TempDir(), turns: &stubTurns{}, conf: config.Default(),
		server: &stubServer{models: []ollama.ModelInfo{{Name: "qwen3:8b"}}},
		roster: &roster{
			Registry: registry.New(registry.Config{Root: t.TempDir(), Defaults: fstest.MapFS{}}),
			agents:   []registry.Agent{{ID: "000", Slug: "orchestrator", Name: "Orchestrator", Entry: true, Enabled: true}},
		},
	}
	b.store = storetest.Open(t, b.home)
	b.memory = memory.New(memory.Config{Root: filepath.Join(b.home, "agents")})
	b.Win = test.NewTempWindow(t, nil)
	b.Win.SetPadded(false)
	b.open()
	return b
}

// open shows a new chat.
func (b *bench) open() {
	finder := wordsearch.New(b.store, slog.New(slog.DiscardHandler))
	b.setup = setup.New(b, b.server, b.home)
	b.pane = New(b, Parts{
		Parts: chats.Parts{
			Engine: b.turns, Sessions: b.store, Config: func() config.Config { return b.conf }, Home: b.home,
			Forgotten: b.store.Forgotten().HasTyped,
		},
		Library: library{b.store, b}, Files: b.store, Roster: b.roster, Memories: b.memory, Commands: b.commands,
		Marks: func(text, phrase string) []prose.Mark { return marks(finder.Find(text, phrase)) },
		WordMarks: func(query string) func(string) []prose.Mark {
			find := sessions.WordMarks(query, finder.Find)
			return func(text string) []prose.Mark { return marks(find(text)) }
		},
		Typing:  func() {},
		Image:   b.image,
		HasFont: b.fonts,
	}, b.setup)
	above := b.pane.Slash.Above(b.pane.LowerHeight)
	b.Win.SetContent(kit.NewRoot(b, layout.NewBorderLayout(b.pane.Head.Object, nil, nil, nil), b.pane.Head.Object, container.NewStack(b.pane.Object, above)))
	b.Win.Resize(fyne.NewSize(760, 700))
	b.pane.ShowFresh()
}

// shown shows the chat on the screen.
func (b *bench) shown() *bench {
	b.pane.Chats.SetVisible(true)
	b.pane.Chats.Changed(b.pane.Chats.Shown())
	b.setup.Check()
	b.pane.Focus()
	b.Settle()
	return b
}

// with starts the chat again after a change.
func (b *bench) with(change func()) {
	change()
	b.open()
	b.shown()
}

func marks(found []textfold.Mark) []prose.Mark {
	var out []prose.Mark
	for _, m := range found {
		out = append(out, prose.Mark(m))
	}
	return out
}

func (b *bench) image(ctx context.Context) ([]byte, error) {
	if b.slow {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if b.clip == nil {
		return nil, clipimage.ErrNone
	}
	return b.clip, nil
}

func (b *bench) commands() []slash.Item {
	return []slash.Item{{Kind: slash.Command, Name: "new", Words: "Start a new chat", Run: func(string) { b.pane.NewChat() }}}
}

func (b *bench) way(words ...string) { b.ways = append(b.ways, strings.Join(words, " ")) }

// The window.

func (b *bench) RunKey(*fyne.KeyEvent) bool     { return false }
func (b *bench) RunShortcut(fyne.Shortcut) bool { return false }
func (b *bench) Typed(r rune)                   { b.pane.Type(r) }
func (b *bench) Reveal(fyne.CanvasObject)       {}
func (b *bench) Remeasure(r kit.Row)            { b.pane.View.Port.Remeasure(r) }
func (b *bench) Visible() bool                  { return true }
func (b *bench) OnChat() bool                   { return !b.elsewhere }
func (b *bench) ShowChat()                      { b.elsewhere = false }
func (b *bench) Resized()                       { b.Win.Content().Refresh() }
func (b *bench) Notify(words, more string) {
	b.told = append(b.told, strings.TrimSpace(words+" "+more))
}
func (b *bench) Copy(text string)        { fyne.CurrentApp().Clipboard().SetContent(text) }
func (b *bench) MachineMemory() uint64   { return 16 << 30 }
func (b *bench) ListChanged()            { b.Do(func() { b.lists++ }) }
func (b *bench) ShowSession(name string) { b.pane.OpenSession(name) }

func (b *bench) Escape() {
	if b.pane.Find.Open() {
		b.pane.Find.Close(true)
		return
	}
	b.pane.Stop()
}

func (b *bench) Act(_ string, action func(ctx context.Context) error, then func()) {
	go func() {
		err := action(b.Context())
		b.Do(func() {
			if err != nil {
				b.Notify(err.Error(), "")
				return
			}
			then()
		})
	}()
}

func (b *bench) OpenList()                                  { b.way("list") }
func (b *bench) LeaveDemo()                                 { b.way("leave the demo") }
func (b *bench) OpenFile(path string)                       { b.way("file", path) }
func (b *bench) OpenLink(address string)                    { b.way("link", address) }
func (b *bench) OpenTranscript(session, path string)        { b.way("transcript", session, path) }
func (b *bench) OpenSessionAt(session, block string)        { b.way("session", session, block) }
func (b *bench) SessionTitle(name string) string            { return "title of " + name }
func (b *bench) Forget(session, block string)               { b.way("forget", session, block) }
func (b *bench) Remember(line string)                       { b.way("remember", line) }
func (b *bench) ChooseFile(title, _ string, _ func(string)) { b.way("choose:", title) }
func (b *bench) ChooseFolder(title, _ string, then func(string)) {
	b.way("choose:", title)
	then(b.home)
}

func (b *bench) ReadAt(in transcript.Info, block, phrase string) {
	b.way("read", in.Name, block, phrase)
}

func (b *bench) Demo() func()                       { return nil }
func (b *bench) Welcoming() bool                    { return false }
func (b *bench) LeaveWelcome()                      {}
func (b *bench) ShowServer(words string, down bool) { b.pane.Foot.SetServer(words, down) }
func (b *bench) SetupChanged()                      { b.pane.Chats.Changed(b.pane.Chats.Shown()) }
func (b *bench) PullChanged(bool)                   {}

// What tests do and look at.

// says fails the test unless the newest notice contains the words.
func (b *bench) says(words ...string) {
	b.t.Helper()
	last := ""
	if n := len(b.told); n > 0 {
		last = b.told[n-1]
	}
	for _, w := range words {
		if !strings.Contains(last, w) {
			b.t.Errorf("the notice is %q, want %q", last, w)
		}
	}
}

// leads fails the test unless the user was led there last.
func (b *bench) leads(want string) {
	b.t.Helper()
	if n := len(b.ways); n == 0 || b.ways[n-1] != want {
		b.t.Errorf("the user was led to %q, want %q", b.ways, want)
	}
}

// saved writes blocks of a session to disk.
func (b *bench) saved(name string, blocks ...transcript.Block) {
	b.t.Helper()
	if _, err := b.store.Session(name).Append(b.t.Context(), blocks...); err != nil {
		b.t.Fatal(err)
	}
}

// said writes messages of the user and answers by turns.
func (b *bench) said(name string, texts ...string) {
	b.t.Helper()
	for i, text := range texts {
		b.saved(name, transcript.Block{ID: fmt.Sprint("b", i), Kind: []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i%2], Text: text})
	}
}

func (b *bench) onDisk(name string) *transcript.Transcript {
	b.t.Helper()
	t, err := b.store.Load(b.t.Context(), name)
	if err != nil {
		b.t.Fatal(err)
	}
	return t
}

// opened shows a session.
func (b *bench) opened(name string) *bench {
	b.pane.OpenSession(name)
	b.Settle()
	return b
}

// talked returns a bench with a conversation of two turns.
func talked(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.saved("cpu-x",
		transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "question one"},
		transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u1", Text: "answer one with [a page](http://example.org/p)", Attrs: map[string]string{"memory": "memory.md:12"}},
		transcript.Block{ID: "u2", Kind: transcript.KindUser, Text: "question two"},
		transcript.Block{ID: "a2", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u2", Text: "answer two"})
	if err := b.store.SetTitle(t.Context(), "cpu-x", "x"); err != nil {
		t.Fatal(err)
	}
	return b.shown().opened("cpu-x")
}

// branched writes a session with an abandoned branch and a sub-call.
func (b *bench) branched(name string) {
	b.t.Helper()
	b.saved(name,
		transcript.Block{ID: "q1", Kind: transcript.KindUser, Text: "why is it loud"},
		transcript.Block{ID: "s1", Kind: transcript.KindAgent, Agent: "doctor", Task: "find it", Parent: "q1", Text: "It is the zebra process."},
		transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Agent: "orchestrator", Model: "qwen3:8b", Parent: "q1", Text: "Because of `indexing`."},
		transcript.Block{ID: "q2", Kind: transcript.KindUser, Text: "how long, the zebra way"},
		transcript.Block{ID: "a2", Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "q2", Text: "Long."},
		transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "q2"},
		transcript.Block{ID: "q3", Kind: transcript.KindUser, Text: "how long exactly"},
		transcript.Block{ID: "a3", Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "q3", Text: "20 minutes."})
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

// finish ends a run successfully; its message has the block ID id.
func (b *bench) finish(i int, id string) {
	ev := b.run(i).Sent
	ev <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: id, Agent: "orchestrator", Model: "m"}
	ev <- agents.Event{Type: agents.EventDone, Text: "answer " + id, Block: "a" + id, Agent: "orchestrator", Model: "m"}
	close(ev)
	b.Settle()
}

// enter types a message and presses Enter.
func (b *bench) enter(text string) {
	test.Type(b.pane.Compose.Entry, text)
	b.pane.Compose.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	b.Settle()
}

// press sends keys to what has the focus.
func (b *bench) press(keys ...fyne.KeyName) {
	b.t.Helper()
	for _, k := range keys {
		f := b.Win.Canvas().Focused()
		if f == nil {
			b.t.Fatalf("nothing has the focus to take %s", k)
		}
		f.TypedKey(&fyne.KeyEvent{Name: k})
		b.Settle()
	}
}

// button returns the nth button of the conversation with a label.
func (b *bench) button(label string, n int) *kit.Button {
	b.t.Helper()
	found := screentest.Buttons(b.pane.View.Object, label)
	if n >= len(found) {
		b.t.Fatalf("%d buttons %q", len(found), label)
	}
	return found[n]
}

// tap taps a visible button of the window.
func (b *bench) tap(words string) {
	b.t.Helper()
	b.Pushes(b.Win.Canvas().Content(), words)
}

// waiting presses a button of the nth queued message.
func (b *bench) waiting(label string, nth int) {
	b.t.Helper()
	b.Settle()
	found := screentest.Buttons(b.pane.queue.Box, label)
	if nth >= len(found) {
		b.t.Fatalf("%d buttons %q", len(found), label)
	}
	test.Tap(found[nth])
}

// choose sets and saves the choice of the shown conversation.
func (b *bench) choose(s transcript.Settings) {
	b.pane.Choices.choose(b.pane.Chats.Shown(), s)
	b.Settle()
}

func entriesNow(c *conversation.Conversation) []conversation.EntryView {
	return c.View(time.Now()).Entries
}

// lastFault returns the error at the end of a conversation.
func lastFault(c *conversation.Conversation) conversation.Fault {
	entries := entriesNow(c)
	return *entries[len(entries)-1].Fault
}

func pictureBytes(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 251)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeTo(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// drop attaches files.
func (b *bench) drop(paths ...string) {
	b.t.Helper()
	b.pane.Files.Attach(paths)
	b.Settle()
}

// thumb returns the thumbnail of a file of the shown session, if it is in memory.
func (b *bench) thumb(a transcript.Attachment) (img image.Image, ok bool) {
	b.pane.Files.Actions(b.pane.Chats.Shown().Name).Thumb(a, func(i image.Image, _ error) { img, ok = i, true })
	return img, ok
}
