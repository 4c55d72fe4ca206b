package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

func TestTurnPlainAnswer(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("Because it is **hot**.")})
	result, events := r.say("Why is my fan loud?")
	if result.Text != "Because it is **hot**." || result.Stopped || result.Agent != "orchestrator" || result.Model != testModel {
		t.Errorf("result %+v", result)
	}
	if got := tokens(events); got != result.Text {
		t.Errorf("tokens %q, want the answer", got)
	}
	if diff := cmp.Diff([]string{"user", "assistant"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
	blocks := r.blocks()
	if blocks[0].ID != result.UserID || blocks[1].ID != result.AnswerID || blocks[1].Parent != result.UserID {
		t.Errorf("ids: %+v, blocks %+v", result, blocks)
	}
	sent := r.chat(0)
	last := sent.Messages[len(sent.Messages)-1]
	if want := blocks[0].Text + "\n\n" + blocks[0].Context; last.Content != want || !strings.Contains(last.Content, "CPU 12 %") {
		t.Errorf("sent %q, want %q", last.Content, want)
	}
	if end := events[len(events)-1]; end.Type != EventDone || end.Text != result.Text || end.Block != result.AnswerID {
		t.Errorf("last event %+v", end)
	}
	if len(of(events, EventUsage)) != 1 || len(of(events, EventState)) == 0 || of(events, EventState)[0].Block != result.UserID {
		t.Errorf("events %+v", events)
	}
}

func TestTurnRequestsShareTheirBeginning(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("One.", "Two.", "Three.")})
	for i := range 3 {
		r.say(fmt.Sprintf("Question %d", i))
	}
	r.engine.Close()
	r.store.Close()
	r.open() // a restart
	r.say("Question after the restart")
	for i := 1; i < 4; i++ {
		before, after := r.chat(i-1).Messages, r.chat(i).Messages
		a, _ := json.Marshal(before)
		b, _ := json.Marshal(after[:len(before)])
		if string(a) != string(b) {
			t.Errorf("request %d does not begin as request %d:\n%s\n%s", i, i-1, a, b)
		}
		if len(after) != len(before)+2 {
			t.Errorf("request %d has %d messages, want %d", i, len(after), len(before)+2)
		}
		if one, two := r.chat(i - 1).Options["num_ctx"], r.chat(i).Options["num_ctx"]; one != two {
			t.Errorf("num_ctx %v, then %v", one, two)
		}
	}
}

func TestTurnReportsAnEditOfTheMemory(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("Fine.")})
	r.write("agents/memory.md", "- Likes tea\n")
	r.say("Hello")
	tmp := filepath.Join(r.root, "agents", "memory.new")
	if err := os.WriteFile(tmp, []byte("- Likes tea\n- Drives a red car\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(r.root, "agents", "memory.md")); err != nil {
		t.Fatal(err)
	}
	_, events := r.say("Hello again")
	if before := r.chat(0).Messages[0].Content; strings.Contains(before, "red car") || !strings.Contains(before, "Likes tea") {
		t.Errorf("first system prompt: %q", before)
	}
	if after := r.chat(1).Messages; !strings.Contains(after[len(after)-1].Content, "Drives a red car") {
		t.Errorf("the second message goes without the edit: %q", after[len(after)-1].Content)
	}
	reloaded := of(events, EventMemoryReloaded)
	if len(reloaded) != 1 || reloaded[0].Memory.Added != 1 || reloaded[0].Memory.Removed != 0 {
		t.Errorf("reloaded %+v", reloaded)
	}
}

// given a lesson that a turn saved, when the next turn reads it, then no change is
// reported
func TestTurnDoesNotReportItsOwnLesson(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("MEMORY_APPEND: likes tea", "Saved.", "Fine.", "Fine.")})
	r.write("agents/memory.md", "- Drives a red car\n")
	r.say("Remember that I like tea")
	_, events := r.say("Hello")
	if reloaded := of(events, EventMemoryReloaded); len(reloaded) > 0 {
		t.Errorf("reloaded %+v", reloaded[0].Memory)
	}
	r.write("agents/memory.md", "- Drives a blue car\n- likes tea\n")
	_, events = r.say("Hello again")
	if reloaded := of(events, EventMemoryReloaded); len(reloaded) != 1 {
		t.Errorf("an edit is told %d times", len(reloaded))
	}
}

