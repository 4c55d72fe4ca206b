package chatpane

import (
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestSwitchingBetweenVersions(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.Win.Resize(fyne.NewSize(980, 1000))
		b.branched("cpu-a")
		b.saved("cpu-a",
			transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: "q3", Text: "a3"},
			transcript.Block{ID: "t4", Kind: transcript.KindTool, Agent: "SYSTEM_STATS", Parent: "q3", Text: "numbers"},
			transcript.Block{ID: "a4", Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "q3", Text: "21 minutes."})
		b.shown()
		b.pane.OpenSession("cpu-a")
		b.Until("how long exactly", "21 minutes.", "2 / 2")
		b.SeesNot("answered again", "20 minutes.", "zebra way")
		c := b.Win.Canvas()
		press := func(sign string, nth int) {
			t.Helper()
			btn := b.button(sign, nth)
			c.Focus(btn)
			btn.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			b.Settle()
		}
		press("‹", 1) // of the answer
		b.Until("20 minutes.", "1 / 2")
		b.SeesNot("21 minutes.")
		if got := b.Focus(); got != "›" {
			t.Errorf("the focus is on %q", got)
		}
		press("‹", 0) // of the message
		b.Until("how long, the zebra way", "Long.")
		b.SeesNot("minutes")
		press("›", 0)
		b.Until("how long exactly", "20 minutes.") // as the user left it
		window, err := b.store.Context(t.Context(), "cpu-a")
		if err != nil || window.Messages[len(window.Messages)-1].ID != "a3" {
			t.Errorf("a model is told %+v, %v", window.Messages, err)
		}
		b.pane.Send("go on")
		b.Settle()
		test.Tap(b.button("‹", 0))
		b.Settle()
		b.says("Another version can be shown when the answer is done")
		b.Sees("20 minutes.")
	})
}

func TestTheChatShowsWhatASaveRemoved(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.said("cpu-a", "the first question", "the first answer")
		b.shown().opened("cpu-a")
		path := b.onDisk("cpu-a").Info.Path
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		remove := func() {
			at := strings.Index(string(whole), "\n## Assistant")
			if err := os.WriteFile(path, whole[:at], 0o600); err != nil {
				t.Fatal(err)
			}
			b.pane.Chats.Reload()
			b.Settle()
		}
		b.Sees("the first answer")
		b.SeesNot("no longer in the file")

		remove()
		b.SeesNot("the first answer")
		b.Sees("1 message is no longer in the file")
		b.tap("Restore")
		b.Settle()
		b.Sees("the first answer")
		b.SeesNot("no longer in the file")
		if now, err := os.ReadFile(path); err != nil || string(now) != string(whole) {
			t.Errorf("the file is\n%s", now)
		}

		remove()
		b.tap("Keep removed")
		b.Settle()
		b.SeesNot("the first answer", "no longer in the file")
	})
}

func TestOwnAnswerIsNotTakenForAnEdit(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.shown()
		b.pane.Send("what now?")
		name := b.pane.Chats.Shown().Name
		b.said(name, "what now?", "this")
		ev := b.run(0).Sent
		ev <- agents.Event{Type: agents.EventState, State: agents.StateThinking, Block: "b0", Agent: "orchestrator", Model: "m"}
		ev <- agents.Event{Type: agents.EventThinking, Text: "hm"}
		ev <- token("this ")
		ev <- agents.Event{Type: agents.EventDone, Block: "b1", Text: "this"}
		close(ev)
		b.Settle()
		tr := b.onDisk(name)
		if b.pane.Chats.Shown().Differs(tr.Blocks) {
			t.Error("what was just answered is taken for an edit")
		}
		tr.Blocks[1].Text = "that"
		if !b.pane.Chats.Shown().Differs(tr.Blocks) {
			t.Error("an edit is not seen")
		}
		if !b.pane.Chats.Shown().Differs(tr.Blocks[:1]) {
			t.Error("a deletion is not seen")
		}
	})
}
