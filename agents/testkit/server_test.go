package testkit_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
)

var parrot = testkit.Model{
	Name: "parrot:1b", ParameterSize: "1.2B", Family: "llama",
	Capabilities: []string{"completion", "tools"}, ContextLength: 8192,
}

// post sends a JSON body and returns the status and the response.
func post(t *testing.T, s *testkit.Server, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

func get(t *testing.T, s *testkit.Server, method, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, string(data) + " " + err.Error()
	}
	return resp.StatusCode, string(data)
}

// chat sends a chat request and returns the status, the content of all lines and the
// last line.
func chat(t *testing.T, s *testkit.Server, req api.ChatRequest) (int, string, api.ChatResponse) {
	t.Helper()
	body, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	status, answer := post(t, s, "/api/chat", string(body))
	var text strings.Builder
	var last api.ChatResponse
	lines := bufio.NewScanner(strings.NewReader(answer))
	for lines.Scan() {
		last = api.ChatResponse{}
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			return status, answer, last
		}
		text.WriteString(last.Message.Content)
	}
	return status, text.String(), last
}

func user(texts ...string) api.ChatRequest {
	req := api.ChatRequest{Model: parrot.Name}
	for _, text := range texts {
		req.Messages = append(req.Messages, api.Message{Role: "user", Content: text})
	}
	return req
}

func TestTheFirstRuleThatMatchesAnswers(t *testing.T) {
	withTools := func(req api.ChatRequest) api.ChatRequest {
		req.Tools = api.Tools{{Type: "function", Function: api.ToolFunction{Name: "fetch"}}}
		return req
	}
	withSystem := func(req api.ChatRequest, text string) api.ChatRequest {
		req.Messages = append([]api.Message{{Role: "system", Content: text}}, req.Messages...)
		return req
	}
	rules := []testkit.Rule{
		{Name: "tool result", AfterTool: testkit.Yes(), Reply: testkit.Reply{Text: "after the tool"}},
		{Name: "tools", HasTools: testkit.Yes(), UserContains: "use", Reply: testkit.Reply{Text: "with tools"}},
		{Name: "no tools", HasTools: testkit.No(), UserContains: "use", Reply: testkit.Reply{Text: "without tools"}},
		{Name: "coder", SystemContains: "You are the coder", Reply: testkit.Reply{Text: "coded"}},
		{Name: "other model", Model: "expert", Reply: testkit.Reply{Text: "expertise"}},
		{Name: "history", AnyContains: "secret word", Messages: 2, Reply: testkit.Reply{Text: "remembered"}},
		{Name: "echo", UserContains: "echo", Func: func(req api.ChatRequest) testkit.Reply {
			return testkit.Reply{Text: "you said: " + testkit.LastUser(req)}
		}},
		{Name: "when", When: func(req api.ChatRequest) bool { return len(req.Messages) == 3 }, Reply: testkit.Reply{Text: "three"}},
		{Name: "rest", Reply: testkit.Reply{Text: "whatever"}},
	}
	tests := []struct {
		name string
		req  api.ChatRequest
		rule string
		want string
	}{
		{"a tool's result", api.ChatRequest{Model: parrot.Name, Messages: []api.Message{{Role: "user", Content: "use"}, {Role: "tool", Content: "42"}}}, "tool result", "after the tool"},
		{"tools offered", withTools(user("use it")), "tools", "with tools"},
		{"no tools offered", user("use it"), "no tools", "without tools"},
		{"the system prompt", withSystem(user("hi"), "You are the coder."), "coder", "coded"},
		{"the model, by its latest", api.ChatRequest{Model: "expert:latest", Messages: user("hi").Messages}, "other model", "expertise"},
		{"an earlier message", user("the secret word", "which?"), "history", "remembered"},
		{"a function", user("echo this"), "echo", "you said: echo this"},
		{"a condition", user("a", "b", "c"), "when", "three"},
		{"none of them", user("hi"), "rest", "whatever"},
	}
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{parrot, {Name: "expert:latest"}}, Rules: rules})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, got, last := chat(t, s, tt.req)
			if status != 200 || got != tt.want || !last.Done {
				t.Errorf("%d %q, done %v; want %q", status, got, last.Done, tt.want)
			}
			chats := s.Chats()
			if rule := chats[len(chats)-1].Rule; rule != tt.rule {
				t.Errorf("answered by %q, want %q", rule, tt.rule)
			}
		})
	}
}