func TestTurnToolByDirective(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("Let me look.\nSYSTEM_STATS: cpu", "It runs at 45 %.")})
	result, events := r.say("How busy is it?")
	if result.Text != "It runs at 45 %." {
		t.Errorf("answer %q", result.Text)
	}
	if strings.Contains(tokens(events), "SYSTEM_STATS") {
		t.Errorf("tokens show the directive: %q", tokens(events))
	}
	if diff := cmp.Diff([]string{"user", "agent:orchestrator", "tool:SYSTEM_STATS", "assistant"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
	second := r.chat(1).Messages
	if got := second[len(second)-1].Content; got != "Result of SYSTEM_STATS cpu:\nstats of cpu: CPU 45 %" {
		t.Errorf("told %q", got)
	}
	tools := of(events, EventTool)
	if len(tools) != 2 || tools[0].Call.Done || !tools[1].Call.Done || tools[1].Call.Result == "" || tools[1].Call.Failed != "" {
		t.Errorf("tool events %+v", tools)
	}
	r.say("And now?")
	for _, m := range r.chat(2).Messages[1:] {
		if strings.Contains(m.Content, "stats of cpu") || strings.Contains(m.Content, "Let me look") {
			t.Errorf("an intermediate round was sent in a later turn: %q", m.Content)
		}
	}
}

func TestTurnNativeTool(t *testing.T) {
	native := nativeModel(testModel, 16384)
	r := newRig(t, testkit.Script{Models: []testkit.Model{native}, Rules: []testkit.Rule{
		{Times: 1, Reply: testkit.Reply{Text: "FETCH_URL: http://never.example\nok", ToolCalls: []api.ToolCall{toolCall("system_stats", map[string]any{"topic": "memory"})}}},
		{Reply: testkit.Reply{Text: "Enough."}},
	}})
	result, events := r.say("How much memory?")
	if result.Text != "Enough." {
		t.Errorf("answer %q", result.Text)
	}
	second := r.chat(1)
	told := second.Messages[len(second.Messages)-1]
	if !strings.Contains(told.Content, "FETCH_URL http://never.example failed: not run, ") {
		t.Errorf("the model is told %q of its written call", told.Content)
	}
	last := second.Messages[len(second.Messages)-2]
	if last.Role != "tool" || last.Content != "stats of memory: CPU 45 %" || last.ToolCallID != "id-system_stats" || last.ToolName != tools.SystemStats {
		t.Errorf("tool message %+v", last)
	}
	if len(second.Messages[len(second.Messages)-3].ToolCalls) != 1 {
		t.Errorf("the call is not sent back: %+v", second.Messages)
	}
	if len(second.Tools) != 5 {
		t.Errorf("%d tools are offered again, want 5", len(second.Tools))
	}
	if strings.Contains(tokens(events), "FETCH_URL") {
		t.Errorf("a written call beside a native one is shown: %q", tokens(events))
	}
	if n := len(of(events, EventTool)); n != 3 {
		t.Errorf("%d tool events, want the native call's 2, and 1 of the other that it doesn't run", n)
	}
}

func TestTurnSubcallIsOneShot(t *testing.T) {
	for _, tt := range []struct {
		name, reply, context string
		native               bool
		wantTask             string
	}{
		{"given a directive", "AGENT: coder Write a loop.\nIn Go.", "off", false, "Write a loop.\nIn Go."},
		{"given a native call", "", "off", true, "Write a loop.\nIn Go."},
		{"given the setting for context", "AGENT: Coder: Write a loop.", "last-user-message", false, "Write a loop.\n\nThe user's message was: I want a loop"},
		{"given no task", "AGENT: agent-002", "off", false, "I want a loop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model := textModel(testModel, 16384)
			first := testkit.Reply{Text: tt.reply}
			if tt.native {
				model = nativeModel(testModel, 16384)
				first = testkit.Reply{ToolCalls: []api.ToolCall{toolCall("agent", map[string]any{"agent": "coder", "task": tt.wantTask})}}
			}
			r := newRig(t, testkit.Script{Models: []testkit.Model{model}, Rules: []testkit.Rule{
				{Times: 1, Messages: 2, Reply: first, SystemContains: "You talk with the user"},
				{Messages: 2, Reply: testkit.Reply{Text: "for {}"}},
				{Reply: testkit.Reply{Text: "Here it is."}},
			}})
			r.settings.TaskContext = tt.context
			r.write("agents/memory.md", "- Likes tea\n")
			result, events := r.say("I want a loop")
			if result.Text != "Here it is." {
				t.Fatalf("answer %q", result.Text)
			}
			sub := r.chat(1)
			if len(sub.Messages) != 2 || sub.Messages[0].Role != "system" || sub.Messages[1].Role != "user" || sub.Messages[1].Content != tt.wantTask {
				t.Errorf("the specialist got %+v", sub.Messages)
			}
			if len(sub.Tools) != 0 || strings.Contains(sub.Messages[0].Content, "# Agents") || !strings.Contains(sub.Messages[0].Content, "Likes tea") {
				t.Errorf("the specialist's prompt: %q", sub.Messages[0].Content)
			}
			back := r.chat(2).Messages
			if got := back[len(back)-1].Content; !strings.Contains(got, "for {}") || !strings.Contains(got, "the agent coder") {
				t.Errorf("the orchestrator got %q", got)
			}
			if diff := cmp.Diff([]string{"user", "agent:coder", "assistant"}, r.kinds()); diff != "" {
				t.Error(diff)
			}
			if b := r.blocks()[1]; b.Text != "for {}" || b.Parent != result.UserID || b.Task == "" {
				t.Errorf("block %+v", b)
			}
			end := of(events, EventSubcallEnd)
			if len(of(events, EventSubcallStart)) != 1 || len(end) != 1 || end[0].Call.Result != "for {}" || end[0].Block != r.blocks()[1].ID {
				t.Errorf("subcall events %+v", end)
			}
		})
	}
}

