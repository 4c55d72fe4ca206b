//go:build realollama

package realollama_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit/realollama"
)

// These tests run the app's client against a real server. What its own tests show with a
// scripted server must hold here too.

const plainAnswer = "Your fan is loud because a process uses the whole processor."

var parrot = realollama.Model{
	Name:  "parrot",
	Tools: true,
	Answers: map[string]string{
		"plain": plainAnswer,
		"call":  realollama.ToolCall("agent", `{"agent": "coder", "task": "count the lines"}`),
		"loop":  "tick tock and so on for ever ",
	},
	Endless: []string{"loop"},
	Rules: []realollama.Rule{
		{Contains: "delegate", Answer: "call"},
		{Contains: "for ever", Answer: "loop"},
	},
	Default: "plain",
}

func newClient(t *testing.T, host string) *ollama.Client {
	t.Helper()
	client, err := ollama.New(ollama.Params{Host: host, IdleTimeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func ask(text string) ollama.ChatRequest {
	return ollama.ChatRequest{Model: "parrot", NumCtx: 4096, Messages: []api.Message{{Role: "user", Content: text}}}
}

// withParrot returns a server with the parrot model, the proxy in front of it, and a
// client.
func withParrot(t *testing.T) (*realollama.Server, *realollama.Proxy, *ollama.Client) {
	t.Helper()
	server := realollama.Start(t)
	server.Create(t, parrot)
	proxy := server.Record(t)
	return server, proxy, newClient(t, proxy.Host())
}

func TestPlainAnswer(t *testing.T) {
	server, proxy, client := withParrot(t)
	// given a model that isn't loaded
	var phases []ollama.Phase
	var streamed []string
	request := ask("Why is my fan loud?")
	request.OnPhase = func(p ollama.Phase) { phases = append(phases, p) }
	request.OnChunk = func(c ollama.Chunk) { streamed = append(streamed, c.Content) }
	// when it gets two chats
	first, err := client.Chat(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	second, err := client.Chat(t.Context(), ask("Why is my fan loud?"))
	if err != nil {
		t.Fatal(err)
	}
	// then the answer arrives in pieces, and the first one after loading
	if first.Content != plainAnswer || strings.Join(streamed, "") != plainAnswer || len(streamed) < 5 {
		t.Errorf("answer %q in pieces %q, want %q", first.Content, streamed, plainAnswer)
	}
	if !slices.Contains(phases, ollama.PhaseLoading) || !first.Loaded || second.Loaded {
		t.Errorf("phases %v, loaded first %v, second %v; want loading, true, false", phases, first.Loaded, second.Loaded)
	}
	if first.DoneReason != "stop" || first.PromptTokens < len("Why is my fan loud?") || first.AnswerTokens < 5 {
		t.Errorf("done %q after %d prompt and %d answer tokens", first.DoneReason, first.PromptTokens, first.AnswerTokens)
	}
	if diff := cmp.Diff([]string{"parrot:latest"}, server.Loaded(t)); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
	if chats := proxy.Chats(t); len(chats) != 2 || chats[0].Options["num_ctx"] != 4096.0 {
		t.Errorf("requests: %+v", chats)
	}
}

func TestModelIsDescribed(t *testing.T) {
	_, _, client := withParrot(t)
	catalog := ollama.NewCatalog(client, 0)
	info, err := catalog.Resolve(t.Context(), "", ollama.RoleGeneral)
	if err != nil {
		t.Fatal(err)
	}
	if info.Name != "parrot:latest" || !info.Can("tools") || !info.Can("completion") || info.Can("vision") {
		t.Errorf("resolved %+v", info)
	}
	if info.MaxContext != realollama.DefaultContext {
		t.Errorf("maximal context %d, want %d", info.MaxContext, realollama.DefaultContext)
	}
	if n, err := catalog.NumCtx(t.Context(), info.Name); err != nil || n != 16384 {
		t.Errorf("num_ctx %d, %v; want 16384", n, err)
	}
	if version, err := client.Version(t.Context()); err != nil || version == "" {
		t.Errorf("version %q, %v", version, err)
	}
}

func TestNativeToolCall(t *testing.T) {
	_, _, client := withParrot(t)
	request := ask("Please delegate this")
	request.Tools = api.Tools{{Type: "function", Function: api.ToolFunction{Name: "agent", Description: "asks another agent"}}}
	result, err := client.Chat(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.ToolCalls) != 1 || result.Content != "" {
		t.Fatalf("tool calls %v beside %q, want one beside nothing", result.ToolCalls, result.Content)
	}
	call := result.ToolCalls[0].Function
	if task, _ := call.Arguments.Get("task"); call.Name != "agent" || task != "count the lines" {
		t.Errorf("call %s(%v)", call.Name, call.Arguments)
	}
}

func TestTwoModels(t *testing.T) {
	server, _, client := withParrot(t)
	server.Create(t, realollama.Model{Name: "expert:1b", Answers: map[string]string{"yes": "I am the expert here."}})
	for model, want := range map[string]string{"parrot": plainAnswer, "expert:1b": "I am the expert here."} {
		request := ask("hello")
		request.Model = model
		if result, err := client.Chat(t.Context(), request); err != nil || result.Content != want {
			t.Errorf("%s says %q, %v; want %q", model, result.Content, err, want)
		}
	}
	loaded := server.Loaded(t)
	slices.Sort(loaded)
	if diff := cmp.Diff([]string{"expert:1b", "parrot:latest"}, loaded); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
}

func TestSilentCutIsNoticed(t *testing.T) {
	_, _, client := withParrot(t)
	catalog := ollama.NewCatalog(client, 1024)
	asked := func(text string) (cut bool) {
		t.Helper()
		request := ask(text)
		request.NumCtx = 1024
		result, err := client.Chat(t.Context(), request)
		if errors.Is(err, ollama.ErrContextOverflow) {
			return true
		}
		if err != nil || result.Content != plainAnswer {
			t.Fatalf("%d bytes: %q, %v", len(text), result.Content, err)
		}
		return catalog.Observe(t.Context(), "parrot", 0, len(text)/4, result.PromptTokens)
	}
	// given prompts that fit, which calibrate the estimate
	if asked(strings.Repeat("The fan is loud. ", 30)) || asked(strings.Repeat("It is hot in here. ", 30)) {
		t.Error("a prompt that fits was taken for one that was cut")
	}
	// when one is far larger than the context, 0.6.5 answers as if nothing happened, and 0.17.4
	// refuses it
	// then the client notices nonetheless
	if !asked(strings.Repeat("Why is my fan as loud as that? ", 300)) {
		t.Error("the server cut the prompt in silence and nobody noticed")
	}
}

func TestStopDuringAStream(t *testing.T) {
	_, _, client := withParrot(t)
	if _, err := client.Chat(t.Context(), ask("warm up")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var stopped time.Time
	pieces := 0
	request := ask("Count for ever")
	request.OnChunk = func(ollama.Chunk) {
		if pieces++; pieces == 20 {
			stopped = time.Now()
			stop()
		}
	}
	result, err := client.Chat(ctx, request)
	if took := time.Since(stopped); took > time.Minute { // the answer never ends
		t.Errorf("the call went on for %v after it was stopped", took)
	}
	if !errors.Is(err, ollama.ErrCancelled) || !strings.HasPrefix(result.Content, "tick tock") {
		t.Errorf("%q, %v; want the partial answer and ErrCancelled", result.Content, err)
	}
	// then the server is free for the next call; under load, this old server sometimes
	// doesn't start the calls after a stop until its model is reloaded
	for range 3 {
		if result, err = client.Chat(t.Context(), ask("And now?")); !errors.Is(err, ollama.ErrTimeout) {
			break
		}
		if err := client.Unload(t.Context(), "parrot"); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil || result.Content != plainAnswer {
		t.Errorf("after the stop: %q, %v", result.Content, err)
	}
}

func TestACutStreamIsAnError(t *testing.T) {
	_, proxy, client := withParrot(t)
	proxy.CutNextChat(3)
	result, err := client.Chat(t.Context(), ask("Why is my fan loud?"))
	if !errors.Is(err, ollama.ErrStreamCut) {
		t.Errorf("error %v, want ErrStreamCut", err)
	}
	if result.Content == "" || !strings.HasPrefix(plainAnswer, result.Content) || result.Content == plainAnswer {
		t.Errorf("kept %q, want the beginning of the answer", result.Content)
	}
}

func TestPullError(t *testing.T) {
	_, _, client := withParrot(t)
	// given an unreachable registry, the server's error arrives in a stream that began
	// with 200
	var steps []string
	err := client.Pull(t.Context(), "127.0.0.1:1/library/nothing", func(p ollama.Progress) { steps = append(steps, p.Status) })
	if !errors.Is(err, ollama.ErrServer) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("Pull after %q: %v, want ErrServer with the server's words", steps, err)
	}
}

func TestModelMissing(t *testing.T) {
	_, _, client := withParrot(t)
	request := ask("hello")
	request.Model = "not-here:7b"
	if _, err := client.Chat(t.Context(), request); !errors.Is(err, ollama.ErrModelMissing) {
		t.Errorf("Chat: %v, want ErrModelMissing", err)
	}
	if _, err := ollama.NewCatalog(client, 0).Resolve(t.Context(), "not-here:7b", ollama.RoleGeneral); !errors.Is(err, ollama.ErrModelMissing) {
		t.Errorf("Resolve: %v, want ErrModelMissing", err)
	}
}

func TestServerGoesDown(t *testing.T) {
	server := realollama.Start(t)
	server.Create(t, parrot)
	client := newClient(t, server.Host())
	// when it goes down in the middle of a stream
	pieces := 0
	request := ask("Count for ever")
	request.OnChunk = func(ollama.Chunk) {
		if pieces++; pieces == 5 {
			server.Stop()
		}
	}
	result, err := client.Chat(t.Context(), request)
	if err == nil || errors.Is(err, ollama.ErrCancelled) || !strings.HasPrefix(result.Content, "tick tock") {
		t.Errorf("when the server stopped: %q, %v; want the beginning and an error", result.Content, err)
	}
	// then the next call reports that it is down
	if _, err := client.Chat(t.Context(), ask("hello")); !errors.Is(err, ollama.ErrOllamaDown) {
		t.Errorf("Chat: %v, want ErrOllamaDown", err)
	}
}

func TestEmbeddings(t *testing.T) {
	_, _, client := withParrot(t)
	vectors, err := client.Embed(t.Context(), "parrot", []string{"fan", "naf", "mouse"})
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) != 3 || len(vectors[0]) == 0 || cmp.Equal(vectors[0], vectors[2]) {
		t.Errorf("%d vectors; the first and third must differ", len(vectors))
	}
}
