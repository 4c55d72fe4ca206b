package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestSwitchingBetweenVersions(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.w.win.Resize(fyne.NewSize(980, 1000))
		b.branched(s, "cpu-a")
		for _, blk := range []transcript.Block{
			{Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: "q3", Text: "a3"},
			{ID: "t4", Kind: transcript.KindTool, Agent: "SYSTEM_STATS", Parent: "q3", Text: "numbers"},
			{ID: "a4", Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "q3", Text: "21 minutes."},
		} {
			if _, err := s.Append(t.Context(), "cpu-a", blk); err != nil {
				t.Fatal(err)
			}
		}
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Until("how long exactly", "21 minutes.", "2 / 2")
		b.SeesNot("answered again", "20 minutes.", "zebra way")
		c := b.w.win.Canvas()
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
		if got := b.focusName(); got != "›" {
			t.Errorf("the focus is on %q", got)
		}
		press("‹", 0) // of the message
		b.Until("how long, the zebra way", "Long.")
		b.SeesNot("minutes")
		press("›", 0)
		b.Until("how long exactly", "20 minutes.") // as the user left it
		window, err := s.Context(t.Context(), "cpu-a")
		if err != nil || window.Messages[len(window.Messages)-1].ID != "a3" {
			t.Errorf("a model is told %+v, %v", window.Messages, err)
		}
		b.w.chat.Send("go on")
		b.Settle()
		test.Tap(b.button("‹", 0))
		b.Settle()
		b.Sees("Another version can be shown when the answer is done", "20 minutes.")
	})
}