// What a sub-call's prompt shares with the one of the agent that made it stands at the
// beginning of both, so that a server with one place doesn't read it twice.
func TestTurnSubcallSharesItsBeginning(t *testing.T) {
	for name, tt := range map[string]struct {
		native bool
		agent  string   // agent.json of the other agent
		soul   string   // its own
		shares []string // of the system prompts, in this order
	}{
		"an agent with tools": {false, `{"name": "Nurse", "tools": ["SYSTEM_STATS"]}`, "", []string{"inside mac-stats", "Never invent a fact", "# Tools", "To use a tool, write a line", "Never write a result"}},
		"native tools":        {true, `{"name": "Nurse", "tools": ["SYSTEM_STATS"]}`, "", []string{"inside mac-stats", "Never invent a fact", "# Tools", "Call a tool when", "Never write a result"}},
		"without tools":       {false, `{"name": "Nurse", "tools": []}`, "", []string{"inside mac-stats", "Never invent a fact"}},
		"a soul of its own":   {false, `{"name": "Nurse", "tools": ["SYSTEM_STATS"]}`, "You are a nurse.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			model, call := textModel(testModel, 16384), testkit.Reply{Text: "AGENT: nurse Is it hot?"}
			if tt.native {
				model = nativeModel(testModel, 16384)
				call = testkit.Reply{ToolCalls: []api.ToolCall{toolCall("agent", map[string]any{"agent": "nurse", "task": "Is it hot?"})}}
			}
			r := newRig(t, testkit.Script{Models: []testkit.Model{model}, Rules: []testkit.Rule{
				{Times: 1, Reply: call, SystemContains: "You talk with the user"}, {Reply: testkit.Reply{Text: "No."}},
			}})
			r.params.Stats = func(context.Context, string) (string, error) { return "", nil }
			r.write("agents/agent-nurse/agent.json", tt.agent)
			r.write("agents/agent-nurse/skill.md", "Look after the machine.")
			if tt.soul != "" {
				r.write("agents/agent-nurse/soul.md", tt.soul)
			}
			r.say("Is it hot?")
			first, second := r.chat(0), r.chat(1)
			whole, sub := rendered(&first), rendered(&second)
			shared := whole[:sharedBytes(whole, sub)]
			at := 0
			for _, text := range tt.shares {
				n := strings.Index(shared[at:], text)
				if n < 0 {
					t.Fatalf("%q isn't in the beginning of both:\n%s\n\nthe sub-call:\n%s", text, shared, sub)
				}
				at += n
			}
			if tt.shares == nil && len(shared) > 100 {
				t.Errorf("they share %q", shared)
			}
		})
	}
}

