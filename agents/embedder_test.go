package agents_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/ollamatest"
	"mac-stats/sessionmem/recall"
)

var nomic = ollamatest.Model{
	Name: "nomic-embed-text:latest", ParameterSize: "137M", Family: "nomic-bert",
	Capabilities: []string{"embedding"}, ContextLength: 512,
}

type embedding struct {
	server *ollamatest.Server
	*agents.Embedder
	busy atomic.Bool
}

func newEmbedding(t *testing.T, model string, models ...ollamatest.Model) *embedding {
	t.Helper()
	e := &embedding{server: ollamatest.Start(t, ollamatest.Script{Models: models})}
	client, err := ollama.New(ollama.Params{Host: e.server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	e.Embedder = agents.NewEmbedder(agents.EmbedderConfig{
		Client: client, Models: ollama.NewCatalog(client, 0),
		Model: func() string { return model }, Busy: e.busy.Load,
	})
	return e
}

func cosine(a, b []float32) float32 {
	sum := float32(0)
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestTheEmbeddingModelIsFoundByNameOrByWhatItCanDo(t *testing.T) {
	chat := ollamatest.Model{Name: "qwen3:8b", ParameterSize: "8B"}
	other := nomic
	other.Name, other.Dimensions = "all-minilm:latest", 32
	tests := []struct {
		name   string
		set    string
		models []ollamatest.Model
		want   string
		err    error
	}{
		{"by what it can do", "", []ollamatest.Model{chat, nomic}, nomic.Name, nil},
		{"by its name", "all-minilm", []ollamatest.Model{chat, nomic, other}, other.Name, nil},
		{"none is installed", "", []ollamatest.Model{chat}, "", recall.ErrNoModel},
		{"the named one is not installed", "mxbai", []ollamatest.Model{chat, nomic}, "", recall.ErrNoModel},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEmbedding(t, tt.set, tt.models...)
			m, err := e.Model(t.Context())
			if m.Name != tt.want || !errors.Is(err, tt.err) {
				t.Fatalf("%+v, %v", m, err)
			}
			if err == nil && (m.Digest == "" || m.Dims == 0) {
				t.Errorf("nothing to keep with the vectors: %+v", m)
			}
			before := len(e.server.Requests())
			if _, again := e.Model(t.Context()); !errors.Is(again, tt.err) || len(e.server.Requests()) != before {
				t.Errorf("asked again at once: %v", again)
			}
		})
	}
}

func TestTextsAreEmbeddedInBatchesByTheirMeaning(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"the automobile", "a puppy", "my car"}
	for range 60 {
		texts = append(texts, "something else entirely")
	}
	vectors, err := e.Embed(t.Context(), m, texts)
	if err != nil || len(vectors) != len(texts) {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	if near, far := cosine(vectors[0], vectors[2]), cosine(vectors[0], vectors[1]); near < far+0.2 {
		t.Errorf("automobile and car %.2f, automobile and puppy %.2f", near, far)
	}
	calls := 0
	for _, r := range e.server.Requests() {
		if r.Path == "/api/embed" {
			calls++
		}
	}
	if calls != 2 {
		t.Errorf("%d requests for 63 texts", calls)
	}
}

func TestATextLongerThanTheContextCountsByItsBeginning(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	long := "automobile " + strings.Repeat("automobile äöü ", 2000)
	vectors, err := e.Embed(t.Context(), m, []string{"car", long})
	if err != nil || len(vectors) != 2 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	if near := cosine(vectors[0], vectors[1]); near < 0.5 {
		t.Errorf("the long text is no longer about cars: %.2f", near)
	}
}

func TestVectorsThatCantBeUsedAreErrors(t *testing.T) {
	tests := []struct {
		name  string
		fault ollamatest.FaultKind
	}{
		{"all zero", ollamatest.FaultZero},
		{"too few", ollamatest.FaultFewer},
		{"no JSON", ollamatest.FaultNotJSON},
		{"a web page", ollamatest.FaultGarbage},
		{"the server is down", ollamatest.FaultDown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEmbedding(t, "", nomic)
			m, err := e.Model(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			e.server.SetEmbedFault(&ollamatest.Fault{Kind: tt.fault})
			if vectors, err := e.Embed(t.Context(), m, []string{"a text"}); err == nil {
				t.Errorf("taken: %v", vectors)
			}
		})
	}
}

func TestOtherDimensionsThanTheModelsAreToldOfTheModelThen(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.server.SetEmbedFault(&ollamatest.Fault{Kind: ollamatest.FaultOtherDims})
	if _, err := e.Embed(t.Context(), m, []string{"a text"}); err == nil {
		t.Fatal("mixed")
	}
	now, err := e.Model(t.Context())
	if err != nil || now.Dims != m.Dims+1 {
		t.Fatalf("%+v, %v", now, err)
	}
	if vectors, err := e.Embed(t.Context(), now, []string{"a text"}); err != nil || len(vectors[0]) != now.Dims {
		t.Errorf("%v, %v", vectors, err)
	}
}

func TestEmbeddingsWaitForTurns(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.busy.Store(true)
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := e.Embed(short, m, []string{"a text"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while a turn runs: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := e.Embed(t.Context(), m, []string{"a text"})
		done <- err
	}()
	e.busy.Store(false)
	if err := <-done; err != nil {
		t.Errorf("after it: %v", err)
	}
}
