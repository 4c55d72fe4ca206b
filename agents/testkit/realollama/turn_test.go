//go:build realollama

package realollama_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/agents/testkit/realollama"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
)

// These tests run whole turns against a real server, with the shipped agents, the engine
// and the client.

const (
	question      = "Why is my fan loud?"
	expertAnswer  = "I counted: there are forty-two lines in that file."
	countedAnswer = "The coder has counted them: 42 in all."
	expertTask    = "Count the lines of main.go, please."
)

// boss returns the orchestrator's model. The coder's is found by its name.
func boss(tools bool) realollama.Model {
	delegation := "Let me hand that on.\n\nAGENT: coder " + expertTask + "\n"
	if tools {
		delegation = realollama.ToolCall("AGENT", `{"agent": "coder", "task": "`+expertTask+`"}`)
	}
	return realollama.Model{
		Name:  "boss",
		Tools: tools,
		Answers: map[string]string{
			"plain": plainAnswer, "delegate": delegation, "counted": countedAnswer, "loop": "tick tock and so on for ever ",
		},
		Endless: []string{"loop"},
		Rules: []realollama.Rule{
			{Contains: "forty-two lines", Answer: "counted"},
			{Contains: "How many lines", Answer: "delegate"},
			{Contains: "for ever", Answer: "loop"},
		},
		Default: "plain",
	}
}

var coder = realollama.Model{Name: "tiny-coder", Answers: map[string]string{"counted": expertAnswer}}

// office is an engine with its files and the server it talks to.
type office struct {
	root   string
	server *realollama.Server
	proxy  *realollama.Proxy
	store  *sessionmem.Store
	engine *agents.Engine
}

func newOffice(t *testing.T, models ...realollama.Model) *office {
	t.Helper()
	o := &office{root: t.TempDir(), server: realollama.Start(t)}
	o.server.Create(t, models...)
	o.proxy = o.server.Record(t)
	client := newClient(t, o.proxy.Host())
	defaults := os.DirFS("../../../assets")
	registry := registry.New(registry.Config{Root: o.root, Defaults: defaults})
	if err := registry.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	var err error
	if o.store, err = sessionmem.Open(sessionmem.Config{Root: o.root}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.store.Close() })
	o.engine = agents.NewEngine(agents.Params{
		Store:    o.store,
		Memory:   memory.New(memory.Config{Root: o.root}),
		Registry: registry,
		Chat:     client,
		Models:   ollama.NewCatalog(client, 0),
		Prompts:  defaults,
		Settings: func() agents.Settings {
			return agents.Settings{
				DefaultAgent: "orchestrator", TaskContext: "off", MaxMessages: 20, MaxTokens: 8192,
				GlobalBudget: 8000, AgentBudget: 4000, MemoryWrite: "auto", PromptTier: "middle", ToolsTier: "middle", // the model is tiny
			}
		},
	})
	t.Cleanup(func() { o.engine.Close() })
	return o
}

// turn runs one turn to its end.
func (o *office) turn(t *testing.T, text string) (agents.Result, []agents.Event) {
	t.Helper()
	run := o.engine.Start(t.Context(), agents.Request{Session: "cpu-test", Text: text, Holder: "test"})
	var events []agents.Event
	for e := range run.Events(t.Context()) {
		events = append(events, e)
	}
	result, err := run.Wait()
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return result, events
}

func (o *office) transcript(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.root, "session", "session-memory-cpu-test-*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("transcripts %v, %v; want one", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func rolesOf(chat api.ChatRequest) []string {
	var roles []string
	for _, m := range chat.Messages {
		roles = append(roles, m.Role)
	}
	return roles
}

func holds(chat api.ChatRequest, text string) bool {
	return slices.ContainsFunc(chat.Messages, func(m api.Message) bool { return strings.Contains(m.Content, text) })
}

func TestTurnAnswers(t *testing.T) {
	o := newOffice(t, boss(false), coder)
	result, events := o.turn(t, question)
	if result.Text != plainAnswer || result.Agent != "orchestrator" || result.Stopped {
		t.Errorf("result %+v", result)
	}
	if last := events[len(events)-1]; last.Type != agents.EventDone || last.Text != plainAnswer {
		t.Errorf("the last event is %+v", last)
	}
	var told strings.Builder
	for _, e := range events {
		if e.Type == agents.EventToken {
			told.WriteString(e.Text)
		}
	}
	if told.String() != plainAnswer {
		t.Errorf("the tokens say %q", told.String())
	}
	for _, text := range []string{"## User · ", question, "## Assistant · ", plainAnswer} {
		if !strings.Contains(o.transcript(t), text) {
			t.Errorf("the transcript does not hold %q:\n%s", text, o.transcript(t))
		}
	}
}

func TestConsecutiveRequestsShareTheirBeginning(t *testing.T) {
	o := newOffice(t, boss(false), coder)
	for _, text := range []string{question, "And is it hot?", "Will it stop?"} {
		o.turn(t, text)
	}
	chats := o.proxy.Chats(t)
	if len(chats) != 3 {
		t.Fatalf("%d requests, want 3", len(chats))
	}
	for i := range 2 {
		shared := len(chats[i].Messages)
		if len(chats[i+1].Messages) != shared+2 {
			t.Fatalf("request %d has %d messages, the next %d", i+1, shared, len(chats[i+1].Messages))
		}
		if diff := cmp.Diff(contents(chats[i].Messages), contents(chats[i+1].Messages[:shared])); diff != "" {
			t.Errorf("request %d does not begin as request %d (-before +after):\n%s", i+2, i+1, diff)
		}
	}
}

