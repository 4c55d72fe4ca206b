package ollama_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mac-stats/agents/ollama"
)

const benchTokens = 20_000

// BenchmarkChatStream relays an answer of 20,000 tokens, one per line, from a server on
// loopback to OnChunk. The promise is 50,000 tokens/s.
func BenchmarkChatStream(b *testing.B) {
	lines := make([]byte, 0, 150*benchTokens)
	for i := range benchTokens {
		lines = fmt.Appendf(lines, `{"model":"qwen3:8b","created_at":"2026-11-21T10:15:%02d.123456Z","message":{"role":"assistant","content":" token%d"},"done":false}`+"\n", i%60, i)
	}
	lines = append(lines, `{"model":"qwen3:8b","created_at":"2026-11-21T10:15:00Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":20000}`+"\n"...)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/ps" {
			_, _ = io.WriteString(w, `{"models":[{"name":"qwen3:8b","model":"qwen3:8b"}]}`)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = w.Write(lines)
	}))
	defer server.Close()
	c, err := ollama.New(ollama.Params{Host: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		tokens := 0
		req := ask("How?")
		req.OnChunk = func(ollama.Chunk) { tokens++ }
		if _, err := c.Chat(b.Context(), req); err != nil || tokens != benchTokens {
			b.Fatalf("%d tokens, %v", tokens, err)
		}
	}
	b.ReportMetric(float64(b.N)*benchTokens/b.Elapsed().Seconds(), "tokens/s")
}
