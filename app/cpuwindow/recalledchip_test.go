package cpuwindow

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestAnAnswerNamesWhatItWasMadeWith(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-old", time.Hour, "the zephyr listens on 8443", "noted")
		old, err := s.Load(t.Context(), "cpu-old")
		if err != nil {
			t.Fatal(err)
		}
		first, second := old.Blocks[0].ID, old.Blocks[1].ID
		b.said(s, "cpu-new", time.Minute, "which port?")
		answer := transcript.Block{Kind: transcript.KindAssistant, Agent: "o", Text: "8443"}.WithRecalled([]transcript.Quotation{
			{Chunk: "cpu-old/" + first + "/0"}, {Chunk: "cpu-old/" + second + "/0"}, {Chunk: "cpu-old/" + second + "/1"},
		})
		if _, err := s.Append(t.Context(), "cpu-new", answer); err != nil {
			t.Fatal(err)
		}
		b.shown()
		b.w.OpenSession("cpu-new")
		b.Settle()
		b.Sees("recalled: 3 notes")
		test.Tap(b.button("recalled: 3 notes", 0))
		b.Settle()
		menu := b.Markup()
		if n := strings.Count(menu, "the zephyr listens on 8443"); n < 2 {
			t.Errorf("the menu names the conversation %d times", n)
		}
		b.press(fyne.KeyEscape)
		b.w.chat.View.Act.OpenRecalled([]agents.RecalledNote{{Session: "cpu-old", Block: first}}, b.w.chat.Compose.Entry)
		b.Settle()
		if b.w.chats().Shown().Name != "cpu-old" {
			t.Errorf("%s is shown", b.w.chats().Shown().Name)
		}
	})
}
