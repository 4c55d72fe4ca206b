package background

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/recall"
)

var nomic = testkit.Model{
	Name: "nomic-embed-text:latest", ParameterSize: "137M", Family: "nomic-bert",
	Capabilities: []string{"embedding"}, ContextLength: 512,
}

type embedding struct {
	server *testkit.Server
	*Embedder
	busy     atomic.Bool
	prefixes func() (question, passage string)
	asked    int // requests that sent has returned
}

func newEmbedding(t *testing.T, model string, models ...testkit.Model) *embedding {
	t.Helper()
	e := &embedding{server: testkit.Start(t, testkit.Script{Models: models})}
	e.prefixes = func() (string, string) { return autoPrefix, autoPrefix }
	client, err := ollama.New(ollama.Params{Host: e.server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	e.Embedder = NewEmbedder(EmbedderConfig{
		Client: client, Models: ollama.NewCatalog(client, 0),
		Model: func() string { return model }, Busy: e.busy.Load,
		Prefixes: func() (string, string) { return e.prefixes() },
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

func TestTheEmbeddingModelIsFoundByNameOrCapability(t *testing.T) {
	chat := testkit.Model{Name: "qwen3:8b", ParameterSize: "8B"}
	other := nomic
	other.Name, other.Dimensions = "all-minilm:latest", 32
	tests := []struct {
		name   string
		set    string
		models []testkit.Model
		want   string
		err    error
	}{
		{"by what it can do", "", []testkit.Model{chat, nomic}, nomic.Name, nil},
		{"by its name", "all-minilm", []testkit.Model{chat, nomic, other}, other.Name, nil},
		{"none is installed", "", []testkit.Model{chat}, "", recall.ErrNoModel},
		{"the named one is not installed", "mxbai", []testkit.Model{chat, nomic}, "", recall.ErrNoModel},
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

func TestTextsAreEmbeddedInBatches(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"the automobile", "a puppy", "my car"}
	for range 60 {
		texts = append(texts, "something else entirely")
	}
	vectors, err := e.Embed(t.Context(), m, recall.AsPassage, texts)
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

func TestOnlyTheBeginningOfALongTextIsEmbedded(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	long := "automobile " + strings.Repeat("automobile äöü ", 2000)
	vectors, err := e.Embed(t.Context(), m, recall.AsPassage, []string{"car", long})
	if err != nil || len(vectors) != 2 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	if near := cosine(vectors[0], vectors[1]); near < 0.5 {
		t.Errorf("the long text is no longer about cars: %.2f", near)
	}
}

func TestUnusableVectorsAreErrors(t *testing.T) {
	tests := []struct {
		name  string
		fault testkit.FaultKind
	}{
		{"all zero", testkit.FaultZero},
		{"too few", testkit.FaultFewer},
		{"no JSON", testkit.FaultNotJSON},
		{"a web page", testkit.FaultGarbage},
		{"the server is down", testkit.FaultDown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEmbedding(t, "", nomic)
			m, err := e.Model(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			e.server.SetEmbedFault(&testkit.Fault{Kind: tt.fault})
			if vectors, err := e.Embed(t.Context(), m, recall.AsPassage, []string{"a text"}); err == nil {
				t.Errorf("taken: %v", vectors)
			}
		})
	}
}

func TestUnexpectedDimensionsUpdateTheModel(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.server.SetEmbedFault(&testkit.Fault{Kind: testkit.FaultOtherDims})
	if _, err := e.Embed(t.Context(), m, recall.AsPassage, []string{"a text"}); err == nil {
		t.Fatal("mixed")
	}
	now, err := e.Model(t.Context())
	if err != nil || now.Dims != m.Dims+1 {
		t.Fatalf("%+v, %v", now, err)
	}
	if vectors, err := e.Embed(t.Context(), now, recall.AsPassage, []string{"a text"}); err != nil || len(vectors[0]) != now.Dims {
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
	if _, err := e.Embed(short, m, recall.AsPassage, []string{"a text"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while a turn runs: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := e.Embed(t.Context(), m, recall.AsPassage, []string{"a text"})
		done <- err
	}()
	e.busy.Store(false)
	if err := <-done; err != nil {
		t.Errorf("after it: %v", err)
	}
}

func TestTheFormOfAnEmbeddingModelFollowsFromItsName(t *testing.T) {
	const represent = "Represent this sentence for searching relevant passages: "
	tests := []struct{ model, question, passage string }{
		{"nomic-embed-text:latest", "search_query: ", "search_document: "},
		{"nomic-embed-text-v2-moe", "search_query: ", "search_document: "},
		{"hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF:Q4_K_M", "search_query: ", "search_document: "},
		{"hf.co/nomic-ai/nomic-embed-code-GGUF", "Represent this query for searching relevant code: ", ""},
		{"jeffh/intfloat-multilingual-e5-large:f16", "query: ", "passage: "},
		{"someone/multilingual_e5_base", "query: ", "passage: "},
		{"someone/multilingual-e5-large-instruct", "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""},
		{"qwen3-embedding:0.6b", "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", ""},
		{"embeddinggemma:300m", "task: search result | query: ", "title: none | text: "},
		{"hf.co/google/embedding-gemma-300m", "task: search result | query: ", "title: none | text: "},
		{"mxbai-embed-large", represent, ""},
		{"bge-large:335m", represent, ""},
		{"quentinz/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""},
		{"bge-m3:567m", "", ""},
		{"snowflake-arctic-embed:335m", represent, ""},
		{"snowflake-arctic-embed2:568m", "query: ", ""},
		{"hf.co/Snowflake/snowflake-arctic-embed-l-v2.0-GGUF", "query: ", ""},
		{"all-minilm:latest", "", ""},
		{"granite-embedding:278m", "", ""},
		{"paraphrase-multilingual", "", ""},
		{"someone/phase5-embed", "", ""},
	}
	for _, tt := range tests {
		if got := formOf(tt.model, autoPrefix, autoPrefix); got != (embedForm{Question: tt.question, Passage: tt.passage}) {
			t.Errorf("%s: %+v", tt.model, got)
		}
	}
	if got := formOf("nomic-embed-text", "", "text: "); got != (embedForm{Question: "", Passage: "text: "}) {
		t.Errorf("as set: %+v", got)
	}
}

// sent returns the texts that the server got to embed since the last call.
func (e *embedding) sent() (texts []string) {
	for _, r := range e.server.Requests()[e.asked:] {
		texts = append(texts, r.Embed...)
	}
	e.asked = len(e.server.Requests())
	return texts
}

func TestQuestionsAndPassagesAreSentInTheModelsForm(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("automobile ", 4000)
	for _, each := range []struct {
		as   recall.EmbedAs
		text string
		want string
	}{
		{recall.AsPassage, "the fan is loud", "search_document: the fan is loud"},
		{recall.AsQuestion, "why is it loud", "search_query: why is it loud"},
		{recall.AsPassage, long, "search_document: automobile automobile"},
	} {
		if _, err := e.Embed(t.Context(), m, each.as, []string{each.text}); err != nil {
			t.Fatal(err)
		}
		texts := e.sent()
		if len(texts) == 0 {
			t.Fatal("nothing was sent")
		}
		for _, text := range texts {
			if !strings.HasPrefix(text, each.want) {
				t.Errorf("sent %.60q, want %q", text, each.want)
			}
		}
	}
}

func TestAnotherPassagePrefixIsAnotherModel(t *testing.T) {
	e := newEmbedding(t, "", nomic)
	auto, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	question, passage := autoPrefix, autoPrefix
	e.prefixes = func() (string, string) { return question, passage }
	question = "q: "
	if m, err := e.Model(t.Context()); err != nil || m != auto {
		t.Errorf("another prefix of questions leaves the vectors as they are: %+v, %v", m, err)
	}
	passage = ""
	none, err := e.Model(t.Context())
	if err != nil || none.Digest == auto.Digest {
		t.Errorf("%+v is taken for %+v, %v", none, auto, err)
	}
	if _, err := e.Embed(t.Context(), auto, recall.AsPassage, []string{"a text"}); err == nil {
		t.Error("a vector was made in another form than the one asked for")
	}
}

func TestVectorsOfAReplacedModelAreRejected(t *testing.T) {
	t.Parallel()
	e := newEmbedding(t, "nomic-embed-text", nomic)
	m, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	newer := nomic
	newer.ContextLength = 2048
	e.server.SetModels(newer)
	for _, as := range []recall.EmbedAs{recall.AsPassage, recall.AsQuestion} {
		if vectors, err := e.Embed(t.Context(), m, as, []string{"a text"}); err == nil {
			t.Errorf("%d vectors of the new model under the old one's digest", len(vectors))
		}
	}
	filetest.Until(t, "the new model to be seen", func() bool {
		now, err := e.Model(t.Context())
		if err != nil || now.Digest == m.Digest {
			_, _ = e.Embed(t.Context(), now, recall.AsPassage, []string{"a text"})
			return false
		}
		_, err = e.Embed(t.Context(), now, recall.AsPassage, []string{"a text"})
		return err == nil
	})
	e.server.SetModels()
	now, err := e.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), now, recall.AsPassage, []string{"a text"}); err == nil {
		t.Error("a model that was removed made vectors")
	}
	filetest.Until(t, "its removal to be seen", func() bool {
		_, _ = e.Embed(t.Context(), now, recall.AsPassage, []string{"a text"}) // fails, and makes it look again
		_, err := e.Model(t.Context())
		return errors.Is(err, recall.ErrNoModel)
	})
}
