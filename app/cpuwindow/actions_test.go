package cpuwindow

import (
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
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

func TestEditingAMessageStartsABranchInItsPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		test.Tap(b.button("Edit", 0))
		b.Settle()
		b.Sees("Send again", "3 messages after it leave the conversation")
		entry, ok := b.w.win.Canvas().Focused().(*kit.Field)
		if !ok || entry.Text != "question one" {
			t.Fatalf("the focus is in %T", b.w.win.Canvas().Focused())
		}
		entry.SetText("a better question")
		entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		if r := b.turns.requests[0]; r.Edit != "u1" || r.Text != "a better question" {
			t.Fatalf("the request is %+v", r)
		}
		b.finish(0, "u3")
		b.Sees("a better question", "answer u3", "edited")
		b.SeesNot("question one", "answer one", "question two")
	})
}

func TestEscapeLeavesAMessageAsItWas(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.w.chat.Focus()
		b.w.chat.Compose.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyUp})
		b.Settle()
		b.w.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		b.Settle()
		b.Sees("question two", "answer two")
		b.SeesNot("Send again")
		if b.focusName() != "composer" || len(b.turns.requests) != 0 {
			t.Errorf("the focus is in %s, %d sent", b.focusName(), len(b.turns.requests))
		}
	})
}

func TestABranchThatCouldNotBeginChangesNothing(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.w.chat.View.Act.EditMessage("u1", "a better question")
		b.run(0).events <- agents.Event{Type: agents.EventError, Kind: "internal", Text: "The message is no longer part of the conversation.", Err: errors.New("x")}
		close(b.run(0).events)
		b.Settle()
		b.Sees("answer one", "question two", "answer two", "no longer part")
		b.w.chat.View.Act.Retry(lastFault(b.w.chats().Shown()))
		b.Settle()
		if r := b.turns.requests[1]; r.Edit != "u1" || r.Text != "a better question" {
			t.Errorf("the retry is %+v", r)
		}
	})
}

func TestAnsweringAgainSaysSo(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		test.Tap(b.button("Answer again", 1))
		b.Settle()
		if r := b.turns.requests[0]; r.Retry != "u2" {
			t.Fatalf("the request is %+v", r)
		}
		b.run(0).events <- token("another answer")
		b.Settle()
		b.Sees("answered again", "another answer", "answer one")
		b.SeesNot("answer two")
	})
}

func TestAnsweringAnOlderMessageIsAskedAbout(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.w.chat.View.Act.AnswerAgain("u1")
		if len(b.turns.requests) != 0 {
			t.Fatal("it was not asked about")
		}
		b.Sees("Answer this message again?", "3 messages after it leave the conversation.", "Cancel")
	})
}

func TestLinksAndMemoryOfAnAnswerAreReached(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.Sees("Used memory.md · 12 lines", "Links")
		var got []string
		for _, leaves := range b.w.chats().Shown().AnswerLeaves(entriesNow(b.w.chats().Shown())[1].Key) {
			markdown.EachLink(leaves, func(words, url string) { got = append(got, words+" "+url) })
		}
		if strings.Join(got, "|") != "a page http://example.org/p" {
			t.Errorf("links: %v", got)
		}
		test.Tap(b.button("Links", 0))
		b.Sees("a page  ·  http://example.org/p")
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
