package cpuwindow

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents/testkit"
	"mac-stats/app/backend"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// The window on the backend of the app, whose models are scripted.
func TestTheWindowOnABackend(t *testing.T) {
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "small:1b", ParameterSize: "1B"}},
		Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "The zephyr listens on 8443."}}},
	})
	dir := t.TempDir()
	app, err := backend.Open(t.Context(), backend.Options{Version: "1", Environ: []string{
		"HOME=" + dir, "MAC_STATS_HOME=" + filepath.Join(dir, "home"), "MAC_STATS_CACHE=" + filepath.Join(dir, "cache"), "OLLAMA_HOST=" + server.Addr(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{Screen: screentest.New(t), t: t}
	b.w = New(Params{
		App: fyne.CurrentApp(), Backend: app, Do: b.Do, OnVisible: func(bool) {}, OnQuit: func() {}, CloseHides: func() bool { return true },
	})
	b.Win = b.w.win
	b.Win.Resize(fyne.NewSize(980, 700))
	t.Cleanup(b.w.End)
	b.w.Show()
	b.w.showPage(pageChat)
	b.Until("ready")
	b.enter("which port?")
	b.Until("The zephyr listens on 8443.")
	name := b.w.chats().Shown().Name
	if tr, err := app.Store.Load(t.Context(), name); err != nil || len(tr.Blocks) < 2 {
		t.Errorf("on disk is %+v, %v", tr, err)
	}
	b.w.OpenSession(name) // of a turn that has ended
	for page, words := range map[page]string{pageSchedules: "New schedule", pageModels: "small:1b"} {
		b.w.goToPage(page)
		b.Until(words)
	}
	b.w.Hide()
}

func TestASlashCommandLeadsToItsPlace(t *testing.T) {
	at := func(p page) func(b *bench) bool { return func(b *bench) bool { return b.w.panes.page == p } }
	for command, done := range map[string]func(b *bench) bool{
		"/memory": at(pageMemory), "/models": at(pageModels), "/schedules": at(pageSchedules), "/tools": at(pageTools), "/settings": at(pageSettings),
		"/find zebra": func(b *bench) bool { return b.w.chat.Find.Open() && b.w.chat.Find.Bar.Entry.Text == "zebra" },
		"/search zebra": func(b *bench) bool {
			return b.w.commands.switcher != nil && b.w.commands.switcher.Entry.Text == "zebra"
		},
		"/shortcuts": func(b *bench) bool { return b.w.commands.list != nil },
		"/html":      func(b *bench) bool { return strings.Contains(b.Markup(), "Nothing of this conversation is saved") },
		"/print":     func(b *bench) bool { return strings.Contains(b.Markup(), "Nothing of this conversation is saved") },
	} {
		t.Run(command, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.w.chat.Send(command)
				b.Settle()
				if !done(b) || len(b.turns.requests) != 0 {
					t.Errorf("it is at %s, sent are %d", b.w.panes.page, len(b.turns.requests))
				}
			})
		})
	}
}

func TestACommandTakesTheConversationOnDisk(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "the question", "the answer")
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.w.chat.Send("/copy")
		b.Settle()
		if got := b.w.p.App.Clipboard().Content(); !strings.Contains(got, "the answer") {
			t.Errorf("copied is %q", got)
		}
	})
}

