package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/background"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

func TestTurnStoresThinkingSeparately(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{
		Thinking: []string{"I could call\n", "SYSTEM_STATS: cpu\n"}, Chunks: []string{"No ", "need."},
	}}}})
	result, events := r.say("Hello")
	r.say("Again")
	if result.Text != "No need." || len(of(events, EventTool)) != 0 {
		t.Errorf("answer %q, tools %v", result.Text, of(events, EventTool))
	}
	thought := ""
	for _, e := range of(events, EventThinking) {
		thought += e.Text
	}
	if !strings.Contains(thought, "SYSTEM_STATS: cpu") || strings.Contains(tokens(events), "SYSTEM_STATS") {
		t.Errorf("thinking %q, tokens %q", thought, tokens(events))
	}
	for _, m := range r.chat(1).Messages {
		if strings.Contains(m.Content+m.Thinking, "I could call") {
			t.Errorf("thinking was sent back: %+v", m)
		}
	}
	for _, b := range r.blocks() {
		if strings.Contains(b.Text, "I could call") && b.Note != transcript.NoteThinking {
			t.Errorf("thinking is in the conversation: %+v", b)
		}
	}
}

func TestTurnWaitsForAnotherProcess(t *testing.T) {
	r := newRig(t, ollamaScript("ok"))
	other, err := sessionmem.Open(sessionmem.Config{Root: r.root}) // like another process, with its own locks
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lock, err := other.Session(testSession).LockTurn(t.Context(), "command line", nil)
	if err != nil {
		t.Fatal(err)
	}
	run := r.engine.Start(t.Context(), Request{Session: testSession, Text: "Hello", Holder: "window"})
	stopped := r.engine.Start(t.Context(), Request{Session: testSession, Text: "Never mind", Holder: "window"})
	for e := range run.Events(t.Context()) {
		if e.State == StateQueued && strings.HasPrefix(e.Detail, "held by") {
			if e.Detail != "held by the command line" || len(r.server.Chats()) != 0 {
				t.Errorf("state %+v", e)
			}
			stopped.Stop()
			if _, err := stopped.Wait(); !errors.Is(err, fault.ErrLocked) || fault.Explain(err).Kind != fault.KindCancelled {
				t.Errorf("the waiting one: %v", err)
			}
			lock.Unlock()
		}
	}
	if result, err := run.Wait(); err != nil || result.Text != "ok" {
		t.Errorf("%+v, %v", result, err)
	}
	if diff := cmp.Diff([]string{"user", "assistant"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
}

func TestTurnsOfSeveralSessionsAtOnce(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Func: func(req api.ChatRequest) testkit.Reply {
		said, _, _ := strings.Cut(req.Messages[len(req.Messages)-1].Content, "\n")
		return testkit.Reply{Text: "echo of " + said}
	}}}})
	r.say("Hello") // opens the connection, which stays open
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			session := fmt.Sprintf("cpu-s%d", i)
			run := r.engine.Start(t.Context(), Request{Session: session, Text: session})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			run.Events(ctx) // never read
			text := ""
			for e := range run.Events(ctx) {
				if e.Session != session {
					t.Errorf("%s got an event of %s", session, e.Session)
				}
				if e.Type == EventToken {
					text += e.Text
				}
			}
			if result, err := run.Wait(); err != nil || result.Text != "echo of "+session || text != result.Text {
				t.Errorf("%+v, %q, %v", result, text, err)
			}
		})
	}
	wg.Wait()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= before+4 { // idle connections to the server
			return
		}
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestTurnNoticesASilentTruncation(t *testing.T) {
	fill := strings.Repeat("word ", 300)
	r := newRig(t, testkit.Script{OldServer: true, Rules: []testkit.Rule{
		{UserContains: "The last", Times: 1, Reply: testkit.Reply{Text: "From half of it.", PromptTokens: 1500}},
		{Reply: testkit.Reply{Text: "ok " + fill}},
	}})
	for range 5 {
		r.say("Hello " + fill)
	}
	result, events := r.say("The last")
	cuts := of(events, EventContextCut)
	if len(cuts) != 1 || cuts[0].Cut.Messages != 5 {
		t.Errorf("cuts %+v", cuts)
	}
	if !strings.HasPrefix(result.Text, "ok ") {
		t.Errorf("answer %q, want that of the second request", result.Text)
	}
	kinds := r.kinds()
	if diff := cmp.Diff([]string{"user", "agent:orchestrator", "assistant"}, kinds[len(kinds)-3:]); diff != "" {
		t.Error(diff)
	}
}

