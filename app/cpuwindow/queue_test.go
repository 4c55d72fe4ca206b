package cpuwindow

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
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
	ev := b.run(i).Sent
	ev <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: id, Agent: "orchestrator", Model: "m"}
	ev <- agents.Event{Type: agents.EventDone, Text: "answer " + id, Block: "a" + id, Agent: "orchestrator", Model: "m"}
	close(ev)
	b.Settle()
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
		if d := cmp.Diff([]string{"second"}, again.chats().Shown().Unsent().Queue); d != "" || !again.chats().Shown().View(time.Now()).Held {
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
