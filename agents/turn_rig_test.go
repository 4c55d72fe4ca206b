package agents

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// rig is an engine over real files and the scripted server.
type rig struct {
	t        testing.TB
	root     string
	server   *testkit.Server
	store    *sessionmem.Store
	engine   *Engine
	settings Settings
	params   Params
}

const (
	testModel   = "qwen3:8b"
	testSession = "cpu-test"
)

// textModel doesn't support native tools; nativeModel does.
func textModel(name string, context int) testkit.Model {
	return testkit.Model{Name: name, ParameterSize: "8B", Capabilities: []string{"completion"}, ContextLength: context}
}

func nativeModel(name string, context int) testkit.Model {
	m := textModel(name, context)
	m.Capabilities = append(m.Capabilities, "tools")
	return m
}

func newRig(t testing.TB, script testkit.Script) *rig {
	t.Helper()
	return newRigThatWaits(t, script, 2*time.Minute)
}

// newRigThatWaits returns a rig that considers a server hung after that time.
func newRigThatWaits(t testing.TB, script testkit.Script, idle time.Duration) *rig {
	t.Helper()
	if script.Models == nil {
		script.Models = []testkit.Model{textModel(testModel, 16384)}
	}
	r := &rig{t: t, root: t.TempDir(), server: testkit.Start(t, script)}
	r.settings = Settings{
		DefaultAgent: "orchestrator", TaskContext: "off", MaxMessages: 20, MaxTokens: 8192,
		GlobalBudget: 8000, AgentBudget: 4000, MemoryWrite: "auto", Model: script.Models[0].Name,
	}
	registry := registry.New(registry.Config{Root: r.root, Defaults: os.DirFS("../assets")})
	if err := registry.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	client, err := ollama.New(ollama.Params{Host: r.server.URL(), IdleTimeout: idle})
	if err != nil {
		t.Fatal(err)
	}
	r.params = Params{
		Memory: memory.New(memory.Config{Root: r.root, Shipped: os.DirFS("../assets")}), Registry: registry,
		Chat: client, Models: ollama.NewCatalog(client, 0), Prompts: os.DirFS("../assets"),
		Settings: func() Settings { return r.settings },
		Vitals:   func() string { return "CPU 12 %" },
		Stats: func(_ context.Context, topic string) (string, error) {
			return "stats of " + topic + ": CPU 45 %", nil
		},
	}
	r.open()
	return r
}

// open opens the store and the engine, as the app does when it starts.
func (r *rig) open() {
	r.t.Helper()
	store, err := sessionmem.Open(sessionmem.Config{Root: r.root})
	if err != nil {
		r.t.Fatal(err)
	}
	r.store, r.params.Store = store, store
	r.engine = NewEngine(r.params)
	engine := r.engine
	r.t.Cleanup(func() { _ = engine.Close(); _ = store.Close() })
}

// idle returns a turn with all its parts that doesn't run.
func (r *rig) idle() *turn {
	req := Request{Session: testSession}
	idle := newTurn(r.engine, newRun(req, func() {}), req)
	idle.settings = r.settings
	if _, err := idle.choose(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	return idle
}

// turn runs one message to its end and returns all events.
func (r *rig) turn(req Request) (Result, []Event, error) {
	r.t.Helper()
	if req.Session == "" {
		req.Session = testSession
	}
	run := r.engine.Start(r.t.Context(), req)
	var events []Event
	for e := range run.Events(r.t.Context()) {
		events = append(events, e)
	}
	result, err := run.Wait()
	return result, events, err
}

// say runs a turn that must succeed.
func (r *rig) say(text string) (Result, []Event) {
	r.t.Helper()
	result, events, err := r.turn(Request{Text: text})
	if err != nil {
		r.t.Fatalf("turn %q: %v", text, err)
	}
	return result, events
}

func (r *rig) blocks() []transcript.Block {
	r.t.Helper()
	tr, err := r.store.Load(context.Background(), testSession)
	if err != nil {
		r.t.Fatal(err)
	}
	return tr.Blocks
}

// kinds returns the transcript's outline: "user", "tool:SYSTEM_STATS", "note:error" …
func (r *rig) kinds() []string {
	var list []string
	for _, b := range r.blocks() {
		name := string(b.Kind)
		switch b.Kind {
		case transcript.KindTool, transcript.KindAgent:
			name += ":" + b.Agent
		case transcript.KindNote:
			name += ":" + b.Note
		}
		list = append(list, name)
	}
	return list
}

func (r *rig) chat(i int) api.ChatRequest {
	r.t.Helper()
	chats := r.server.Chats()
	if i < 0 {
		i += len(chats)
	}
	if i < 0 || i >= len(chats) {
		r.t.Fatalf("no chat %d of %d", i, len(chats))
	}
	return *chats[i].Chat
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// tokens returns the text of the token events.
func tokens(events []Event) string {
	var s strings.Builder
	for _, e := range events {
		if e.Type == EventToken {
			s.WriteString(e.Text)
		}
	}
	return s.String()
}

func of(events []Event, kind EventType) []Event {
	var list []Event
	for _, e := range events {
		if e.Type == kind {
			list = append(list, e)
		}
	}
	return list
}

func replies(texts ...string) []testkit.Rule {
	var rules []testkit.Rule
	for i, text := range texts {
		rule := testkit.Rule{Reply: testkit.Reply{Text: text}}
		if i < len(texts)-1 {
			rule.Times = 1
		}
		rules = append(rules, rule)
	}
	return rules
}

func toolCall(name string, args map[string]any) api.ToolCall {
	call := api.ToolCall{ID: "id-" + name, Function: api.ToolCallFunction{Name: name, Arguments: api.NewToolCallFunctionArguments()}}
	for k, v := range args {
		call.Function.Arguments.Set(k, v)
	}
	return call
}

func ollamaScript(texts ...string) testkit.Script {
	return testkit.Script{Rules: replies(texts...)}
}