func TestTurnRetriesABusyServer(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{
		{Times: 1, Reply: testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 503}}},
		{Reply: testkit.Reply{Text: "ok"}},
	}})
	if result, _ := r.say("Hello"); result.Text != "ok" {
		t.Errorf("answer %q", result.Text)
	}
}

func TestTurnRefusesInvalidRequests(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  Request
		rule testkit.Reply
		kind string
		want []string // of the transcript; nil if there is none
	}{
		{"given an empty message", Request{Text: " \n"}, testkit.Reply{Text: "x"}, fault.KindInternal, nil},
		{"given an unknown agent", Request{Text: "Hi", Agent: "nobody"}, testkit.Reply{Text: "x"}, fault.KindAgent, []string{"user", "note:error"}},
		{"given a session name that is none", Request{Text: "Hi", Session: "../../etc"}, testkit.Reply{Text: "x"}, fault.KindInternal, nil},
		{"given an empty answer", Request{Text: "Hi"}, testkit.Reply{Chunks: []string{}}, fault.KindServer, []string{"user", "note:error"}},
		{"given thoughts alone", Request{Text: "Hi"}, testkit.Reply{Chunks: []string{}, Thinking: []string{"hm"}}, fault.KindServer, []string{"user", "note:thinking", "note:error"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: tt.rule}}})
			_, events, err := r.turn(tt.req)
			if fault.Explain(err).Kind != tt.kind || events[len(events)-1].Type != EventError {
				t.Errorf("error %v (%+v)", err, fault.Explain(err))
			}
			if tt.want == nil {
				if _, err := r.store.Load(t.Context(), testSession); !errors.Is(err, session.ErrNotFound) {
					t.Errorf("something was written: %v", err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, r.kinds()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTurnWithoutTools(t *testing.T) {
	r := newRig(t, ollamaScript("SYSTEM_STATS: cpu"))
	result, _, err := r.turn(Request{Text: "Hi", NoTools: true})
	if err != nil || result.Text != "SYSTEM_STATS: cpu" || len(r.server.Chats()) != 1 {
		t.Errorf("%+v, %v: without tools a directive is text", result, err)
	}
	if system := r.chat(0).Messages[0].Content; strings.Contains(system, "# Tools") || strings.Contains(system, "# Agents") {
		t.Errorf("the prompt offers tools: %q", system)
	}
}

func TestTurnAnswerCutByTheContextIsNoted(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "And so it", DoneReason: "length"}}}})
	r.say("Tell me all")
	if diff := cmp.Diff([]string{"user", "assistant", "note:limit"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
}

func TestTurnPrivateSessionWritesNothing(t *testing.T) {
	r := newRig(t, ollamaScript("SYSTEM_STATS: cpu", "One.", "Two."))
	r.store.SetPrivate(testSession)
	r.say("Hello")
	r.say("Again")
	if n := len(r.chat(2).Messages); n != 4 {
		t.Errorf("the second request has %d messages, want 4", n)
	}
	list, err := r.store.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Path != "" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestTurnSkillIsOneShot(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{
		{Times: 1, Reply: testkit.Reply{Text: "SKILL: haiku about\nthe sea"}},
		{SystemContains: "Seventeen syllables", Reply: testkit.Reply{Text: "Waves."}},
		{Reply: testkit.Reply{Text: "Here: Waves."}},
	}})
	r.write("skills/haiku/SKILL.md", "---\nname: haiku\ndescription: Writes haiku.\n---\nSeventeen syllables.\n")
	r.say("A poem")
	want := []api.Message{{Role: "system", Content: "Seventeen syllables."}, {Role: "user", Content: "about\nthe sea"}}
	if diff := cmp.Diff(want, r.chat(1).Messages); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"user", "agent:skill:haiku", "assistant"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
}