func TestEveryActionOfTheKeyboardIsDone(t *testing.T) {
	for name, tt := range map[string]struct {
		actions []string
		done    func(b *bench) bool
	}{
		"a page":                   {[]string{"memory"}, func(b *bench) bool { return b.w.panes.page == pageMemory }},
		"the same page":            {[]string{"agents", "agents"}, func(b *bench) bool { return b.w.panes.page == pageAgents }},
		"smaller":                  {[]string{"zoom_out"}, func(b *bench) bool { return b.config().Window.Zoom == 90 }},
		"the actual size":          {[]string{"zoom_out", "zoom_reset"}, func(b *bench) bool { return b.config().Window.Zoom == 100 }},
		"on top":                   {[]string{"pin_on_top"}, func(b *bench) bool { return b.config().Window.OnTop }},
		"no longer on top":         {[]string{"pin_on_top", "pin_on_top"}, func(b *bench) bool { return strings.Contains(b.Markup(), "stays on top until mac-stats restarts") }},
		"the list":                 {[]string{"shortcuts", "shortcuts"}, func(b *bench) bool { return b.w.commands.list == nil }},
		"the search":               {[]string{"search", "search"}, func(b *bench) bool { return b.w.commands.switcher == nil }},
		"the list, not the search": {[]string{"search", "shortcuts"}, func(b *bench) bool { return b.w.commands.switcher == nil && b.w.commands.list != nil }},
		"find from a page":         {[]string{"memory", "find"}, func(b *bench) bool { return b.w.panes.page == pageChat && b.w.chat.Find.Open() }},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				for _, name := range tt.actions {
					for _, a := range b.w.commands.actions() {
						if a.Name == name {
							a.Run()
							b.Settle()
						}
					}
				}
				if !tt.done(b) {
					t.Errorf("after %v it isn't done", tt.actions)
				}
			})
		})
	}
}

// Each Esc closes one thing, the newest first, and the last one stops the answer.
func TestEscClosesOneThingAfterTheOther(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		t.Setenv("HOME", t.TempDir())
		b.w.chat.Send("q")
		b.Settle()
		b.w.chat.Find.Show()
		b.w.win.Canvas().Focus(b.w.chat.Compose.Entry)
		test.Type(b.w.chat.Compose.Entry, "/")
		b.Settle()
		windowHost{b.w}.ChooseFile("A file", "Open", func(string) {})
		for i, open := range []func() bool{
			func() bool { return b.w.chooser.open != nil }, b.w.chat.Slash.Visible, b.w.chat.Find.Open, func() bool { return !b.run(0).Stopped },
		} {
			if !open() {
				t.Fatalf("%d is closed too early", i)
			}
			b.w.win.Canvas().Unfocus()
			b.w.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
			b.Settle()
			if open() {
				t.Errorf("Esc leaves %d open", i)
			}
		}
	})
}

func TestTheListFollowsWhatAnotherProgramWrites(t *testing.T) {
	for name, kind := range map[string]backend.NoticeKind{"a command": backend.NoticeSessions, "a schedule": backend.NoticeSchedule} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b, s := newBench(t).withStore()
				b.shown()
				b.onSchedules()
				b.said(s, "cpu-new", time.Minute, "from elsewhere")
				b.notify(backend.Notice{Kind: kind})
				b.Settle()
				b.listed("# Today", "from elsewhere")
			})
		})
	}
}

func TestTheDemoIsLeftFromItsMenu(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		own := 0
		b.params.OnOwn = func() { own++ }
		b.with(func(p *parts) { p.demo = true })
		b.shown()
		b.tap("demo, no model")
		b.focusedKey(fyne.KeyDown)
		b.focusedKey(fyne.KeyReturn)
		if own != 1 || b.quits != 0 {
			t.Errorf("led to one's own data %d times, quit %d times", own, b.quits)
		}
	})
}

func TestAConversationThatIsGoneIsReported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "the question", "the answer")
		b.shown()
		host := pageHost{windowHost{b.w}}
		host.OpenSession("cpu-gone")
		b.Settle()
		b.Sees("The conversation cpu-gone can", "It was deleted, or was never written")
		host.OpenSession("cpu-a")
		b.Settle()
		b.Sees("the answer", "Copy as text")
		if b.w.panes.page != pageTranscript {
			t.Errorf("%s is shown", b.w.panes.page)
		}
	})
}

func TestTheTranscriptPageShowsTheSessionOfTheChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "the question", "the answer")
		b.shown()
		b.w.goToPage(pageTranscript)
		b.Settle()
		b.Sees("Nothing to read yet")
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.w.goToPage(pageTranscript)
		b.Settle()
		b.Sees("Copy as text", "the answer")
		b.w.goToPage(pageChat)
		if _, err := s.Append(t.Context(), "cpu-a", transcript.Block{Kind: transcript.KindUser, Text: "one more question"}); err != nil {
			t.Fatal(err)
		}
		b.w.goToPage(pageTranscript)
		b.Settle()
		b.Sees("one more question")
		b.Pushes(b.w.panes.reader.Object, "Continue")
		if b.w.panes.page != pageChat || b.w.chats().Shown().Name != "cpu-a" {
			t.Errorf("%s of %s is shown", b.w.panes.page, b.w.chats().Shown().Name)
		}
	})
}