func TestTurnSubcallFailureIsExplainedToTheModel(t *testing.T) {
	for _, tt := range []struct {
		name, reply string
		rule        testkit.Rule
		want        string
	}{
		{"given an unknown agent", "AGENT: codre do it", testkit.Rule{}, "did you mean coder"},
		{"given itself", "AGENT: orchestrator do it", testkit.Rule{}, "is you"},
		{"given an unknown skill", "SKILL: nothing do it", testkit.Rule{}, "no such skill"},
		{"given a server error", "AGENT: coder do it", testkit.Rule{Messages: 2, UserContains: "do it", Reply: testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 500}}}, "reported an error"},
		{"given a directive not offered", "MEMORY_SEARCH: tea", testkit.Rule{}, "isn't available here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := []testkit.Rule{{Times: 1, Reply: testkit.Reply{Text: tt.reply}}}
			if tt.rule.Messages > 0 {
				rules = append(rules, tt.rule)
			}
			r := newRig(t, testkit.Script{Rules: append(rules, replies("I could not.")...)})
			result, events := r.say("Please")
			last := r.chat(-1).Messages
			if got := last[len(last)-1].Content; !strings.Contains(got, tt.want) {
				t.Errorf("told %q, want %q", got, tt.want)
			}
			if result.Text != "I could not." {
				t.Errorf("answer %q", result.Text)
			}
			if kinds := r.kinds(); len(kinds) != 3 || kinds[1] == "tool:" || !strings.Contains(r.blocks()[1].Text, "failed: ") {
				t.Errorf("kinds %v", kinds)
			}
			if len(of(events, EventSubcallEnd))+len(of(events, EventTool)) == 0 {
				t.Error("the failure is not shown")
			}
		})
	}
}

func TestTurnLimits(t *testing.T) {
	many := strings.Repeat("SYSTEM_STATS: cpu\n", 2) + "SYSTEM_STATS: memory\nSYSTEM_STATS: disk\nSYSTEM_STATS: gpu\nSYSTEM_STATS: network\nSYSTEM_STATS: processes"
	for _, tt := range []struct {
		name      string
		reply     func(n int) string
		wantChats int
		wantNote  string
		wantRuns  int
	}{
		{"given three identical calls", func(int) string { return "SYSTEM_STATS: cpu" }, 4, "3 times with the same argument", 3},
		{"given three failures in a row", func(n int) string { return fmt.Sprintf("FETCH_URL: http://127.0.0.1/%d", n) }, 4, "3 tool calls in a row have failed", 3},
		{"given ever new calls", func(n int) string {
			return fmt.Sprintf("SYSTEM_STATS: %s %d", tools.Stats{}.Doc().Params[0].Enum[n%7], n)
		}, 16, "15 rounds", 15},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			r := newRig(t, testkit.Script{Rules: []testkit.Rule{
				{AnyContains: "A limit of this turn is reached", Reply: testkit.Reply{Text: "That is all."}},
				{Func: func(api.ChatRequest) testkit.Reply { n++; return testkit.Reply{Text: tt.reply(n - 1)} }},
			}})
			result, events := r.say("Go")
			if result.Text != "That is all." || len(r.server.Chats()) != tt.wantChats {
				t.Errorf("answer %q after %d chats, want %d", result.Text, len(r.server.Chats()), tt.wantChats)
			}
			runs := 0
			for _, e := range of(events, EventTool) {
				if e.Call.Done {
					runs++
				}
			}
			if runs != tt.wantRuns {
				t.Errorf("%d runs, want %d", runs, tt.wantRuns)
			}
			noted := false
			for _, b := range r.blocks() {
				noted = noted || b.Kind == transcript.KindNote && b.Note == noteLimit && strings.Contains(b.Text, tt.wantNote)
			}
			if !noted {
				t.Errorf("no note %q in %v", tt.wantNote, r.kinds())
			}
		})
	}
	t.Run("given more than five directives in a reply", func(t *testing.T) {
		r := newRig(t, testkit.Script{Rules: replies(many, "Done.")})
		_, events := r.say("Go")
		failed := 0
		for _, e := range of(events, EventTool) {
			if e.Call.Done && strings.Contains(e.Call.Failed, "at most 5") {
				failed++
			}
		}
		if failed != 2 {
			t.Errorf("%d were not run, want 2", failed)
		}
	})
}