func contents(messages []api.Message) []string {
	var list []string
	for _, m := range messages {
		list = append(list, m.Role+": "+m.Content)
	}
	return list
}

func TestTurnDelegates(t *testing.T) {
	for name, native := range map[string]bool{"by directive": false, "by native tool call": true} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, boss(native), coder)
			o.turn(t, question)
			before := len(o.proxy.Chats(t))
			result, events := o.turn(t, "How many lines has main.go?")
			// then the answer uses the specialist's result
			if result.Text != countedAnswer {
				t.Errorf("answer %q, want %q", result.Text, countedAnswer)
			}
			chats := o.proxy.Chats(t)[before:]
			if len(chats) != 3 {
				t.Fatalf("%d calls of models, want three", len(chats))
			}
			checkDelegation(t, chats, native)
			checkSubcallEvents(t, events)
			// and both models are loaded, one per agent
			loaded := o.server.Loaded(t)
			slices.Sort(loaded)
			if diff := cmp.Diff([]string{"boss:latest", "tiny-coder:latest"}, loaded); diff != "" {
				t.Errorf("loaded (-want +got):\n%s", diff)
			}
		})
	}
}

func checkDelegation(t *testing.T, chats []api.ChatRequest, native bool) {
	t.Helper()
	if !holds(chats[0], question) || !holds(chats[0], plainAnswer) {
		t.Errorf("the orchestrator's request does not hold the history: %q", contents(chats[0].Messages))
	}
	if offered := len(chats[0].Tools) > 0; offered != native {
		t.Errorf("tools offered natively: %v, want %v", offered, native)
	}
	expert := chats[1]
	if diff := cmp.Diff([]string{"system", "user"}, rolesOf(expert)); diff != "" {
		t.Fatalf("the specialist's messages (-want +got):\n%s", diff)
	}
	if expert.Messages[1].Content != expertTask || holds(expert, plainAnswer) || holds(expert, question) {
		t.Errorf("the specialist was told %q, want the task alone", contents(expert.Messages[1:]))
	}
	if !strings.HasPrefix(expert.Model, "tiny-coder") {
		t.Errorf("the specialist's model is %s", expert.Model)
	}
	if !holds(chats[2], expertAnswer) {
		t.Errorf("the orchestrator did not get the specialist's answer: %q", contents(chats[2].Messages))
	}
}

func checkSubcallEvents(t *testing.T, events []agents.Event) {
	t.Helper()
	var seen []agents.EventType
	for _, e := range events {
		if e.Type != agents.EventSubcallStart && e.Type != agents.EventSubcallEnd {
			continue
		}
		seen = append(seen, e.Type)
		if e.Call == nil || e.Call.Name != "coder" || e.Call.Task != expertTask {
			t.Errorf("%s is about %+v", e.Type, e.Call)
		}
	}
	if diff := cmp.Diff([]agents.EventType{agents.EventSubcallStart, agents.EventSubcallEnd}, seen); diff != "" {
		t.Errorf("events of the sub-call (-want +got):\n%s", diff)
	}
}

func TestTurnNoticesASilentTruncation(t *testing.T) {
	o := newOffice(t, boss(false), coder)
	// given a server whose context is too small for the agent's prompt
	o.proxy.LimitContext(512)
	result, err := o.engine.Start(t.Context(), agents.Request{Session: "cpu-test", Text: question, Holder: "test"}).Wait()
	// when it answers as if nothing happened (0.6.5), or refuses even a shortened request (0.17.4)
	// then the transcript says so
	told := "left out a part of the request"
	if fault.Explain(err).Kind == fault.KindContextOverflow {
		told = "doesn't fit the context"
	} else if err != nil || result.Text != plainAnswer {
		t.Errorf("answer %q, %v", result.Text, err)
	}
	if text := o.transcript(t); !strings.Contains(text, told) {
		t.Errorf("the transcript does not say %q:\n%s", told, text)
	}
}

func TestTurnStopsDuringAStream(t *testing.T) {
	o := newOffice(t, boss(false), coder)
	run := o.engine.Start(t.Context(), agents.Request{Session: "cpu-test", Text: "Count for ever", Holder: "test"})
	said := 0
	for e := range run.Events(t.Context()) {
		if e.Type == agents.EventToken {
			said += len(e.Text)
		}
		if said > 100 {
			break
		}
	}
	stopped := time.Now()
	run.Stop()
	result, err := run.Wait()
	if took := time.Since(stopped); took > time.Minute { // the answer never ends
		t.Errorf("the turn went on for %v after Stop", took)
	}
	if fault.Explain(err).Kind != fault.KindCancelled || !result.Stopped || !strings.HasPrefix(result.Text, "tick tock and so on") {
		t.Errorf("%+v, %v; want the partial answer, cancelled", result, err)
	}
	text := o.transcript(t)
	if !strings.Contains(text, "tick tock and so on") || !strings.Contains(text, "interrupted") {
		t.Errorf("the transcript does not hold the partial answer, marked interrupted:\n%s", text)
	}
	// then the session continues
	if result, _ := o.turn(t, question); result.Text != plainAnswer {
		t.Errorf("after the stop: %q", result.Text)
	}
}
