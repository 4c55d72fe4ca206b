package sessioncmd_test

import (
	"fmt"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

func TestSessionsCompact(t *testing.T) {
	t.Parallel()
	script := clitest.Answering("ok")
	script.Rules = append([]testkit.Rule{{
		Task:  "You compress a conversation",
		Reply: testkit.Reply{Text: `{"context":"They count.","lessons":[],"people":[]}`},
	}}, script.Rules...)
	e := clitest.New(t, script)
	for i := range 3 {
		e.Must(t, "ask", "--session", "n", fmt.Sprintf("number %d", i))
	}
	got := clitest.Objects(t, e.Must(t, "sessions", "compact", "n", "--json"))
	if len(got) != 1 || got[0]["type"] != "compaction" || got[0]["messages"] != 2.0 || got[0]["recent"] != 4.0 || got[0]["by"] != "qwen3:8b" {
		t.Errorf("%v", got)
	}
	if out := e.Must(t, "sessions", "compact", "n"); !strings.Contains(out, "nothing to summarise") {
		t.Errorf("again: %q", out)
	}
	if shown := e.Must(t, "sessions", "show", "n"); !strings.Contains(shown, "number 0") || !strings.Contains(shown, "They count.") {
		t.Errorf("transcript:\n%s", shown)
	}
	e.Must(t, "ask", "--session", "n", "number 3")
	chats := e.Server.Chats()
	if sent := chats[len(chats)-1].Chat.Messages; len(sent) != 7 || !strings.Contains(sent[1].Content, "They count.") {
		t.Errorf("sent %+v", sent)
	}
	if o := e.Run(t, "sessions", "compact", "none"); o.Code != clitest.Failed {
		t.Errorf("%+v", o)
	}
}

func TestSessionsCompactReportsTheLessons(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Summarizing(`{"context":"They count numbers that matter.","lessons":[
		{"text":"The user counts numbers.","confidence":0.9},
		{"text":"The user counts <|all|> numbers.","confidence":1},
		{"text":"The numbers matter to the user."}],"people":[]}`))
	for i := range 4 {
		e.Must(t, "ask", "--session", "n", fmt.Sprintf("number %d of the numbers that I count, and they matter.", i))
	}
	o := e.Run(t, "sessions", "compact", "n")
	for _, want := range []string{"remembered: 1", "waiting for you in the inbox: 1 (the model didn't say how sure it is)", "dropped: 1"} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("%q is not in %q", want, o.Stdout)
		}
	}
	if waits := e.Must(t, "memory", "inbox"); !strings.Contains(waits, "The numbers matter to the user.") || !strings.Contains(waits, "didn't say how sure") {
		t.Errorf("inbox: %s", waits)
	}
	e.Must(t, "memory", "undo")
	if list := e.Must(t, "memory", "list"); strings.Contains(list, "counts numbers") {
		t.Errorf("after undo: %s", list)
	}
}

func TestAskLeavesADueSessionToTheRunningApp(t *testing.T) {
	t.Parallel()
	for _, runs := range []bool{true, false} {
		t.Run(fmt.Sprint("the app runs: ", runs), func(t *testing.T) {
			e := clitest.New(t, clitest.Summarizing(`{"context":"They count.","lessons":[],"people":[]}`))
			e.AppRuns = runs
			for i := range 5 {
				e.Must(t, "ask", "--session", "n", fmt.Sprintf("number %d", i))
			}
			summarised := 0
			for _, chat := range e.Server.Chats() {
				if messages := chat.Chat.Messages; strings.Contains(messages[0].Content+messages[len(messages)-1].Content, "You compress a conversation") {
					summarised++
				}
			}
			if (summarised == 0) != runs || len(e.Poked) != 5 {
				t.Errorf("%d compactions, %d times the app was told", summarised, len(e.Poked))
			}
		})
	}
}