func TestTurnNearMiss(t *testing.T) {
	t.Run("given a reply of nothing else, the form is told once", func(t *testing.T) {
		r := newRig(t, testkit.Script{Rules: replies("> SYSTEM_STATS: cpu", "\"SYSTEM_STATS: cpu\"")})
		result, events := r.say("Go")
		if n := len(r.server.Chats()); n != 2 {
			t.Errorf("%d chats, want 2: one corrective round", n)
		}
		ran := slices.ContainsFunc(of(events, EventTool), func(e Event) bool { return e.Call.Failed == "" })
		if ran || result.Text != "\"SYSTEM_STATS: cpu\"" || len(of(events, EventReplaced)) > 0 {
			t.Errorf("a near miss ran, or the answer is %q", result.Text)
		}
		last := r.chat(1).Messages
		if told := last[len(last)-1].Content; !strings.Contains(told, "Nothing ran") || !strings.Contains(told, "> SYSTEM_STATS: cpu") || !strings.Contains(told, "\nSYSTEM_STATS: [cpu|") {
			t.Errorf("told %q", last[len(last)-1].Content)
		}
	})
	t.Run("given other text too, it is the answer", func(t *testing.T) {
		r := newRig(t, testkit.Script{Rules: replies("You could write\n\n    SYSTEM_STATS: cpu")})
		r.say("Go")
		if n := len(r.server.Chats()); n != 1 {
			t.Errorf("%d chats, want 1", n)
		}
	})
}

func TestTurnMemory(t *testing.T) {
	for _, tt := range []struct {
		name, write, reply string
		private, tainted   bool
		wantSaved          bool
		wantEvent          EventType
		wantTold           string
	}{
		{"given auto, it is saved and read back", "auto", "MEMORY_APPEND: Likes green tea.", false, false, true, EventMemoryWritten, "Saved in memory.md"},
		{"given an agent, it goes to its memory", "auto", "MEMORY_APPEND: agent:coder Likes green tea.", false, false, true, EventMemoryWritten, "Saved in memory.md"},
		{"given ask, it is proposed", "ask", "MEMORY_APPEND: Likes green tea.", false, false, false, EventMemoryProposed, "Not saved: proposed"},
		{"given off, it is refused", "off", "MEMORY_APPEND: Likes green tea.", false, false, false, "", "nothing was saved"},
		{"given a private chat, it is refused", "auto", "MEMORY_APPEND: Likes green tea.", true, false, false, "", "private"},
		{"given fetched text in the session, it is proposed", "auto", "MEMORY_APPEND: Likes green tea.", false, true, false, EventMemoryProposed, "text of strangers"},
		{"given fetched text in the session and another memory, it is proposed", "auto", "MEMORY_APPEND: agent:coder Likes green tea.", false, true, false, EventMemoryProposed, "text of strangers"},
		{"given fetched text in the session and ask, it is proposed", "ask", "MEMORY_APPEND: Likes green tea.", false, true, false, EventMemoryProposed, "memory.write = ask"},
		{"given no lesson", "auto", "MEMORY_APPEND:", false, false, false, "", "there is no lesson"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, testkit.Script{Rules: replies(tt.reply, "Noted.")})
			r.settings.MemoryWrite = tt.write
			if tt.private {
				r.store.SetPrivate(testSession)
			}
			if tt.tainted {
				if _, err := r.store.Append(t.Context(), testSession, transcript.Block{Kind: transcript.KindTool, Agent: tools.FetchURL, Text: "page"}); err != nil {
					t.Fatal(err)
				}
			}
			_, events := r.say("Remember that I like green tea")
			saved := false
			for _, f := range []string{"agents/memory.md", "agents/agent-002/memory.md"} {
				data, _ := os.ReadFile(filepath.Join(r.root, f))
				saved = saved || strings.Contains(string(data), "Likes green tea.")
			}
			if saved != tt.wantSaved {
				t.Errorf("saved %v, want %v", saved, tt.wantSaved)
			}
			changed := append(of(events, EventMemoryWritten), of(events, EventMemoryProposed)...)
			if tt.wantEvent == "" && len(changed) != 0 || tt.wantEvent != "" && (len(changed) != 1 || changed[0].Type != tt.wantEvent || changed[0].Memory.Text == "") {
				t.Errorf("memory events %+v", changed)
			}
			told := r.chat(1).Messages
			if got := told[len(told)-1].Content; !strings.Contains(got, tt.wantTold) {
				t.Errorf("told %q, want %q", got, tt.wantTold)
			}
		})
	}
}

