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
		events := b.run(0).Sent
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
		b.run(1).Sent <- agents.Event{Type: agents.EventToken, Text: "Here all goes on."}
		b.Settle()
		b.Sees("Here all goes on.", "a question waits for you")
		answered := q
		answered.Answer = agents.AnswerNo
		events <- agents.Event{Type: agents.EventQuestion, Question: &answered}
		b.Settle()
		b.SeesNot("a question waits for you")
	})
}
