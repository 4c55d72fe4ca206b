package cpuwindow

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/prose"
	"mac-stats/app/ui/screentest"
)

// counts fails the test unless the find bar shows want.
func (b *bench) counts(want string) {
	b.t.Helper()
	b.Settle()
	if got := b.w.chat.Find.Bar.Count.Text; got != want {
		b.t.Errorf("the bar says %q, want %q", got, want)
	}
}

// marked returns the number of marked places in the chat.
func (b *bench) marked() (n int) {
	for _, p := range b.w.chat.View.Port.Rows {
		switch r := p.Row.(type) {
		case *prose.Text:
			n += len(r.Marks)
		case *column.Framed:
			n += len(r.Text.Marks)
		}
	}
	return n
}

func TestFindInTheChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		var texts []string
		for i := range 200 { // more than are shown at once
			switch i {
			case 10:
				texts = append(texts, "the *Zebra* crossed")
			case 61:
				texts = append(texts, "a **zeb**ra, and one more zebra")
			case 190:
				texts = append(texts, "one zebra more")
			default:
				texts = append(texts, fmt.Sprintf("message %d", i))
			}
		}
		b.said(s, "cpu-a", 0, texts...)
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.w.chat.Compose.Entry.SetText("half a thought")
		if b.w.commands.find(); b.w.panes.page != pageChat {
			t.Fatal("find leaves the chat")
		}
		test.Type(b.w.chat.Find.Bar.Entry, "ZEBRA")
		b.counts("4 of 4")
		if b.marked() != 1 {
			t.Errorf("%d places are marked", b.marked())
		}
		b.press(fyne.KeyUp)
		b.counts("3 of 4")
		b.Sees("and one more")
		b.press(fyne.KeyUp, fyne.KeyUp)
		b.counts("1 of 4")
		b.Sees("crossed")
		b.press(fyne.KeyUp)
		b.counts("4 of 4")
		b.Sees("one", "more")
		b.press(fyne.KeyUp)
		b.press(fyne.KeyEscape)
		b.Settle()
		if p := b.w.chat.View.Port; p.Offset != p.MaxOffset() || b.marked() != 0 || b.w.chat.Find.Open() {
			t.Errorf("Esc leaves the reader at %v of %v with %d marks", p.Offset, p.MaxOffset(), b.marked())
		}
		if b.w.win.Canvas().Focused() != fyne.Focusable(b.w.chat.Compose.Entry) || b.w.chat.Compose.Entry.Text != "half a thought" {
			t.Error("Esc does not lead back to the message")
		}
	})
}

func TestFindWhileAnAnswerStreams(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.chat.Send("tell me of the zebra")
		ev := b.run(0).events
		ev <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"}
		ev <- token("A zebra is striped. ")
		b.Settle()
		b.w.commands.find()
		test.Type(b.w.chat.Find.Bar.Entry, "zebra")
		b.counts("1 of 2")
		b.press(fyne.KeyReturn)
		b.counts("2 of 2")
		ev <- token("One zebra more.\n\n| who |\n| --- |\n| zebra |\n")
		b.counts("2 of 4")
		if b.marked() < 3 {
			t.Errorf("%d places are marked", b.marked())
		}
		b.press(fyne.KeyEscape)
		b.Settle()
		if b.w.chat.Find.Open() || !b.w.chats().Shown().Busy() {
			t.Error("Esc stops the answer before it closes the bar")
		}
		b.w.NewChat()
		b.w.commands.find()
		b.counts("not found")
	})
}