func TestTurnFaults(t *testing.T) {
	for _, tt := range []struct {
		name      string
		fault     *testkit.Fault
		model     string
		wantKind  string
		wantText  string
		wantKinds []string
		idle      time.Duration
	}{
		{"given a server that goes down", &testkit.Fault{Kind: testkit.FaultDown}, "", fault.KindStreamCut, "", []string{"user", "note:error"}, 2 * time.Minute},
		{"given a stream that is cut", &testkit.Fault{Kind: testkit.FaultCut, After: 2}, "", fault.KindStreamCut, "one two ", []string{"user", "assistant", "note:error"}, 2 * time.Minute},
		{"given a connection that breaks", &testkit.Fault{Kind: testkit.FaultReset, After: 2}, "", fault.KindStreamCut, "one two ", []string{"user", "assistant", "note:error"}, 2 * time.Minute},
		{"given an error line", &testkit.Fault{Kind: testkit.FaultErrorLine, After: 2}, "", fault.KindServer, "one two ", []string{"user", "assistant", "note:error"}, 2 * time.Minute},
		{"given a hang in mid-stream", &testkit.Fault{Kind: testkit.FaultHangMid, After: 2}, "", fault.KindTimeout, "one two ", []string{"user", "assistant", "note:error"}, 2 * time.Second},
		{"given 500", &testkit.Fault{Kind: testkit.FaultStatus, Status: 500}, "", fault.KindServer, "", []string{"user", "note:error"}, 2 * time.Minute},
		{"given a web page", &testkit.Fault{Kind: testkit.FaultGarbage}, "", fault.KindServer, "", []string{"user", "note:error"}, 2 * time.Minute},
		{"given a model that is not installed", nil, "nope:1b", fault.KindModelMissing, "", []string{"user", "note:error"}, 2 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRigThatWaits(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Chunks: []string{"one ", "two ", "three"}, Fault: tt.fault}}}}, tt.idle)
			result, events, err := r.turn(Request{Text: "Hello", Model: tt.model})
			why := fault.Explain(err)
			if err == nil || why.Kind != tt.wantKind || why.Next == "" {
				t.Errorf("error %v, explained %+v, want kind %s", err, why, tt.wantKind)
			}
			last := events[len(events)-1]
			if last.Type != EventError || last.Kind != tt.wantKind || last.Text != why.Sentence || last.Detail == "" || last.Err == nil {
				t.Errorf("last event %+v", last)
			}
			if strings.TrimSpace(result.Text) != strings.TrimSpace(tt.wantText) || result.Stopped != (tt.wantText != "") {
				t.Errorf("result %+v, want the partial answer %q", result, tt.wantText)
			}
			if diff := cmp.Diff(tt.wantKinds, r.kinds()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTurnServerDownThenRetry(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("First.", "Second.")})
	r.server.Down()
	result, _, err := r.turn(Request{Text: "Hello"})
	if !errors.Is(err, ollama.ErrOllamaDown) || fault.Explain(err).Kind != fault.KindDown {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff([]string{"user", "note:error"}, r.kinds()); diff != "" {
		t.Fatal(diff)
	}
	if err := r.server.StartAt(r.server.Addr()); err != nil {
		t.Fatal(err)
	}
	again, _, err := r.turn(Request{Retry: result.UserID})
	if err != nil || again.Text != "First." || again.UserID != result.UserID {
		t.Fatalf("retry: %+v, %v", again, err)
	}
	second, _, err := r.turn(Request{Retry: result.UserID})
	if err != nil || second.Text != "Second." {
		t.Fatalf("second retry: %+v, %v", second, err)
	}
	if diff := cmp.Diff([]string{"user", "note:error", "assistant", "note:rewind", "assistant"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
	a, b := r.chat(0).Messages, r.chat(1).Messages
	if diff := cmp.Diff(a, b, cmp.AllowUnexported(api.ToolCallFunctionArguments{})); diff != "" {
		t.Error("a retry sends something else: " + diff)
	}
	window, err := r.store.Context(t.Context(), testSession)
	if err != nil || len(window.Messages) != 2 || window.Messages[1].Text != "Second." {
		t.Errorf("context %+v, %v", window, err)
	}
	if _, _, err := r.turn(Request{Retry: "nothere"}); !errors.Is(err, fault.ErrRequest) {
		t.Errorf("retry of an unknown block: %v", err)
	}
}

func TestTurnStop(t *testing.T) {
	for _, tt := range []struct {
		name string
		stop func(run *Run, cancel func(), r *rig)
	}{
		{"by Stop", func(run *Run, _ func(), _ *rig) { run.Stop() }},
		{"by the end of ctx", func(_ *Run, cancel func(), _ *rig) { cancel() }},
		{"by Close", func(_ *Run, _ func(), r *rig) { _ = r.engine.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{
				Chunks: []string{"one ", "two ", "three"}, Fault: &testkit.Fault{Kind: testkit.FaultHangMid, After: 2},
			}}}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			run := r.engine.Start(ctx, Request{Session: testSession, Text: "Hello"})
			seen := ""
			for e := range run.Events(t.Context()) {
				if e.Type == EventToken {
					seen += e.Text
				}
				if strings.Contains(seen, "two") {
					break
				}
			}
			began := time.Now()
			tt.stop(run, cancel, r)
			result, err := run.Wait()
			if took := time.Since(began); took > time.Minute { // the server hangs longer
				t.Errorf("stopping took %v", took)
			}
			if fault.Explain(err).Kind != fault.KindCancelled || strings.TrimSpace(result.Text) != "one two" || !result.Stopped {
				t.Errorf("result %+v, %v", result, err)
			}
			if diff := cmp.Diff([]string{"user", "assistant", "note:interrupted"}, r.kinds()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Stop ends the wait for the tools of another program, and other chats don't wait.
func TestTurnStopBeforeTheTools(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "Done."}}}})
	asked := make(chan struct{})
	var calls atomic.Int32
	r.engine.p.Outside = func(ctx context.Context, _ func(string)) ([]tools.Guarded, []string) {
		if calls.Add(1) == 1 {
			close(asked)
			<-ctx.Done()
		}
		return nil, nil
	}
	run := r.engine.Start(t.Context(), Request{Session: testSession, Text: "Hello"})
	<-asked
	if _, _, err := r.turn(Request{Session: "another", Text: "Hello there"}); err != nil {
		t.Errorf("another chat: %v", err)
	}
	run.Stop()
	if _, err := run.Wait(); fault.Explain(err).Kind != fault.KindCancelled {
		t.Error(err)
	}
}

