package chatpane

import (
	"fmt"
	"strings"
	"testing"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestTheMeterOpensTheSummary(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		var texts []string
		for i := range 100 {
			texts = append(texts, fmt.Sprint("question ", i), fmt.Sprint("answer ", i))
		}
		b.said("cpu-x", texts...)
		b.saved("cpu-x", transcript.Block{ID: "s1", Kind: transcript.KindSummary, Through: "b191", Text: "in short s1"})
		b.shown()
		b.pane.OpenSession("cpu-x")
		b.Settle()
		b.Sees("192 older messages summarised")
		b.SeesNot("in short s1")
		b.pane.View.OpenSummary()
		b.Settle()
		b.Sees("192 older messages summarised · hide", "in short s1")
	})
}

func TestTheJumpCountsNewMessages(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.pane.Send("q")
		b.run(0).Sent <- token(strings.Repeat("long words\n\n", 60))
		b.Settle()
		b.pane.View.Port.ScrollTo(100)
		b.Settle()
		b.Sees("Jump to latest ↓")
		b.pane.Chats.Shown().Enqueue("next", nil)
		b.run(0).Sent <- agents.Event{Type: agents.EventDone, Block: "a1", Agent: "orchestrator", Model: "m"}
		close(b.run(0).Sent)
		b.Settle()
		b.Sees("1 new message ↓")
		b.run(1).Sent <- token("more")
		b.Settle()
		b.Sees("2 new messages ↓")
		b.pane.View.Port.ToEnd()
		b.pane.View.Port.ScrollTo(100)
		b.Sees("Jump to latest ↓")
	})
}
