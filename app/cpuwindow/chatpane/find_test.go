package chatpane

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
	if got := b.pane.Find.Bar.Count.Text; got != want {
		b.t.Errorf("the bar says %q, want %q", got, want)
	}
}

// marked returns the number of marked places in the chat.
func (b *bench) marked() (n int) {
	for _, p := range b.pane.View.Port.Rows {
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
		b := newBench(t)
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
		b.said("cpu-a", texts...)
		b.shown()
		b.pane.OpenSession("cpu-a")
		b.Settle()
		b.pane.Compose.Entry.SetText("half a thought")
		b.pane.Find.Show()
		test.Type(b.pane.Find.Bar.Entry, "ZEBRA")
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
		if p := b.pane.View.Port; p.Offset != p.MaxOffset() || b.marked() != 0 || b.pane.Find.Open() {
			t.Errorf("Esc leaves the reader at %v of %v with %d marks", p.Offset, p.MaxOffset(), b.marked())
		}
		if b.Win.Canvas().Focused() != fyne.Focusable(b.pane.Compose.Entry) || b.pane.Compose.Entry.Text != "half a thought" {
			t.Error("Esc does not lead back to the message")
		}
	})
}

func TestFindWhileAnAnswerStreams(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.pane.Send("tell me of the zebra")
		ev := b.run(0).Sent
		ev <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"}
		ev <- token("A zebra is striped. ")
		b.Settle()
		b.pane.Find.Show()
		test.Type(b.pane.Find.Bar.Entry, "zebra")
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
		if b.pane.Find.Open() || !b.pane.Chats.Shown().Busy() {
			t.Error("Esc stops the answer before it closes the bar")
		}
		b.pane.NewChat()
		b.pane.Find.Show()
		b.counts("not found")
	})
}
