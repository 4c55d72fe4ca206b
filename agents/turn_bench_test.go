package agents

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// chatFunc is a background.ChatModel in this process.
type chatFunc func(ctx context.Context, req ollama.ChatRequest) (ollama.ChatResult, error)

func (f chatFunc) Chat(ctx context.Context, req ollama.ChatRequest) (ollama.ChatResult, error) {
	return f(ctx, req)
}

// fixedModels is a ModelResolver of one model.
type fixedModels struct{ numCtx int }

func (fixedModels) Resolve(context.Context, string, ollama.Role) (ollama.ModelInfo, error) {
	return ollama.ModelInfo{Name: testModel}, nil
}
func (m fixedModels) NumCtx(context.Context, string) (int, error)       { return m.numCtx, nil }
func (fixedModels) Observe(context.Context, string, int, int, int) bool { return false }
func (fixedModels) Estimate(_ string, raw int) int                      { return raw }

// benchEngine returns an engine over real files with the given chat model.
func benchEngine(b *testing.B, chat background.ChatModel) (*Engine, *sessionmem.Store, string) {
	b.Helper()
	root := b.TempDir()
	registry := registry.New(registry.Config{Root: root, Defaults: os.DirFS("../assets")})
	if err := registry.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		b.Fatal(err)
	}
	settings := Settings{DefaultAgent: "orchestrator", MaxMessages: 20, MaxTokens: 8192, GlobalBudget: 8000, AgentBudget: 4000, MemoryWrite: "auto"}
	e := NewEngine(Params{
		Store: store, Memory: memory.New(memory.Config{Root: root}), Registry: registry, Chat: chat,
		Models: fixedModels{16384}, Prompts: os.DirFS("../assets"), Settings: func() Settings { return settings },
		Vitals: func() string { return "CPU 12 %" }, Logger: slog.New(slog.DiscardHandler),
	})
	b.Cleanup(func() { _ = e.Close(); _ = store.Close() })
	return e, store, root
}

// BenchmarkEnterToRequest measures our own time from Start to the chat request, with 20
// messages, 8 KB of memory and 20 agents; by then the user's message is on disk.
func BenchmarkEnterToRequest(b *testing.B) {
	var asked time.Time
	chat := chatFunc(func(_ context.Context, req ollama.ChatRequest) (ollama.ChatResult, error) {
		asked = time.Now()
		req.OnChunk(ollama.Chunk{Content: "An answer."})
		return ollama.ChatResult{Content: "An answer.", DoneReason: "stop"}, nil
	})
	e, store, root := benchEngine(b, chat)
	r := &rig{t: b, root: root}
	r.write("agents/memory.md", strings.Repeat("- A lesson that was learnt on a day in November, and kept\n", 140))
	for i := range 15 {
		dir := fmt.Sprintf("agents/agent-1%02d/", i)
		r.write(dir+"agent.json", fmt.Sprintf(`{"name": "Agent %d", "description": "Does one thing well."}`, i))
		r.write(dir+"skill.md", strings.Repeat("Do it well. ", 50))
	}
	for i := range 20 {
		kind := transcript.KindUser
		if i%2 == 1 {
			kind = transcript.KindAssistant
		}
		if _, err := store.Append(b.Context(), testSession, transcript.Block{Kind: kind, Text: strings.Repeat("some words ", 30)}); err != nil {
			b.Fatal(err)
		}
	}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		result, err := e.Start(b.Context(), Request{Session: testSession, Text: "And now?"}).Wait()
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, asked.Sub(began))
		back := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: result.UserID}
		if _, err := store.Append(b.Context(), testSession, back); err != nil { // 20 messages again
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds()), "p95-ns")
}

// BenchmarkTurnRelay measures a token's way from the server's bytes, through the client
// and a whole turn, to an event.
func BenchmarkTurnRelay(b *testing.B) {
	const tokens = 20000
	var body bytes.Buffer
	for i := range tokens { // all words differ, because an answer that repeats itself is stopped
		fmt.Fprintf(&body, `{"model":"qwen3:8b","created_at":"2026-11-21T10:00:00Z","message":{"role":"assistant","content":"%04x "},"done":false}`+"\n", i)
	}
	body.WriteString(`{"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":20000}` + "\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = w.Write(body.Bytes())
	}))
	b.Cleanup(server.Close)
	client, err := ollama.New(ollama.Params{Host: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	e, store, _ := benchEngine(b, client)
	n := 0
	for b.Loop() {
		n++
		session := fmt.Sprintf("cpu-bench%d", n)
		store.SetPrivate(session)
		run := e.Start(b.Context(), Request{Session: session, Text: "Go", NoTools: n%2 == 0})
		got := 0
		for e := range run.Events(b.Context()) {
			if e.Type == EventToken {
				got += len(e.Text)
			}
		}
		if got != tokens*5 {
			b.Fatalf("%d of %d bytes", got, tokens*5)
		}
	}
	b.ReportMetric(float64(n*tokens)/b.Elapsed().Seconds(), "tokens/s")
}