func TestTurnStopCall(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{
		{UserContains: "slow task", Messages: 2, Reply: testkit.Reply{Chunks: []string{"half ", "rest"}, Fault: &testkit.Fault{Kind: testkit.FaultHangMid, After: 1}}},
		{Times: 1, Reply: testkit.Reply{Text: "AGENT: coder slow task"}},
		{Reply: testkit.Reply{Text: "Without the coder, then."}},
	}})
	run := r.engine.Start(t.Context(), Request{Session: testSession, Text: "Go"})
	for e := range run.Events(t.Context()) {
		if e.Type == EventSubcallToken {
			run.StopCall(e.Call.ID)
		}
	}
	result, err := run.Wait()
	if err != nil || result.Text != "Without the coder, then." {
		t.Errorf("%+v, %v", result, err)
	}
	if diff := cmp.Diff([]string{"user", "agent:coder", "tool:AGENT", "assistant"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
}

func TestTurnsOfOneSessionQueueInOrder(t *testing.T) {
	queuedAll := make(chan struct{})
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "ok", Until: queuedAll}}}})
	var runs []*Run
	for i := range 4 {
		runs = append(runs, r.engine.Start(t.Context(), Request{Session: testSession, Text: fmt.Sprintf("message %d", i), Holder: "window"}))
	}
	if r.engine.Active(testSession) != runs[0] {
		t.Error("the first run is not the active one")
	}
	for _, run := range runs[1:] {
		for e := range run.Events(t.Context()) {
			if e.State == StateQueued && strings.Contains(e.Detail, "held by") {
				break
			}
		}
	}
	close(queuedAll)
	for i, run := range runs {
		var queued []Event
		for e := range run.Events(t.Context()) {
			if e.State == StateQueued && strings.Contains(e.Detail, "held by") {
				queued = append(queued, e)
			}
		}
		if _, err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		if i > 0 && (len(queued) == 0 || queued[0].Detail != "held by the window") {
			t.Errorf("run %d was not told who holds the session: %+v", i, queued)
		}
	}
	var said []string
	for _, b := range r.blocks() {
		if b.Kind == transcript.KindUser {
			said = append(said, b.Text)
		}
	}
	if diff := cmp.Diff([]string{"message 0", "message 1", "message 2", "message 3"}, said); diff != "" {
		t.Error(diff)
	}
	if r.engine.Active(testSession) != nil {
		t.Error("a run is active after the last one ended")
	}
}