func TestRulesCountTheirMatches(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{parrot}, Rules: []testkit.Rule{
		{Skip: 2, Times: 1, Reply: testkit.Reply{Text: "third"}},
		{Times: 1, Reply: testkit.Reply{Text: "first"}},
		{Reply: testkit.Reply{Text: "other"}},
	}})
	var got []string
	for range 4 {
		_, text, _ := chat(t, s, user("hi"))
		got = append(got, text)
	}
	if diff := cmp.Diff([]string{"first", "other", "third", "other"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnmatchedChatsAreRecorded(t *testing.T) {
	s := testkit.New(testkit.Script{Models: []testkit.Model{parrot}})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	status, answer := post(t, s, "/api/chat", `{"model":"parrot:1b","messages":[{"role":"user","content":"what now?"}]}`)
	if status != 500 || !strings.Contains(answer, "no rule") || !strings.Contains(answer, "what now?") {
		t.Errorf("%d %s", status, answer)
	}
	if status, _ := get(t, s, "GET", "/v1/models"); status != 404 {
		t.Errorf("an unknown path: %d", status)
	}
	if got := s.Unmatched(); len(got) != 2 || got[0].Chat == nil || got[1].Path != "/v1/models" {
		t.Errorf("%+v", got)
	}
}

// fakeTB records the calls that Start makes on a test.
type fakeTB struct {
	errors  []string
	cleanup []func()
}

func (f *fakeTB) Helper()                        {}
func (f *fakeTB) Cleanup(c func())               { f.cleanup = append(f.cleanup, c) }
func (f *fakeTB) Fatalf(format string, _ ...any) { panic(format) }
func (f *fakeTB) Errorf(format string, _ ...any) { f.errors = append(f.errors, format) }

func TestStartFailsTheTestForAnUnmatchedChat(t *testing.T) {
	tb := &fakeTB{}
	s := testkit.Start(tb, testkit.Script{Models: []testkit.Model{parrot}})
	_, _, _ = chat(t, s, user("hi"))
	for _, c := range tb.cleanup {
		c()
	}
	if len(tb.errors) != 1 {
		t.Errorf("errors: %q", tb.errors)
	}
}

func TestEveryRequestIsRecordedByteForByte(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{parrot}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "ok"}}}})
	body := `{ "model" : "parrot:1b", "options":{"num_ctx":2048}, "messages":[{"role":"user","content":"é\n"}] }`
	post(t, s, "/api/chat", body)
	got := s.Requests()
	if len(got) != 1 || string(got[0].Raw) != body || got[0].NumCtx != 2048 || got[0].Chat.Messages[0].Content != "é\n" || got[0].Path != "/api/chat" {
		t.Errorf("%+v", got)
	}
}

func TestTheOtherEndpoints(t *testing.T) {
	loaded := parrot
	loaded.Loaded = true
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{loaded}})
	tests := []struct {
		name, method, path, body string
		status                   int
		contains                 []string
	}{
		{"sign of life", "GET", "/", "", 200, []string{"Ollama is running"}},
		{"sign of life, head", "HEAD", "/", "", 200, nil},
		{"version", "GET", "/api/version", "", 200, []string{`"version":"0.34.0"`}},
		{"version, head", "HEAD", "/api/version", "", 200, nil},
		{"tags", "GET", "/api/tags", "", 200, []string{`"name":"parrot:1b"`, `"parameter_size":"1.2B"`, `"digest":"`, `"size":720000000`}},
		{"ps", "GET", "/api/ps", "", 200, []string{`"name":"parrot:1b"`, `"context_length":4096`}},
		{"show", "POST", "/api/show", `{"model":"parrot:1b"}`, 200, []string{`"capabilities":["completion","tools"]`, `"llama.context_length":8192`, `"general.parameter_count":1200000000`}},
		{"show, missing", "POST", "/api/show", `{"model":"x"}`, 404, []string{"model 'x' not found"}},
		{"chat, missing", "POST", "/api/chat", `{"model":"x"}`, 404, []string{"model 'x' not found"}},
		{"chat, preload", "POST", "/api/chat", `{"model":"parrot:1b"}`, 200, []string{`"done_reason":"load"`}},
		{"chat, no JSON", "POST", "/api/chat", `{`, 400, []string{"error"}},
		{"chat, no body", "POST", "/api/chat", ``, 400, []string{"missing request body"}},
		{"pull, missing", "POST", "/api/pull", `{"model":"x"}`, 200, []string{"pulling manifest", `"error":"pull model manifest: file does not exist"`}},
		{"embed, one text", "POST", "/api/embed", `{"model":"parrot:1b","input":"a"}`, 200, []string{`"embeddings":[[`}},
		{"embed, bad input", "POST", "/api/embed", `{"model":"parrot:1b","input":7}`, 400, []string{"invalid input"}},
		{"embed, missing", "POST", "/api/embed", `{"model":"x","input":"a"}`, 404, []string{"not found"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, answer := get(t, s, tt.method, tt.path)
			if tt.method == "POST" {
				status, answer = post(t, s, tt.path, tt.body)
			}
			if status != tt.status {
				t.Errorf("status %d: %s", status, answer)
			}
			for _, want := range tt.contains {
				if !strings.Contains(answer, want) {
					t.Errorf("%q is not in %s", want, answer)
				}
			}
		})
	}
}

