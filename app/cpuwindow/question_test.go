package cpuwindow

import (
	"testing"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
)

func TestAQuestionIsAnsweredInTheChat(t *testing.T) {
	const address = "https://evil.example/?d=green-tea"
	for _, tt := range []struct {
		button string
		answer agents.Answer
		see    string
	}{
		{"Allow once", agents.AnswerOnce, "you allowed once: " + address},
		{"Don't allow", agents.AnswerNo, "not done: " + address},
	} {
		t.Run(tt.button, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.w.send("read the page")
				b.Settle()
				if !b.turns.requests[0].CanAsk {
					t.Error("the turn was not told that it can ask")
				}
				q := agents.Question{ID: "call-1", Tool: "FETCH_URL", What: address, Where: "evil.example", Answers: []agents.Answer{agents.AnswerOnce, agents.AnswerNo, agents.AnswerNever}}
				b.run(0).events <- agents.Event{Type: agents.EventQuestion, Question: &q}
				b.run(0).events <- agents.Event{Type: agents.EventState, State: agents.StateAsking}
				b.Settle()
				b.Sees("an address of evil.example", address, "waiting for your answer")
				b.tap(tt.button)
				if got := b.run(0).answers["call-1"]; got != tt.answer {
					t.Errorf("answered %q", got)
				}
				answered := q
				answered.Answer = tt.answer
				b.run(0).events <- agents.Event{Type: agents.EventQuestion, Question: &answered}
				b.Settle()
				b.Sees(tt.see)
				b.SeesNot("Allow once", "Don't allow")
			})
		})
	}
}