func TestTurnSpecialistWithTools(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{
		{Times: 1, Reply: testkit.Reply{Text: "AGENT: looker How busy?"}},
		{Times: 1, Messages: 2, Reply: testkit.Reply{Text: "AGENT: coder x\nMEMORY_APPEND: y"}},
		{Times: 1, Messages: 4, SystemContains: "Look at it", Reply: testkit.Reply{Text: "45 %."}},
		{Reply: testkit.Reply{Text: "It is at 45 %."}},
	}})
	r.write("agents/agent-007/agent.json", `{"name": "Looker", "tools": ["SYSTEM_STATS", "AGENT", "MEMORY_APPEND"]}`)
	r.write("agents/agent-007/skill.md", "Look at it.")
	result, _ := r.say("Ask the looker")
	told := r.chat(2).Messages[3].Content
	if strings.Count(told, "you may not use") == 0 {
		t.Errorf("told %q", told)
	}
	if result.Text != "It is at 45 %." {
		t.Errorf("answer %q", result.Text)
	}
	if diff := cmp.Diff([]string{"user", "tool:AGENT", "agent:looker", "assistant"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
}

func TestModelOfAnAgent(t *testing.T) {
	models := []testkit.Model{textModel("big:8b", 8192), textModel("coder:3b", 8192), textModel("tiny:1b", 8192)}
	for _, tt := range []struct {
		name, asked string
		agent       registry.Agent
		want        string
	}{
		{"given a model asked for", "tiny:1b", registry.Agent{Model: "coder:3b"}, "tiny:1b"},
		{"given the agent's own", "", registry.Agent{Model: "coder:3b", Role: "small"}, "coder:3b"},
		{"given a setting for its role", "", registry.Agent{Role: "small"}, "tiny:1b"},
		{"given the setting for all", "", registry.Agent{Role: "code"}, "big:8b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, testkit.Script{Models: models})
			who := turn{engine: r.engine, settings: Settings{Model: "big:8b", RoleModels: map[string]string{"small": "tiny:1b", "embed": ""}}}
			got, numCtx, err := who.resolve(t.Context(), tt.asked, tt.agent)
			if err != nil || got.Name != tt.want || numCtx != 8192 {
				t.Errorf("%s with %d, %v; want %s", got.Name, numCtx, err, tt.want)
			}
		})
	}
}

// compactor is a Compactor of this store without a model's digest.
func (r *rig) compactor(digest compact.Digest) *compact.Compaction {
	return compact.New(compact.Config{
		Store: r.store, Summarizer: digestOf(digest), Policy: func() compact.Policy { return compact.Policy{KeepRecent: -1} },
		Lessons: compact.MemoryLessons{Memory: r.params.Memory, Store: r.store, Write: func() string { return "auto" }},
	})
}

type digestOf compact.Digest

func (d digestOf) Summarize(context.Context, string, *transcript.Block, []transcript.Block) (compact.Digest, error) {
	return compact.Digest(d), nil
}

func TestTurnOverflowCompactsIfPossible(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{
		{UserContains: "The last", Times: 1, Reply: testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 400}}},
		{Reply: testkit.Reply{Text: "ok"}},
	}})
	r.open()
	r.params.Compactor = r.compactor(compact.Digest{Context: "They said hello.", By: "small:1b"})
	r.engine = NewEngine(r.params)
	r.say("Hello")
	r.say("Hello again")
	_, events := r.say("The last")
	sent := r.chat(-1).Messages
	if len(sent) != 3 || sent[1].Role != "system" || !strings.Contains(sent[1].Content, "They said hello.") || !strings.HasPrefix(sent[2].Content, "The last") {
		t.Errorf("sent %+v", sent)
	}
	compacting := false
	for _, e := range of(events, EventState) {
		compacting = compacting || e.State == StateCompacting
	}
	if !compacting {
		t.Error("the user was not told")
	}
}

func TestTurnSurvivesAPanic(t *testing.T) {
	r := newRig(t, ollamaScript("SYSTEM_STATS: cpu", "ok"))
	r.params.Stats = func(context.Context, string) (string, error) { panic("a sensor went mad") }
	r.open()
	_, events, err := r.turn(Request{Text: "Hello"})
	if fault.Explain(err).Kind != fault.KindInternal || events[len(events)-1].Type != EventError {
		t.Errorf("error %v", err)
	}
	r.params.Stats = nil
	r.open()
	r.say("The session is not locked")
}

func TestEngineAfterClose(t *testing.T) {
	r := newRig(t, ollamaScript("ok"))
	if err := r.engine.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, err := r.turn(Request{Text: "Hello"})
	if fault.Explain(err).Kind != fault.KindCancelled {
		t.Errorf("error %v", err)
	}
}

func TestNewEnginePanics(t *testing.T) {
	r := newRig(t, testkit.Script{})
	for name, spoil := range map[string]func(p *Params){
		"without a store":   func(p *Params) { p.Store = nil },
		"without a chat":    func(p *Params) { p.Chat = nil },
		"without a setting": func(p *Params) { p.Settings = nil },
		"without prompts":   func(p *Params) { p.Prompts = fstest.MapFS{} },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			p := r.params
			spoil(&p)
			NewEngine(p)
		})
	}
}

var (
	_ background.ChatModel     = (*ollama.Client)(nil)
	_ background.ModelResolver = (*ollama.Catalog)(nil)
)

