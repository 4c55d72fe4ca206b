package ollama_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

func model(name, parameters, family string, can ...string) testkit.Model {
	return testkit.Model{Name: name, ParameterSize: parameters, Family: family, Capabilities: can}
}

var (
	tiny   = model("qwen3:0.6b", "0.6B", "qwen3", "completion", "tools", "thinking")
	middle = model("gemma3:12b", "12.2B", "gemma3", "completion", "vision")
	large  = model("llama3.3:70b", "70.6B", "llama", "completion", "tools")
	coder  = model("qwen2.5-coder:7b", "7.6B", "qwen2", "completion", "tools", "insert")
	nomic  = model("nomic-embed-text:latest", "137M", "nomic-bert", "embedding")
	guard  = model("llama-guard3:1b", "1.5B", "llama", "completion")
	llava  = model("llava:7b", "7.2B", "llama", "completion", "vision")
)

func cloud() testkit.Model {
	m := model("gpt-oss:120b-cloud", "116.8B", "gptoss", "completion", "tools", "thinking")
	m.RemoteHost = "https://ollama.com"
	return m
}

func TestRolesAreResolvedToInstalledModels(t *testing.T) {
	everything := []testkit.Model{tiny, middle, large, coder, nomic, guard, llava, cloud()}
	tests := []struct {
		name   string
		models []testkit.Model
		limit  int64
		role   ollama.Role
		want   string // "" is ErrNoModel
	}{
		{"general: the largest comfortable one", everything, 0, ollama.RoleGeneral, "gemma3:12b"},
		{"small: the smallest that can do it", everything, 0, ollama.RoleSmall, "gemma3:12b"},
		{"code: by name", everything, 0, ollama.RoleCode, "qwen2.5-coder:7b"},
		{"thinking: by capability", everything, 0, ollama.RoleThinking, "qwen3:0.6b"},
		{"vision: by capability", everything, 0, ollama.RoleVision, "gemma3:12b"},
		{"embed: by capability", everything, 0, ollama.RoleEmbed, "nomic-embed-text:latest"},
		{"general: what fits the machine", everything, 4e9, ollama.RoleGeneral, "qwen3:0.6b"},
		{"general: only a large one", []testkit.Model{large, nomic}, 0, ollama.RoleGeneral, "llama3.3:70b"},
		{"general: only one that does not fit", []testkit.Model{large}, 1e9, ollama.RoleGeneral, "llama3.3:70b"},
		{"general: only a coder", []testkit.Model{coder, nomic}, 0, ollama.RoleGeneral, "qwen2.5-coder:7b"},
		{"small: not a guard", []testkit.Model{guard, middle}, 0, ollama.RoleSmall, "gemma3:12b"},
		{"small: one model plays all", []testkit.Model{middle}, 0, ollama.RoleSmall, "gemma3:12b"},
		{"code: no coder", []testkit.Model{middle, tiny}, 0, ollama.RoleCode, "gemma3:12b"},
		{"thinking: no thinker", []testkit.Model{middle}, 0, ollama.RoleThinking, "gemma3:12b"},
		{"vision: none", []testkit.Model{tiny, nomic}, 0, ollama.RoleVision, ""},
		{"embed: none", []testkit.Model{middle}, 0, ollama.RoleEmbed, ""},
		{"general: embedding models only", []testkit.Model{nomic}, 0, ollama.RoleGeneral, ""},
		{"general: cloud models only", []testkit.Model{cloud()}, 0, ollama.RoleGeneral, ""},
		{"small: cloud models only", []testkit.Model{cloud()}, 0, ollama.RoleSmall, ""},
		{"nothing installed", nil, 0, ollama.RoleGeneral, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.Start(t, testkit.Script{Models: tt.models})
			c := ollama.NewCatalog(newClient(t, s, nil), 0)
			c.LimitSize(tt.limit)
			got, err := c.Resolve(t.Context(), "", tt.role)
			if got.Name != tt.want || (tt.want == "") != errors.Is(err, ollama.ErrNoModel) {
				t.Errorf("got %q, %v; want %q", got.Name, err, tt.want)
			}
		})
	}
}

func TestAnExplicitModelIsNeverReplaced(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{tiny, nomic, cloud()}})
	c := ollama.NewCatalog(newClient(t, s, nil), 0)
	for name, want := range map[string]string{
		"qwen3:0.6b":          "qwen3:0.6b",
		"QWEN3:0.6b":          "qwen3:0.6b",
		"nomic-embed-text":    "nomic-embed-text:latest",
		"gpt-oss:120b-cloud":  "gpt-oss:120b-cloud",
		"library/qwen3:0.6b":  "qwen3:0.6b",
		"qwen3":               "",
		"qwen3:0.6b-instruct": "",
	} {
		got, err := c.Resolve(t.Context(), name, ollama.RoleGeneral)
		if got.Name != want || (want == "") != errors.Is(err, ollama.ErrModelMissing) {
			t.Errorf("%s: got %q, %v; want %q", name, got.Name, err, want)
		}
	}
	if got, _ := c.Resolve(t.Context(), "gpt-oss:120b-cloud", ""); !got.Remote {
		t.Error("a cloud model is not marked as remote")
	}
	s.SetModels(tiny, model("qwen3:latest", "8.2B", "qwen3", "completion"))
	if got, err := c.Resolve(t.Context(), "qwen3", ollama.RoleGeneral); got.Name != "qwen3:latest" {
		t.Errorf("a model pulled a moment ago: %q, %v", got.Name, err)
	}
	if got, err := c.Resolve(t.Context(), "", ollama.RoleGeneral); got.Name != "qwen3:latest" {
		t.Errorf("the role after the list changed: %q, %v", got.Name, err)
	}
}