func TestAChatWithoutStreamIsOneDocument(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{parrot}, Rules: []testkit.Rule{{
		Reply: testkit.Reply{Text: "it is fine", Thinking: []string{"h", "m"}},
	}}})
	req := user("hi")
	no := false
	req.Stream = &no
	status, text, last := chat(t, s, req)
	if status != 200 || text != "it is fine" || last.Message.Thinking != "hm" || !last.Done || last.DoneReason != "stop" {
		t.Errorf("%d %q %+v", status, text, last)
	}
}

func TestContextLimitIsApplied(t *testing.T) {
	no := false
	long := strings.Repeat("word", 3000)
	tests := []struct {
		name     string
		script   testkit.Script
		truncate *bool
		numCtx   int
		text     string
		status   int
		prompt   int
	}{
		{"fits", testkit.Script{EnforceContext: true}, &no, 2048, "hi", 200, 5},
		{"refused", testkit.Script{EnforceContext: true}, &no, 2048, long, 400, 0},
		{"refused by the default", testkit.Script{EnforceContext: true, DefaultContext: 1024}, &no, 0, long, 400, 0},
		{"refused by what was loaded", testkit.Script{EnforceContext: true, MaxLoaded: 1024}, &no, 8192, long, 400, 0},
		{"fits a larger one", testkit.Script{EnforceContext: true}, &no, 8192, long, 200, 3004},
		{"not asked to mind", testkit.Script{}, &no, 2048, long, 200, 3004},
		{"an old server cuts in silence", testkit.Script{OldServer: true}, &no, 2048, long, 200, 1026},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.script.Models = []testkit.Model{parrot}
			tt.script.Rules = []testkit.Rule{{Reply: testkit.Reply{Text: "ok"}}}
			s := testkit.Start(t, tt.script)
			req := user(tt.text)
			req.Truncate = tt.truncate
			if tt.numCtx > 0 {
				req.Options = map[string]any{"num_ctx": tt.numCtx}
			}
			status, answer, last := chat(t, s, req)
			if status != tt.status || last.PromptEvalCount != tt.prompt {
				t.Errorf("%d, %d tokens, %s", status, last.PromptEvalCount, answer)
			}
		})
	}
}

func TestAnOldServerDropsTheOldestMessages(t *testing.T) {
	s := testkit.Start(t, testkit.Script{OldServer: true, Models: []testkit.Model{parrot}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "ok"}}}})
	part := strings.Repeat("word", 500)
	req := user(part, part, part, part)
	req.Messages = append([]api.Message{{Role: "system", Content: part}}, req.Messages...)
	req.Options = map[string]any{"num_ctx": 1600}
	if _, _, last := chat(t, s, req); last.PromptEvalCount != 3*504 {
		t.Errorf("%d tokens; want those of system and the two newest", last.PromptEvalCount)
	}
}

func TestAnotherNumCtxReloadsTheModel(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{parrot}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "ok"}}}})
	for i, n := range []int{2048, 2048, 4096, 2048} {
		req := user("hi")
		req.Options = map[string]any{"num_ctx": n}
		chat(t, s, req)
		if want := []int{1, 1, 2, 3}[i]; s.Loads() != want {
			t.Errorf("after call %d: %d loads, want %d", i, s.Loads(), want)
		}
	}
	s.Unload("parrot:1b")
	if _, answer := get(t, s, "GET", "/api/ps"); strings.Contains(answer, "parrot") {
		t.Error("still loaded")
	}
}

func TestFaultsOfTheOtherEndpoints(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 503, Times: 2, RetryAfter: 3 * time.Second}})
	for i, want := range []int{503, 503, 200} {
		if status, answer := get(t, s, "GET", "/api/tags"); status != want {
			t.Errorf("call %d: %d %s", i, status, answer)
		}
	}
}

func TestAServerCanStartAgainAfterDown(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{parrot}, Rules: []testkit.Rule{
		{Times: 1, Reply: testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultDown}}},
		{Times: 1, Reply: testkit.Reply{Text: "one two", Fault: &testkit.Fault{Kind: testkit.FaultDown, After: 1}}},
		{Reply: testkit.Reply{Text: "back again"}},
	}})
	for i, begun := range []string{"", "one"} {
		if status, answer, _ := chat(t, s, user("hi")); status != 200*i || !strings.Contains(answer, begun) || strings.Contains(answer, "two") {
			t.Errorf("%d %s", status, answer)
		}
		if status, answer := get(t, s, "GET", "/api/version"); status != 0 {
			t.Errorf("down, but %d %s", status, answer)
		}
		if err := s.StartAt(s.Addr()); err != nil {
			t.Fatal(err)
		}
	}
	if status, text, _ := chat(t, s, user("hi")); status != 200 || text != "back again" {
		t.Errorf("%d %q", status, text)
	}
}
