package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// bench is a chat in a window of its own, which is its host, with a conversation.
type bench struct {
	*screentest.Screen
	t    *testing.T
	view *View
	c    *conversation.Conversation
	did  []string // what the chat asked for
}

// run is a turn under way that sends nothing.
type run struct{}

func (run) Events(context.Context) <-chan agents.Event { return nil }
func (run) Stop()                                      {}
func (run) StopCall(string)                            {}
func (run) Answer(string, agents.Answer) bool          { return true }

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{Screen: screentest.New(t), t: t, c: conversation.New("cpu-x")}
	did := func(what string) func(...any) {
		return func(about ...any) { b.did = append(b.did, strings.TrimSpace(what+" "+fmt.Sprintln(about...))) }
	}
	b.view = New(Actions{
		MessageActions: MessageActions{
			CopyAnswer: func(key string) { did("copy")(b.c.AnswerText(key)) }, AnswerAgain: func(block string) { did("again")(block) },
			AnswerWith: func(block string, _ fyne.CanvasObject) { did("again with")(block) }, UseVersion: func(id string, back bool) { did("version")(id, back) },
			StartEdit: func(r *EditRow) { b.Do(func() { b.Win.Canvas().Focus(r.Entry) }) }, EditMessage: func(block, text string) { did("edit")(block, text) },
			ForgetMessage: func(block string) { did("forget")(block) }, Remember: func(line string) { did("remember")(line) },
			ShowLinks: func(string, fyne.CanvasObject) { did("links")() }, OpenRecalled: func(notes []agents.RecalledNote, _ fyne.CanvasObject) { did("recalled")(len(notes)) },
			DecideRemoved: func(restore bool) { did("restore")(restore) },
		},
		TurnActions: TurnActions{
			Retry: func(f conversation.Fault) { did("retry")(f.UserID, f.Text) }, GoOn: func() { did("go on")() }, StopCall: func(id string) { did("stop")(id) },
			Answer: func(id string, a agents.Answer) { did("answer")(id, a) }, Pull: func(model string) { did("pull")(model) }, Recheck: func() { did("re-check")() },
			UseModel: func(model string, _ conversation.Fault) { did("use")(model) }, SendWithoutImages: func(conversation.Fault) { did("without images")() },
			EditInComposer: func(f conversation.Fault) { did("compose")(f.Text) },
			TurnOn:         func(f conversation.Fault) { did("turn on")(f.Off.Name) },
		},
		MemoryActions: MemoryActions{
			Undo: func(_, id string) { did("undo")(id) }, Decide: func(_, id string, save bool) { did("decide")(id, save) },
			SaveEdited: func(_, id, text string) { did("save edited")(id, text) },
			OpenInbox:  func() { did("inbox")() }, OpenMemory: func(name string) { did("memory")(name) },
		},
		CopyText: func(text string) { did("copy")(text) }, OpenLink: func(url string) { did("link")(url) }, OpenFolder: func() { did("folder")() },
		ShowMenu: func(items []*fyne.MenuItem, _ fyne.CanvasObject) {
			for _, it := range items {
				did("menu")(it.Label)
				it.Action()
			}
		},
		ShowOlder: func() { did("older")() }, TypeInto: func(r rune) { did("type")(string(r)) }, FocusComposer: func() { did("composer")() },
	})
	b.Win = test.NewTempWindow(t, kit.NewRoot(b, layout.NewStackLayout(), b.view.Object))
	b.Win.SetPadded(false)
	b.Win.Resize(fyne.NewSize(640, 700))
	return b
}

func (b *bench) RunKey(*fyne.KeyEvent) bool     { return false }
func (b *bench) RunShortcut(fyne.Shortcut) bool { return false }
func (b *bench) Typed(rune)                     {}
func (b *bench) Escape()                        {}
func (b *bench) Reveal(fyne.CanvasObject)       {}
func (b *bench) Remeasure(r kit.Row)            { b.view.Port.Remeasure(r) }

// shows draws the conversation.
func (b *bench) shows() {
	b.view.Show(b.c.View(time.Now()))
	b.Settle()
}

// sends begins a turn.
func (b *bench) sends(text string) {
	b.c.Begin(text, time.Now())
	b.c.SetRun(run{})
	b.shows()
}

// gets applies events of the turn.
func (b *bench) gets(events ...agents.Event) {
	for _, ev := range events {
		b.c.Apply(ev)
	}
	b.shows()
}

// reads shows a transcript.
func (b *bench) reads(blocks ...transcript.Block) {
	b.c.Fill(&transcript.Transcript{Info: transcript.Info{Name: "cpu-x", Path: "/x", Title: "x"}, Blocks: blocks})
	b.shows()
}

// entry shows a conversation of one entry.
func (b *bench) entry(fill func(e *conversation.EntryView)) {
	e := conversation.EntryView{}
	e.Key = "key"
	fill(&e)
	b.view.Show(conversation.View{Name: "one", Entries: []conversation.EntryView{e}})
	b.Settle()
}

func token(s string) agents.Event {
	return agents.Event{Type: agents.EventToken, Round: 1, Text: s, Agent: "orchestrator", Model: "qwen3:8b"}
}

// entries returns the entries that are shown.
func (b *bench) entries() []conversation.EntryView { return b.c.View(time.Now()).Entries }

// leads fails the test unless the chat asked for this last.
func (b *bench) leads(want string) {
	b.t.Helper()
	if n := len(b.did); n == 0 || b.did[n-1] != want {
		b.t.Errorf("the chat asked for %q, want %q", b.did, want)
	}
}

// button returns the nth button with a label, from the top, whether the pointer is there or
// not.
func (b *bench) button(label string, n int) *kit.Button {
	b.t.Helper()
	found := screentest.Buttons(b.view.Object, label)
	if n >= len(found) {
		b.t.Fatalf("%d buttons %q", len(found), label)
	}
	return found[n]
}

// taps presses the nth button with a label.
func (b *bench) taps(label string, n int) {
	b.t.Helper()
	test.Tap(b.button(label, n))
	b.Settle()
}

// twoTurns are a conversation of two turns.
func twoTurns() []transcript.Block {
	return []transcript.Block{
		{ID: "u1", Kind: transcript.KindUser, Text: "question one"},
		{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u1", Text: "answer one with [a page](http://example.org/p)", Attrs: map[string]string{"memory": "memory.md:12"}},
		{ID: "u2", Kind: transcript.KindUser, Text: "question two"},
		{ID: "a2", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u2", Text: "answer two"},
	}
}
