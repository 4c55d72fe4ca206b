package conversation

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
)

// slow is the minimum duration of each step that shows its duration.
const slow = 60 * time.Millisecond

// appearance returns what the rows and the badge of a conversation show.
func appearance(c *Conversation) (out []map[string]any) {
	v := c.View(time.Now())
	for _, e := range v.Entries {
		text := e.Text
		if e.Doc != nil {
			text = strings.TrimSpace(e.Doc.Text())
		}
		agent := e.Agent
		if e.Kind == Answer { // the badge shows it
			agent = ""
		}
		out = append(out, map[string]any{
			"kind": e.Kind, "who": agent, "task": e.Task, "text": text, "failed": e.Failed, "took": e.Took >= slow,
			"speed": SpeedWords(e.Speed), "proposal": e.Proposal, "proposed": e.Proposed, "goes on": e.GoOn,
		})
	}
	u := *v.Usage
	u.TokensPerSecond = 0 // the badge shows it
	return append(out, map[string]any{"context": u})
}

// After a restart a conversation looks as it did while it was answered. Uses the real
// engine and a scripted server.
func TestAConversationLooksTheSameAfterARestart(t *testing.T) {
	root := t.TempDir()
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "m", ParameterSize: "8B", Capabilities: []string{"completion"}, ContextLength: 16384}},
		Rules: []testkit.Rule{
			{Times: 1, Reply: testkit.Reply{Thinking: []string{"first ", "the disk"}, Delay: slow, Text: "Let me look.\n\nSYSTEM_STATS: disk"}},
			{Times: 1, Reply: testkit.Reply{Text: "SYSTEM_STATS: cpu"}},
			{Times: 1, Reply: testkit.Reply{Text: "MEMORY_APPEND: likes short answers"}},
			{Reply: testkit.Reply{Thinking: []string{"now ", "I know"}, Delay: slow, Text: "It is all right."}},
		},
	})
	reg := registry.New(registry.Config{Root: root, Defaults: os.DirFS("../../../assets")})
	if err := reg.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	client, err := ollama.New(ollama.Params{Host: server.URL(), IdleTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	lessons := memory.New(memory.Config{Root: root})
	engine := agents.NewEngine(agents.Params{
		Store: store, Memory: lessons, Registry: reg, Chat: client, Models: ollama.NewCatalog(client, 0), Prompts: os.DirFS("../../../assets"),
		Settings: func() agents.Settings {
			return agents.Settings{DefaultAgent: "orchestrator", TaskContext: "off", MaxMessages: 20, MaxTokens: 8192, GlobalBudget: 8000, AgentBudget: 4000, MemoryWrite: "ask", Model: "m"}
		},
		Stats: func(_ context.Context, topic string) (string, error) {
			time.Sleep(slow)
			if topic == "disk" {
				return "", errors.New("the disk says nothing")
			}
			return "12 %", nil
		},
	})
	t.Cleanup(func() { _ = engine.Close(); _ = store.Close() })
	live := New("cpu-a")
	live.Begin("How is it? Remember that I like short answers.", time.Now())
	run := engine.Start(t.Context(), agents.Request{Session: "cpu-a", Text: "How is it? Remember that I like short answers.", Holder: "window"})
	live.SetRun(run)
	for ev := range run.Events(t.Context()) {
		live.Apply(ev)
	}
	live.RunEnded(run)
	tr, err := store.Load(t.Context(), "cpu-a")
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := lessons.Inbox()
	if err != nil || len(waiting) != 1 {
		t.Fatalf("%d proposals wait, %v", len(waiting), err)
	}
	read := New("cpu-a")
	read.Fill(tr)
	read.AddWaiting(waiting)
	read.AddWaiting(waiting) // already shown
	if diff := cmp.Diff(appearance(live), appearance(read)); diff != "" {
		t.Errorf("read again it differs (-live +read):\n%s", diff)
	}
	for _, e := range read.View(time.Now()).Entries {
		if (e.Kind == Thinking || e.Kind == Call && e.Agent == "SYSTEM_STATS") && e.Took == 0 {
			t.Errorf("%v says no time", e.Kind)
		}
	}
}