func TestTurnOverflowShrinksOnce(t *testing.T) {
	fill := strings.Repeat("word ", 100)
	for _, tt := range []struct {
		name    string
		faults  int
		wantErr bool
	}{
		{"given one overflow, half of the history is left out", 1, false},
		{"given overflow after overflow, it is said", 2, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			overflow := testkit.Rule{UserContains: "The last", Times: tt.faults, Reply: testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 400}}}
			r := newRig(t, testkit.Script{Rules: append([]testkit.Rule{overflow}, replies("ok "+fill)...)})
			for range 4 {
				r.say("Hello " + fill)
			}
			_, events, err := r.turn(Request{Text: "The last"})
			if (err != nil) != tt.wantErr || tt.wantErr && fault.Explain(err).Kind != fault.KindContextOverflow {
				t.Fatalf("error %v", err)
			}
			cuts := of(events, EventContextCut)
			if len(cuts) != 1 || cuts[0].Cut.Messages != 4 {
				t.Errorf("cuts %+v", cuts)
			}
			if got := len(r.chat(5).Messages); got != 6 {
				t.Errorf("the second request has %d messages, want 6", got)
			}
		})
	}
}

func TestTurnTooLong(t *testing.T) {
	r := newRig(t, testkit.Script{Models: []testkit.Model{textModel(testModel, 4096)}, Rules: replies("ok")})
	_, events, err := r.turn(Request{Text: strings.Repeat("A long story. ", 2000)})
	if !errors.Is(err, fault.ErrTooLong) || events[len(events)-1].Kind != fault.KindTooLong {
		t.Fatalf("error %v", err)
	}
	if len(r.server.Chats()) != 0 {
		t.Error("it was sent")
	}
	if _, err := r.store.Load(t.Context(), testSession); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("it was written: %v", err)
	}
	r.say("A short one")
}

func TestTurnIn4kContext(t *testing.T) {
	r := newRig(t, testkit.Script{
		Models: []testkit.Model{textModel(testModel, 4096)}, EnforceContext: true,
		Rules: []testkit.Rule{{UserContains: "machine", Times: 1, Reply: testkit.Reply{Text: "SYSTEM_STATS: cpu\nSYSTEM_STATS: memory\nSYSTEM_STATS: disk"}}, {Reply: testkit.Reply{Text: "An answer. " + strings.Repeat("More of it. ", 30)}}},
	})
	r.params.Stats = func(context.Context, string) (string, error) {
		return strings.Repeat("a line of figures 12345\n", 500), nil
	}
	r.open()
	var memory strings.Builder
	for i := range 200 {
		fmt.Fprintf(&memory, "- Lesson %d about something that was learnt the hard way\n", i)
	}
	r.write("agents/memory.md", memory.String())
	cut := false
	for i := range 20 {
		_, events := r.say(fmt.Sprintf("Question %d: %s", i, strings.Repeat("why so ", 20)))
		cut = cut || len(of(events, EventContextCut)) > 0
	}
	result, events := r.say("How is the machine?")
	if !strings.HasPrefix(result.Text, "An answer.") || !cut || len(of(events, EventContextCut)) == 0 {
		t.Errorf("answer %q, cut %v", result.Text, cut)
	}
	for i, chat := range r.server.Chats() {
		n := 0
		for _, m := range chat.Chat.Messages {
			n += transcript.EstimateTokens(m.Content)
		}
		if n > 4096*3/4 {
			t.Errorf("request %d takes %d of 4096 tokens", i, n)
		}
	}
}

func TestTurnDiskFailures(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("as root no folder is read-only: a file stands in the way instead")
	}
	t.Run("given a session folder that is gone, no model is called", func(t *testing.T) {
		r := newRig(t, testkit.Script{Rules: replies("ok")})
		breakFolder(t, r)
		_, events, err := r.turn(Request{Text: "Hello"})
		last := events[len(events)-1]
		if err == nil || last.Kind != fault.KindDisk || len(r.server.Chats()) != 0 {
			t.Errorf("error %v, last %+v, %d chats", err, last, len(r.server.Chats()))
		}
	})
	t.Run("given an answer that can't be saved, it is delivered all the same", func(t *testing.T) {
		var r *rig
		r = newRig(t, testkit.Script{Rules: []testkit.Rule{{Func: func(api.ChatRequest) testkit.Reply {
			breakFolder(t, r)
			return testkit.Reply{Text: "The precious answer."}
		}}}})
		result, events, err := r.turn(Request{Text: "Hello"})
		last := events[len(events)-1]
		if err == nil || last.Kind != fault.KindDisk || !strings.Contains(last.Text, "The precious answer.") || result.Text != "The precious answer." {
			t.Errorf("result %+v, last %+v, %v", result, last, err)
		}
	})
}

// breakFolder makes appends fail for any user, including root: it replaces the session's
// folder with a file.
func breakFolder(t *testing.T, r *rig) {
	dir := filepath.Join(r.root, "session")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Error(err)
	}
}