func TestTurnKeepsALongMessageIfTheServerIsDown(t *testing.T) {
	r := newRig(t, ollamaScript("ok"))
	r.server.Down()
	_, _, err := r.turn(Request{Text: strings.Repeat("A long story. ", 500)})
	if fault.Explain(err).Kind != fault.KindDown {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"user", "note:error"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
}

func TestTurnLongResultIsCut(t *testing.T) {
	r := newRig(t, testkit.Script{Models: []testkit.Model{textModel(testModel, 8192)}, Rules: replies("SYSTEM_STATS: cpu", "ok")})
	r.params.Stats = func(context.Context, string) (string, error) { return strings.Repeat("figures ", 20000), nil }
	r.open()
	_, events := r.say("Hello")
	told := r.chat(1).Messages
	if got := told[len(told)-1].Content; len(got) > 8192 || !strings.Contains(got, "cut here") {
		t.Errorf("told %d bytes", len(got))
	}
	cuts, tools := of(events, EventContextCut), of(events, EventTool)
	if len(cuts) != 1 || cuts[0].Cut.Result < 100000 || len(tools[1].Call.Result) > 8192 || len(r.blocks()[1].Text) > 8192 {
		t.Errorf("cuts %+v, event of %d bytes, block of %d", cuts, len(tools[1].Call.Result), len(r.blocks()[1].Text))
	}
}

func TestTurnSameLessonTwice(t *testing.T) {
	r := newRig(t, ollamaScript("MEMORY_APPEND: Likes green tea.\nMEMORY_APPEND: Likes green tea.\nMEMORY_APPEND: agent:nobody x", "ok"))
	_, events := r.say("Remember it")
	told := r.chat(1).Messages
	got := told[len(told)-1].Content
	if !strings.Contains(got, "already says so") || !strings.Contains(got, "failed: no such agent") || len(of(events, EventMemoryWritten)) != 1 {
		t.Errorf("told %q", got)
	}
}

func TestAnEmbeddingModelIsNotAskedToChat(t *testing.T) {
	vectors := testkit.Model{Name: "all-minilm:latest", ParameterSize: "22M", Family: "bert", Capabilities: []string{"embedding"}, ContextLength: 256}
	r := newRig(t, testkit.Script{Models: []testkit.Model{vectors}, Rules: replies("never")})
	_, events, err := r.turn(Request{Text: "Hello", Model: "all-minilm"})
	if why := fault.Explain(err); why.Sentence != "all-minilm:latest makes vectors for the search and can't chat." || why.Next != "Choose another model." {
		t.Errorf("explained as %+v", why)
	}
	if len(r.server.Chats()) != 0 || r.kinds()[0] != "user" {
		t.Errorf("%d requests, kept %v", len(r.server.Chats()), r.kinds())
	}
	for _, e := range events {
		if e.Warning {
			t.Errorf("told %q", e.Detail)
		}
	}
}

func TestTurnTrimmedHistoryKeepsItsStart(t *testing.T) {
	r := newRig(t, testkit.Script{
		Models: []testkit.Model{textModel(testModel, 4096)}, EnforceContext: true,
		Rules: replies("An answer. " + strings.Repeat("More of it. ", 20)),
	})
	const turns = 24
	shared := 0
	for i := range turns {
		r.say(fmt.Sprintf("Question %d: %s", i, strings.Repeat("why so ", 15)))
		if i == 0 {
			continue
		}
		before, after := r.chat(i-1).Messages, r.chat(i).Messages
		if len(after) > len(before) && cmp.Equal(before, after[:len(before)], cmp.Comparer(func(a, b api.Message) bool {
			return a.Role == b.Role && a.Content == b.Content
		})) {
			shared++
		}
	}
	if len(r.chat(turns-1).Messages) >= 2*turns {
		t.Error("nothing was trimmed")
	}
	if shared < turns*2/3 {
		t.Errorf("%d of %d requests begin as the one before", shared, turns-1)
	}
	t.Logf("%d of %d requests begin as the one before", shared, turns-1)
}

func TestTurnStreamingAnswerIsCheckpointed(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{
		Chunks: []string{"one ", "two ", "three"}, Fault: &testkit.Fault{Kind: testkit.FaultHangMid, After: 1},
	}}}})
	run := r.engine.Start(t.Context(), Request{Session: testSession, Text: "Hello"})
	partials := func() string {
		files, err := filepath.Glob(filepath.Join(r.root, "session", ".partial", "*.md"))
		if err != nil || len(files) == 0 {
			return ""
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			return ""
		}
		return string(data)
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(partials(), "one") && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if got := partials(); !strings.Contains(got, "one") || !strings.Contains(got, "## Assistant") {
		t.Errorf("checkpoint %q", got)
	}
	run.Stop()
	if _, err := run.Wait(); fault.Explain(err).Kind != fault.KindCancelled {
		t.Errorf("error %v", err)
	}
	if got := partials(); got != "" {
		t.Errorf("a checkpoint stays: %q", got)
	}
}
