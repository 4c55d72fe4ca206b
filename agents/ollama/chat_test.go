package ollama_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

var qwen = testkit.Model{
	Name: "qwen3:8b", ParameterSize: "8.2B", Family: "qwen3", Loaded: true,
	Capabilities: []string{"completion", "tools", "thinking"}, ContextLength: 40960,
}

// script answers every chat of qwen with that reply.
func script(reply testkit.Reply) testkit.Script {
	return testkit.Script{Models: []testkit.Model{qwen}, Rules: []testkit.Rule{{Reply: reply}}}
}

func newClient(t *testing.T, s *testkit.Server, change func(*ollama.Params)) *ollama.Client {
	t.Helper()
	p := ollama.Params{Host: s.URL()}
	if change != nil {
		change(&p)
	}
	c, err := ollama.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(text string) ollama.ChatRequest {
	return ollama.ChatRequest{Model: qwen.Name, Messages: []api.Message{{Role: "user", Content: text}}}
}

func TestChatReturnsTheWholeAnswer(t *testing.T) {
	call := testkit.ToolCall("SYSTEM_STATS", "topic", "cpu", "count", 3.0)
	tests := []struct {
		name           string
		reply          testkit.Reply
		content        string
		thinking       string
		tools          int
		reason         string
		prompt, answer int
	}{
		{"text", testkit.Reply{Text: "It is fine."}, "It is fine.", "", 0, "stop", 5, 3},
		{"native thinking", testkit.Reply{Thinking: []string{"hm", "…"}, Text: "Yes"}, "Yes", "hm…", 0, "stop", 5, 3},
		{"inline thinking is content", testkit.Reply{Chunks: []string{"<thi", "nk>hm</th", "ink>\n\n", "Yes"}}, "<think>hm</think>\n\nYes", "", 0, "stop", 5, 4},
		{"a tag after native thinking stays", testkit.Reply{Thinking: []string{"hm"}, Text: "<think>"}, "<think>", "hm", 0, "stop", 5, 2},
		{"tool call", testkit.Reply{ToolCalls: []api.ToolCall{call}}, "", "", 1, "stop", 5, 0},
		{"cut by its length", testkit.Reply{Text: "It", DoneReason: "length", PromptTokens: 77, AnswerTokens: 9}, "It", "", 0, "length", 77, 9},
		{"nothing at all", testkit.Reply{Chunks: []string{}}, "", "", 0, "stop", 5, 0},
		{"drip", testkit.Reply{Text: "slow but sure", Fault: &testkit.Fault{Kind: testkit.FaultDrip}}, "slow but sure", "", 0, "stop", 5, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.Start(t, script(tt.reply))
			var content, thinking strings.Builder
			req := ask("How?")
			req.OnChunk = func(c ollama.Chunk) { content.WriteString(c.Content); thinking.WriteString(c.Thinking) }
			got, err := newClient(t, s, nil).Chat(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if content.String() != got.Content || thinking.String() != got.Thinking {
				t.Errorf("chunks sum up to %q and %q", content.String(), thinking.String())
			}
			type facts struct {
				Content, Thinking, Reason string
				Tools, Prompt, Answer     int
			}
			want := facts{tt.content, tt.thinking, tt.reason, tt.tools, tt.prompt, tt.answer}
			have := facts{got.Content, got.Thinking, got.DoneReason, len(got.ToolCalls), got.PromptTokens, got.AnswerTokens}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.tools == 1 && got.ToolCalls[0].Function.Arguments.String() != `{"topic":"cpu","count":3}` {
				t.Errorf("arguments %s", got.ToolCalls[0].Function.Arguments.String())
			}
		})
	}
}

func TestChatAsksTheServerNotToTruncate(t *testing.T) {
	s := testkit.Start(t, script(testkit.Reply{Text: "ok"}))
	temperature, no := 0.5, false
	req := ask("How?")
	req.NumCtx, req.MaxTokens, req.Temperature, req.Think = 8192, 100, &temperature, &no
	req.Format = []byte(`{"type":"object"}`)
	if _, err := newClient(t, s, nil).Chat(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	want := `{"model":"qwen3:8b","messages":[{"role":"user","content":"How?"}],"format":{"type":"object"},"keep_alive":"10m0s",` +
		`"options":{"num_ctx":8192,"num_predict":100,"temperature":0.5},"think":false,"truncate":false,"shift":false}`
	if diff := cmp.Diff(want, string(s.Chats()[0].Raw)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChatFailuresHaveAKindAndKeepWhatArrived(t *testing.T) {
	fault := func(f testkit.Fault) testkit.Reply {
		return testkit.Reply{Chunks: []string{"one ", "two ", "three"}, Fault: &f}
	}
	tests := []struct {
		name   string
		reply  testkit.Reply
		kind   error
		kept   string
		detail string
	}{
		{"overflow", fault(testkit.Fault{Kind: testkit.FaultStatus, Status: 400}), ollama.ErrContextOverflow, "", "exceeds the context length"},
		{"overflow in other words", fault(testkit.Fault{Kind: testkit.FaultStatus, Status: 400, Message: "the prompt is longer than the context length currently available to the model"}), ollama.ErrContextOverflow, "", "longer than"},
		{"overflow in the stream", fault(testkit.Fault{Kind: testkit.FaultErrorLine, Message: "the input length exceeds the context length"}), ollama.ErrContextOverflow, "", ""},
		{"another 400", fault(testkit.Fault{Kind: testkit.FaultStatus, Status: 400, Message: "invalid option"}), ollama.ErrServer, "", "invalid option"},
		{"model missing", fault(testkit.Fault{Kind: testkit.FaultStatus, Status: 404, Message: "model 'qwen3:8b' not found"}), ollama.ErrModelMissing, "", "not found"},
		{"no such page", fault(testkit.Fault{Kind: testkit.FaultStatus, Status: 404, Message: "no route"}), ollama.ErrServer, "", "no route"},
		{"500", fault(testkit.Fault{Kind: testkit.FaultStatus, Status: 500, Message: "model requires more system memory"}), ollama.ErrServer, "", "more system memory"},
		{"web page", fault(testkit.Fault{Kind: testkit.FaultGarbage}), ollama.ErrServer, "", "does not look like an Ollama server"},
		{"no JSON in the stream", fault(testkit.Fault{Kind: testkit.FaultNotJSON, After: 1}), ollama.ErrServer, "one ", "does not look like an Ollama server"},
		{"error line", fault(testkit.Fault{Kind: testkit.FaultErrorLine, After: 2, Message: "an error was encountered while running the model"}), ollama.ErrServer, "one two ", "while running the model"},
		{"ended without done", fault(testkit.Fault{Kind: testkit.FaultCut, After: 2}), ollama.ErrStreamCut, "one two ", "before done"},
		{"ended without done after the last chunk", fault(testkit.Fault{Kind: testkit.FaultCut, After: 3}), ollama.ErrStreamCut, "one two three", "before done"},
		{"empty body", fault(testkit.Fault{Kind: testkit.FaultCut}), ollama.ErrStreamCut, "", "before done"},
		{"connection reset", fault(testkit.Fault{Kind: testkit.FaultReset, After: 1}), ollama.ErrStreamCut, "one ", "closed"},
		{"goes down before it answers", fault(testkit.Fault{Kind: testkit.FaultDown}), ollama.ErrStreamCut, "", "closed"},
		{"goes down in mid-stream", fault(testkit.Fault{Kind: testkit.FaultDown, After: 2}), ollama.ErrStreamCut, "one two ", "closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := testkit.Start(t, script(tt.reply))
			got, err := newClient(t, s, nil).Chat(t.Context(), ask("How?"))
			var e *ollama.Error
			if !errors.Is(err, tt.kind) || !errors.As(err, &e) {
				t.Fatalf("got %v; want %v", err, tt.kind)
			}
			if got.Content != tt.kept {
				t.Errorf("kept %q; want %q", got.Content, tt.kept)
			}
			if !strings.Contains(err.Error(), tt.detail) || e.Host != s.Addr() || e.Op != "chat" || e.Model != qwen.Name {
				t.Errorf("error %q (%+v) does not say %q", err, e, tt.detail)
			}
		})
	}
}

func TestChatReportsThatOllamaIsDown(t *testing.T) {
	closed := testkit.New(testkit.Script{})
	if err := closed.Start(); err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	addr := closed.Addr()
	closed.Down()
	for name, host := range map[string]string{"connection refused": addr, "no such host": "nowhere.invalid"} {
		t.Run(name, func(t *testing.T) {
			c, err := ollama.New(ollama.Params{Host: host})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Chat(t.Context(), ask("How?")); !errors.Is(err, ollama.ErrOllamaDown) {
				t.Errorf("chat: %v", err)
			}
			if _, err := c.Version(t.Context()); !errors.Is(err, ollama.ErrOllamaDown) {
				t.Errorf("version: %v", err)
			}
			if err := c.Pull(t.Context(), "x", nil); !errors.Is(err, ollama.ErrOllamaDown) {
				t.Errorf("pull: %v", err)
			}
		})
	}
}

func TestThinkIsOmittedIfTheModelCannotThink(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{qwen}, Rules: []testkit.Rule{
		{
			When:  func(req api.ChatRequest) bool { return req.Think != nil },
			Reply: testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 400, Message: `"qwen3:8b" does not support thinking`}},
		},
		{Reply: testkit.Reply{Text: "plain"}},
	}})
	yes := true
	req := ask("How?")
	req.Think = &yes
	if got, err := newClient(t, s, nil).Chat(t.Context(), req); err != nil || got.Content != "plain" {
		t.Errorf("%q, %v", got.Content, err)
	}
}

