package cpuwindow

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// talked returns a bench with a conversation of two turns.
func talked(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.sessions.files["cpu-x"] = &transcript.Transcript{Info: transcript.Info{Name: "cpu-x", Path: "/x", Title: "x"}, Blocks: []transcript.Block{
		{ID: "u1", Kind: transcript.KindUser, Text: "question one"},
		{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u1", Text: "answer one with [a page](http://example.org/p)", Attrs: map[string]string{"memory": "memory.md:12"}},
		{ID: "u2", Kind: transcript.KindUser, Text: "question two"},
		{ID: "a2", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u2", Text: "answer two"},
	}}
	b.shown()
	b.w.OpenSession("cpu-x")
	b.Settle()
	return b
}

// button returns the nth button of the chat with a label, from the top.
func (b *bench) button(label string, n int) *kit.Button {
	b.t.Helper()
	var found []*kit.Button
	var walk func(o fyne.CanvasObject)
	walk = func(o fyne.CanvasObject) {
		switch x := o.(type) {
		case *kit.Button:
			if x.Text == label {
				found = append(found, x)
			}
		case *fyne.Container:
			for _, o := range x.Objects {
				walk(o)
			}
		case fyne.Widget:
			for _, o := range test.WidgetRenderer(x).Objects() {
				walk(o)
			}
		}
	}
	walk(b.w.chat.View.Object)
	if n >= len(found) {
		b.t.Fatalf("%d buttons %q", len(found), label)
	}
	return found[n]
}

func TestActionsShowUnderThePointerAndOnTheNewest(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		older, newest := b.button("Answer again", 0), b.button("Answer again", 1)
		if older.Group.Visible() || !newest.Group.Visible() {
			t.Fatalf("at rest: older %v, newest %v", older.Group.Visible(), newest.Group.Visible())
		}
		port := b.w.chat.View.Port
		var y float32
		for _, p := range port.Rows {
			if p.Hover == older.Group {
				y = p.Top - port.Offset + 2
			}
		}
		port.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(300, y)}})
		if !older.Group.Visible() {
			t.Error("not shown under the pointer")
		}
		port.MouseOut()
		if older.Group.Visible() {
			t.Error("still shown")
		}
		b.w.win.Canvas().Focus(older)
		if !older.Group.Visible() {
			t.Error("not shown with the focus")
		}
	})
}

func TestOpenedCallAtTheEndStaysVisible(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		// given a reader at the end, when a visible call is opened, then its row stays
		// where it was
		b := newBench(t).shown()
		b.w.chat.Send("q")
		ev := b.run(0).events
		ev <- token(strings.Repeat("a paragraph\n\n", 40))
		ev <- agents.Event{Type: agents.EventTool, Call: &agents.Call{ID: "c1", Name: "SYSTEM_STATS", Task: "all", Done: true, Result: strings.Repeat("a line\n", 60)}}
		b.Settle()
		port, call := b.w.chat.View.Port, entriesNow(b.w.chats().Shown())[len(entriesNow(b.w.chats().Shown()))-1]
		if !port.Follow {
			t.Fatal("the end is not followed")
		}
		row := b.w.chat.View.Built[call.Key].Call
		before := row.Position().Y
		b.w.chat.View.Toggle(call.Key)
		if after := row.Position().Y; after != before || port.Follow {
			t.Errorf("the row went from %g to %g, the end is followed: %v", before, after, port.Follow)
		}
		b.w.chat.View.Toggle(call.Key)
		if after := row.Position().Y; after != before || !port.Follow {
			t.Errorf("closed, the row is at %g, the end is followed: %v", after, port.Follow)
		}
	})
}
