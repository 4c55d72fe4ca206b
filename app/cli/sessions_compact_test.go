package cli

import (
	"fmt"
	"strings"
	"testing"

	"mac-stats/agents/ollamatest"
)

func TestSessionsCompact(t *testing.T) {
	script := answering("ok")
	script.Rules = append([]ollamatest.Rule{{
		SystemContains: "You compress a conversation",
		Reply:          ollamatest.Reply{Text: `{"context":"They count.","lessons":[],"people":[]}`},
	}}, script.Rules...)
	e := newEnv(t, script)
	for i := range 3 {
		e.must(t, "ask", "--session", "n", fmt.Sprintf("number %d", i))
	}
	got := objects(t, e.must(t, "sessions", "compact", "n", "--json"))
	if len(got) != 1 || got[0]["type"] != "compaction" || got[0]["messages"] != 2.0 || got[0]["recent"] != 4.0 || got[0]["by"] != "qwen3:8b" {
		t.Errorf("%v", got)
	}
	if out := e.must(t, "sessions", "compact", "n"); !strings.Contains(out, "nothing to summarise") {
		t.Errorf("again: %q", out)
	}
	if shown := e.must(t, "sessions", "show", "n"); !strings.Contains(shown, "number 0") || !strings.Contains(shown, "They count.") {
		t.Errorf("transcript:\n%s", shown)
	}
	e.must(t, "ask", "--session", "n", "number 3")
	chats := e.server.Chats()
	if sent := chats[len(chats)-1].Chat.Messages; len(sent) != 7 || !strings.Contains(sent[1].Content, "They count.") {
		t.Errorf("sent %+v", sent)
	}
	if o := e.run(t, "sessions", "compact", "none"); o.code != exitFailed {
		t.Errorf("%+v", o)
	}
}