func TestModelsAreDescribedOnceForEachDigest(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{tiny, middle}})
	client := newClient(t, s, nil)
	c := ollama.NewCatalog(client, 0)
	for range 3 {
		if models, err := c.Models(t.Context()); err != nil || len(models) != 2 {
			t.Fatal(models, err)
		}
	}
	got, err := client.Show(t.Context(), "gemma3:12b")
	if err != nil || !got.Can("vision") || got.Can("tools") || got.Parameters != 12_200_000_000 || got.MaxContext != 32768 || got.Family != "gemma3" || got.Size == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if n := requests(s, "/api/show"); n != 2 {
		t.Errorf("%d calls of show", n)
	}
	changed := middle
	changed.ContextLength = 8192
	s.SetModels(changed)
	if got, err := client.Show(t.Context(), "gemma3:12b"); err != nil || got.MaxContext != 8192 {
		t.Errorf("after its digest changed: %+v, %v", got, err)
	}
	if _, err := client.Show(t.Context(), "none"); !errors.Is(err, ollama.ErrModelMissing) {
		t.Errorf("not installed: %v", err)
	}
}

func requests(s *testkit.Server, path string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Path == path {
			n++
		}
	}
	return n
}

func TestNumCtxIsTheSameForAllAndAtMostWhatTheServerLoaded(t *testing.T) {
	tests := []struct {
		name       string
		configured int
		maximum    int
		given      int // the server's limit; 0 is none
		want       int // before the first answer
		after      int
	}{
		{"auto: at most 16,384", 0, 131072, 0, 16384, 16384},
		{"auto: a smaller maximum", 0, 2048, 0, 2048, 2048},
		{"configured", 4096, 131072, 0, 4096, 4096},
		{"configured beyond the maximum", 65536, 32768, 0, 32768, 32768},
		{"the server gives less", 0, 131072, 4096, 16384, 4096},
		{"the server gives less than configured", 32768, 131072, 8192, 32768, 8192},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := tiny
			m.ContextLength = tt.maximum
			s := testkit.Start(t, testkit.Script{
				Models: []testkit.Model{m}, MaxLoaded: tt.given,
				Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "ok"}}},
			})
			client := newClient(t, s, nil)
			c := ollama.NewCatalog(client, tt.configured)
			for i, want := range []int{tt.want, tt.after, tt.after} {
				n, err := c.NumCtx(t.Context(), m.Name)
				if err != nil || n != want {
					t.Fatalf("call %d: %d, %v; want %d", i, n, err, want)
				}
				got, err := client.Chat(t.Context(), ollama.ChatRequest{Model: m.Name, NumCtx: n, Messages: ask("How?").Messages})
				if err != nil {
					t.Fatal(err)
				}
				c.Observe(t.Context(), m.Name, 0, 5, got.PromptTokens)
			}
			if s.Loads() != 1 {
				t.Errorf("the model was loaded %d times", s.Loads())
			}
		})
	}
	s := testkit.Start(t, testkit.Script{})
	if _, err := ollama.NewCatalog(newClient(t, s, nil), 0).NumCtx(t.Context(), "none"); !errors.Is(err, ollama.ErrModelMissing) {
		t.Errorf("not installed: %v", err)
	}
}

func TestASilentTruncationIsNoticed(t *testing.T) {
	s := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{tiny}, OldServer: true,
		Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "ok"}}},
	})
	client := newClient(t, s, nil)
	c := ollama.NewCatalog(client, 0)
	for _, tt := range []struct {
		name   string
		tokens int
		cut    bool
	}{{"a prompt that fits", 900, false}, {"one that does not", 6000, true}, {"one that fits again", 1000, false}} {
		req := ollama.ChatRequest{Model: tiny.Name, NumCtx: 2048, Messages: []api.Message{{Role: "user", Content: text(tt.tokens)}}}
		got, err := client.Chat(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if cut := c.Observe(t.Context(), tiny.Name, 0, tt.tokens, got.PromptTokens); cut != tt.cut {
			t.Errorf("%s: cut %v, %d tokens counted", tt.name, cut, got.PromptTokens)
		}
	}
}

// text returns a text of that many tokens, at four bytes each.
func text(tokens int) string {
	b := make([]byte, 4*tokens)
	for i := range b {
		b[i] = "word"[i%4]
	}
	return string(b)
}

func TestModelsAreListedAgainAfterAFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.New(testkit.Script{Models: []testkit.Model{tiny}})
		c := ollama.NewCatalog(inBubble(t, s), 0)
		list := func(want int) {
			t.Helper()
			if models, err := c.Models(t.Context()); err != nil || len(models) != want {
				t.Errorf("%d models, %v; want %d", len(models), err, want)
			}
		}
		list(1)
		s.SetModels(tiny, middle)
		time.Sleep(2 * time.Second)
		list(1)
		time.Sleep(2 * time.Second)
		list(2)
	})
}