func TestRedirectsElsewhereAreNotFollowed(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	front := httptest.NewServer(http.RedirectHandler(other.URL+"/api/version", http.StatusTemporaryRedirect))
	defer front.Close()
	c, err := ollama.New(ollama.Params{Host: front.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Version(t.Context()); !errors.Is(err, ollama.ErrServer) || asked {
		t.Errorf("got %v, the other server was asked: %v", err, asked)
	}
	if _, err := c.Chat(t.Context(), ask("private")); !errors.Is(err, ollama.ErrServer) || asked {
		t.Errorf("got %v, the other server was asked: %v", err, asked)
	}
}

func TestAServerThatIsNotOllamaIsReported(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	raw, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	go func() {
		for {
			conn, err := raw.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte("220 mail.example ESMTP\r\n"))
			_ = conn.Close()
		}
	}()
	for name, host := range map[string]string{"web server": web.URL, "mail server": raw.Addr().String()} {
		c, err := ollama.New(ollama.Params{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Version(t.Context())
		if !errors.Is(err, ollama.ErrServer) || !strings.Contains(err.Error(), "does not look like an Ollama server") {
			t.Errorf("%s, version: %v", name, err)
		}
		_, err = c.Chat(t.Context(), ask("How?"))
		if !errors.Is(err, ollama.ErrServer) || !strings.Contains(err.Error(), "does not look like an Ollama server") {
			t.Errorf("%s, chat: %v", name, err)
		}
	}
}
