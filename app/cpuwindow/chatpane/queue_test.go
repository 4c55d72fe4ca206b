package chatpane

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
)

func (b *bench) sent() []string {
	var out []string
	for _, r := range b.turns.requests {
		out = append(out, r.Session+" "+r.Text)
	}
	return out
}

func waitingIn(c *conversation.Conversation) []string { return c.Unsent().Queue }

func TestMessagesWaitForTheAnswerAndGoOneByOne(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		for _, text := range []string{"first", "second", "third"} {
			b.enter(text)
		}
		if len(b.turns.requests) != 1 || b.pane.Compose.Entry.Text != "" {
			t.Fatalf("sent %v, in the field %q", b.sent(), b.pane.Compose.Entry.Text)
		}
		b.Sees("next", "second", "waiting", "third", "Send now")
		b.finish(0, "u1")
		b.Sees("next", "third")
		b.finish(1, "u2")
		b.finish(2, "u3")
		name := b.pane.Chats.Shown().Name
		if d := cmp.Diff([]string{name + " first", name + " second", name + " third"}, b.sent()); d != "" {
			t.Error(d)
		}
		b.SeesNot("Send now")
	})
}

func TestTheQueueStaysWithItsSession(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		// given a queued message, when the user is in another chat, then it is sent in
		// its own session and the other chat shows nothing of it
		b := newBench(t).shown()
		b.enter("first")
		b.enter("second")
		first := b.pane.Chats.Shown()
		b.pane.NewChat()
		b.Settle()
		b.SeesNot("Send now")
		b.finish(0, "u1")
		if d := cmp.Diff([]string{first.Name + " first", first.Name + " second"}, b.sent()); d != "" {
			t.Error(d)
		}
		b.SeesNot("second")
		b.pane.OpenSession(first.Name)
		b.Settle()
		b.Sees("second", "answer u1")
	})
}

func TestStopAndErrorsHoldTheQueueBack(t *testing.T) {
	for name, end := range map[string]agents.Event{
		"stop":  {Type: agents.EventError, Kind: fault.KindCancelled},
		"error": {Type: agents.EventError, Kind: fault.KindDown, Text: "Ollama isn't running.", Err: errors.New("x")},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.enter("first")
				b.enter("second")
				b.run(0).Sent <- end
				close(b.run(0).Sent)
				b.Settle()
				b.Sees("paused", "second")
				if len(b.turns.requests) != 1 {
					t.Fatalf("sent %v", b.sent())
				}
				b.waiting("Send now", 0)
				b.Settle()
				if len(b.turns.requests) != 2 || len(waitingIn(b.pane.Chats.Shown())) != 0 {
					t.Errorf("sent %v, waiting %v", b.sent(), waitingIn(b.pane.Chats.Shown()))
				}
			})
		})
	}
}

func TestSendNowStopsTheAnswerAndGoesFirst(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		for _, text := range []string{"first", "second", "third"} {
			b.enter(text)
		}
		b.waiting("Send now", 1)
		if !b.run(0).Stopped {
			t.Fatal("the answer was not stopped")
		}
		b.run(0).Sent <- agents.Event{Type: agents.EventError, Kind: fault.KindCancelled}
		close(b.run(0).Sent)
		b.Settle()
		if got := b.turns.requests[1].Text; got != "third" {
			t.Errorf("sent %q", got)
		}
		if d := cmp.Diff([]string{"second"}, waitingIn(b.pane.Chats.Shown())); d != "" {
			t.Error(d)
		}
	})
}

func TestWaitingMessagesAreEditedAndDeleted(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		for _, text := range []string{"first", "second", "third"} {
			b.enter(text)
		}
		test.Type(b.pane.Compose.Entry, "half")
		b.waiting("Edit", 0)
		if b.pane.Compose.Entry.Text != "second" {
			t.Errorf("in the field: %q", b.pane.Compose.Entry.Text)
		}
		if d := cmp.Diff([]string{"third", "half"}, waitingIn(b.pane.Chats.Shown())); d != "" {
			t.Error("what was written waits: " + d)
		}
		b.waiting("Delete", 0)
		if d := cmp.Diff([]string{"half"}, waitingIn(b.pane.Chats.Shown())); d != "" {
			t.Error(d)
		}
	})
}

func TestEscapeStopsAndKeepsTheQueue(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.enter("first")
		b.enter("second")
		b.pane.Compose.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if !b.run(0).Stopped {
			t.Error("Esc did not stop the run")
		}
		if d := cmp.Diff([]string{"second"}, waitingIn(b.pane.Chats.Shown())); d != "" {
			t.Error(d)
		}
	})
}

func TestDraftsAreNotSavedInMemoryOnlyMode(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.conf.Session.InMemoryOnly = true
		test.Type(b.pane.Compose.Entry, "a secret")
		b.pane.Chats.Drafts.Write()
		if data, err := os.ReadFile(filepath.Join(b.home, "session", "drafts.json")); err == nil {
			t.Errorf("written: %s", data)
		}
	})
}

func TestDraftsStayWithTheirSession(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.pane.Send("q")
		test.Type(b.pane.Compose.Entry, "half a thought")
		first := b.pane.Chats.Shown().Name
		b.pane.NewChat()
		if got := b.pane.Compose.Entry.Text; got != "" {
			t.Errorf("the new chat begins with %q", got)
		}
		test.Type(b.pane.Compose.Entry, "other")
		b.pane.OpenSession(first)
		if got := b.pane.Compose.Entry.Text; got != "half a thought" {
			t.Errorf("back in the first: %q", got)
		}
	})
}
