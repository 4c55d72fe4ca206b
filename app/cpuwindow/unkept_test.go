package cpuwindow

import (
	"os"
	"strings"
	"testing"

	"mac-stats/agents"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

func TestAClaimToRememberIsMarkedAndCanBeMadeTrue(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		m := memory.New(memory.Config{Root: t.TempDir()})
		b.with(func(p *parts) { p.memories = m })
		b.w.chat.Send("Remember that I like tea.")
		b.Settle()
		b.run(0).events <- agents.Event{Type: agents.EventDone, Block: "b1", Text: "I'll remember that.", Made: agents.Made{Unkept: true}}
		close(b.run(0).events)
		b.Settle()
		b.Sees("I'll remember that.", "nothing was saved to memory")
		b.tap("Remember this…")
		field, ok := b.w.win.Canvas().Focused().(*kit.Field)
		if !ok || field.Text != "I like tea" {
			t.Fatalf("the focus is on %+v", b.w.win.Canvas().Focused())
		}
		field.SetText("The user likes tea")
		b.tap("Save")
		b.Sees("remembered “The user likes tea”", "Undo")
		saved, err := os.ReadFile(m.Path(memory.Target{Kind: memory.TargetGlobal}))
		if err != nil || !strings.Contains(string(saved), "- The user likes tea") {
			t.Errorf("memory.md: %q, %v", saved, err)
		}
	})
}
