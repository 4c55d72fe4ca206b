package cpuwindow

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// enter types a message and presses Enter.
func (b *bench) enter(text string) {
	test.Type(b.w.chat.Compose.Entry, text)
	b.w.chat.Compose.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	b.Settle()
}

// finish ends a run successfully; its message has the block ID id.
func (b *bench) finish(i int, id string) {
	ev := b.run(i).events
	ev <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: id, Agent: "orchestrator", Model: "m"}
	ev <- agents.Event{Type: agents.EventDone, Text: "answer " + id, Block: "a" + id, Agent: "orchestrator", Model: "m"}
	close(ev)
	b.Settle()
}

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
		if len(b.turns.requests) != 1 || b.w.chat.Compose.Entry.Text != "" {
			t.Fatalf("sent %v, in the field %q", b.sent(), b.w.chat.Compose.Entry.Text)
		}
		b.Sees("next", "second", "waiting", "third", "Send now")
		b.finish(0, "u1")
		b.Sees("next", "third")
		b.finish(1, "u2")
		b.finish(2, "u3")
		name := b.w.chats().Shown().Name
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
		first := b.w.chats().Shown()
		b.w.NewChat()
		b.Settle()
		b.SeesNot("Send now")
		b.finish(0, "u1")
		if d := cmp.Diff([]string{first.Name + " first", first.Name + " second"}, b.sent()); d != "" {
			t.Error(d)
		}
		b.SeesNot("second")
		b.w.OpenSession(first.Name)
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
				b.run(0).events <- end
				close(b.run(0).events)
				b.Settle()
				b.Sees("paused", "second")
				if len(b.turns.requests) != 1 {
					t.Fatalf("sent %v", b.sent())
				}
				b.waiting("Send now", 0)
				b.Settle()
				if len(b.turns.requests) != 2 || len(waitingIn(b.w.chats().Shown())) != 0 {
					t.Errorf("sent %v, waiting %v", b.sent(), waitingIn(b.w.chats().Shown()))
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
		if !b.run(0).stopped {
			t.Fatal("the answer was not stopped")
		}
		b.run(0).events <- agents.Event{Type: agents.EventError, Kind: fault.KindCancelled}
		close(b.run(0).events)
		b.Settle()
		if got := b.turns.requests[1].Text; got != "third" {
			t.Errorf("sent %q", got)
		}
		if d := cmp.Diff([]string{"second"}, waitingIn(b.w.chats().Shown())); d != "" {
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
		test.Type(b.w.chat.Compose.Entry, "half")
		b.waiting("Edit", 0)
		if b.w.chat.Compose.Entry.Text != "second" {
			t.Errorf("in the field: %q", b.w.chat.Compose.Entry.Text)
		}
		if d := cmp.Diff([]string{"third", "half"}, waitingIn(b.w.chats().Shown())); d != "" {
			t.Error("what was written waits: " + d)
		}
		b.waiting("Delete", 0)
		if d := cmp.Diff([]string{"half"}, waitingIn(b.w.chats().Shown())); d != "" {
			t.Error(d)
		}
	})
}

func TestEscapeStopsAndKeepsTheQueue(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.enter("first")
		b.enter("second")
		b.w.chat.Compose.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if !b.run(0).stopped {
			t.Error("Esc did not stop the run")
		}
		if d := cmp.Diff([]string{"second"}, waitingIn(b.w.chats().Shown())); d != "" {
			t.Error(d)
		}
	})
}

func TestUnsentMessagesSurviveARestart(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.enter("first")
		b.enter("second")
		test.Type(b.w.chat.Compose.Entry, "half a thought")
		name := b.w.chats().Shown().Name
		b.sessions.files[name] = &transcript.Transcript{Info: transcript.Info{Name: name, Path: "/x"}, Blocks: []transcript.Block{{ID: "u1", Kind: transcript.KindUser, Text: "first"}}}
		b.w.NewChat()
		test.Type(b.w.chat.Compose.Entry, "a new idea")
		b.w.quit()

		b.with(func(*parts) {})
		again := b.w
		if got := again.chat.Compose.Entry.Text; got != "a new idea" {
			t.Errorf("the new chat begins with %q", got)
		}
		again.OpenSession(name)
		if got := again.chat.Compose.Entry.Text; got != "half a thought" {
			t.Errorf("the draft is %q", got)
		}
		if d := cmp.Diff([]string{"second"}, waitingIn(again.chats().Shown())); d != "" || !again.chats().Shown().View(time.Now()).Held {
			t.Errorf("held %v, %s", again.chats().Shown().View(time.Now()).Held, d)
		}
		again.chat.Put("")
		b.Settle()
		b.waiting("Delete", 0)
		again.NewChat()
		if got := again.chat.Compose.Entry.Text; got != "a new idea" {
			t.Errorf("back in the new chat: %q", got)
		}
		again.chat.Put("")
		again.chats().Drafts.Write()
		if _, err := os.Stat(filepath.Join(b.home, "session", "drafts.json")); !os.IsNotExist(err) {
			t.Errorf("an empty file stays: %v", err)
		}
	})
}

func TestDraftsAreNotSavedInMemoryOnlyMode(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.set("session.in_memory_only", "true")
		test.Type(b.w.chat.Compose.Entry, "a secret")
		b.w.chats().Drafts.Write()
		if data, err := os.ReadFile(filepath.Join(b.home, "session", "drafts.json")); err == nil {
			t.Errorf("written: %s", data)
		}
	})
}

// waiting presses a button of the nth queued message.
func (b *bench) waiting(label string, nth int) {
	b.t.Helper()
	b.Settle()
	for _, o := range test.LaidOutObjects(b.w.win.Canvas().Content()) {
		if btn, ok := o.(*kit.Button); ok && btn.Text == label && btn.Visible() {
			if nth == 0 {
				test.Tap(btn)
				return
			}
			nth--
		}
	}
	b.t.Fatalf("no button %q", label)
}