func TestWhatPagesAskOfTheWindow(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		host := pageHost{windowHost{b.w}}
		host.ShowTools()
		if b.w.panes.page != pageTools {
			t.Errorf("%s is shown", b.w.panes.page)
		}
		host.SearchSettings("zoom")
		b.Settle()
		b.Sees("Zoom")
		b.w.p.App.Clipboard().SetContent("a token")
		if got := host.Clipboard(); got != "a token" {
			t.Errorf("on the clipboard is %q", got)
		}
		if items := host.ModelMenu("qwen3:8b", func(string) {}).Items; len(items) != 2 || !items[1].Checked {
			t.Errorf("the models are %+v", items)
		}
		if value, by := host.Chosen("no.such_setting"); value != "" || by != "" {
			t.Errorf("an unknown setting is %q, set by %q", value, by)
		}
		saved := errors.New("not yet")
		host.Choose("window.zoom", "110", func(err error) { saved = err })
		b.Settle()
		b.inFile("zoom = 110")
		if value, _ := host.Chosen("window.zoom"); saved != nil || value != "110" {
			t.Errorf("it is %s, %v", value, saved)
		}
		b.server.mu.Lock()
		b.server.down = errors.New("refused")
		b.server.mu.Unlock()
		host.ModelsChanged()
		b.Settle()
		b.w.goToPage(pageChat)
		b.Sees("Ollama is down")
	})
}

func TestOnlyDroppedFilesAreAttached(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	web, err := storage.ParseURI("https://example.org/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := filePaths([]fyne.URI{web, storage.NewFileURI(path)}); len(got) != 1 || got[0] != filepath.ToSlash(path) {
		t.Errorf("attached are %q", got)
	}
}

func TestALongMessageIsUnfoldedInItsPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, strings.Repeat("a line\n", 60)+"the end", "the answer")
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		before := b.w.chat.View.Port.MaxOffset()
		b.tap("Show all 61 lines")
		if after := b.w.chat.View.Port.MaxOffset(); after < before+400 {
			t.Errorf("the conversation scrolled by %g, now by %g", before, after)
		}
	})
}

func TestAWindowNeedsItsParams(t *testing.T) {
	screentest.New(t)
	all := Params{App: fyne.CurrentApp(), Do: func(func()) {}, OnVisible: func(bool) {}, OnQuit: func() {}, CloseHides: func() bool { return true }}
	for name, change := range map[string]func(p *Params){
		"App": func(p *Params) { p.App = nil }, "Do": func(p *Params) { p.Do = nil }, "OnVisible": func(p *Params) { p.OnVisible = nil },
	} {
		t.Run(name, func(t *testing.T) {
			p := all
			change(&p)
			defer func() {
				if r, _ := recover().(string); !strings.Contains(r, name) {
					t.Errorf("it says %q", r)
				}
			}()
			newWindow(p, parts{})
		})
	}
}

// The drawer of a narrow window is opened from the chat, and left for the message.
func TestTheDrawerIsLeftForTheMessage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(2).shown()
		b.w.win.Resize(fyne.NewSize(420, 700))
		host := libraryHost{windowHost{b.w}}
		host.ShowList()
		host.ShowList()
		if !b.w.root.drawer {
			t.Fatal("the drawer is closed")
		}
		host.LeaveList()
		if b.w.root.drawer || b.w.win.Canvas().Focused() != fyne.Focusable(b.w.chat.Compose.Entry) {
			t.Errorf("the drawer is open: %v; the focus is on %s", b.w.root.drawer, b.focusName())
		}
	})
}

// A session that is deleted while the viewer shows it isn't shown any more.
func TestTheViewerLeavesADeletedSession(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "the question", "the answer")
		b.shown()
		b.reads(s, "cpu-a", "")
		libraryHost{windowHost{b.w}}.Deleted("cpu-a")
		b.Settle()
		if b.w.panes.page != pageChat {
			t.Errorf("%s is shown", b.w.panes.page)
		}
	})
}
