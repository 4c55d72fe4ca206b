package cpuwindow

import (
	"os"
	"strings"
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
)

func TestEditsMadeOutsideAppearInTheChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.branched(s, "cpu-a")
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.Sees("20 minutes.")
		path := mustInfo(t, s, "cpu-a").Path
		for old, now := range map[string]string{"20 minutes.": "half an hour.", "how long exactly": "how long now"} {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+".new", []byte(strings.ReplaceAll(string(data), old, now)), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path+".new", path); err != nil { // as editors save
				t.Fatal(err)
			}
			time.Sleep(2 * watchEvery)
			b.Settle()
			b.Sees(now)
			b.SeesNot(old)
		}
	})
}

func TestOnesOwnAnswerIsNoEdit(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.shown()
		b.w.chat.Send("what now?")
		name := b.w.chats().Shown().Name
		b.said(s, name, 0, "what now?", "this")
		ev := b.run(0).events
		ev <- agents.Event{Type: agents.EventState, State: agents.StateThinking, Block: "b0", Agent: "orchestrator", Model: "m"}
		ev <- agents.Event{Type: agents.EventThinking, Text: "hm"}
		ev <- token("this ")
		ev <- agents.Event{Type: agents.EventDone, Block: "b1", Text: "this"}
		close(ev)
		b.Settle()
		tr, err := s.Load(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if b.w.chats().Shown().Differs(tr.Blocks) {
			t.Error("what was just answered is taken for an edit")
		}
		tr.Blocks[1].Text = "that"
		if !b.w.chats().Shown().Differs(tr.Blocks) {
			t.Error("an edit is not seen")
		}
		if !b.w.chats().Shown().Differs(tr.Blocks[:1]) {
			t.Error("a deletion is not seen")
		}
	})
}
