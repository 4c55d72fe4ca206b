package ollama_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

// A new process that finds a busy server knows the descriptions that an earlier one got.
func TestDescriptionsSurviveABusyServer(t *testing.T) {
	server := testkit.Start(t, testkit.Script{Models: []testkit.Model{
		{Name: "qwen3:8b", ParameterSize: "8B", Capabilities: []string{"completion", "tools"}, ContextLength: 40960},
	}})
	target, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	var busy atomic.Bool
	forward := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Load() && r.URL.Path == "/api/show" {
			http.Error(w, `{"error":"server busy"}`, http.StatusServiceUnavailable)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	defer front.Close()
	file := filepath.Join(t.TempDir(), "cache", "models.json")
	describe := func() ollama.ModelInfo {
		t.Helper()
		client, err := ollama.New(ollama.Params{Host: front.URL, Descriptions: file})
		if err != nil {
			t.Fatal(err)
		}
		models, err := ollama.NewCatalog(client, 0).Models(t.Context())
		if err != nil || len(models) != 1 {
			t.Fatal(models, err)
		}
		return models[0]
	}
	before := describe()
	busy.Store(true)
	if got := describe(); !got.Can("tools") || got.MaxContext != before.MaxContext {
		t.Errorf("described as %+v, was %+v", got, before)
	}
	if err := os.WriteFile(file, []byte("{no json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := describe(); got.Can("tools") {
		t.Errorf("a broken file says %+v", got)
	}
	busy.Store(false)
	if got := describe(); !got.Can("tools") {
		t.Errorf("described anew as %+v", got)
	}

	// A newer server may describe a model differently, so it is asked again later.
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := regexp.MustCompile(`"Described":"[^"]*"`).ReplaceAllString(strings.ReplaceAll(string(data), `"tools"`, `"insert"`), `"Described":"2026-01-01T00:00:00Z"`)
	for name, text := range map[string]string{"described long ago": old, "of an older version": strings.ReplaceAll(old, `"Described":"2026-01-01T00:00:00Z",`, "")} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		busy.Store(true)
		if got := describe(); got.Can("tools") || !got.Can("insert") {
			t.Errorf("%s, and the server is busy: %+v", name, got)
		}
		busy.Store(false)
		if got := describe(); !got.Can("tools") || got.Can("insert") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
