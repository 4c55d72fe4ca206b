package backend

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/transcript"
)

// found returns the texts that a search finds.
func (s *searched) found(query string) []string {
	s.t.Helper()
	f, _, err := s.b.Index.Find(s.t.Context(), recall.Query{Text: query})
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, h := range f.Hits {
		out = append(out, h.Text)
	}
	return out
}

// finds waits until a search finds a text that contains want.
func (s *searched) finds(query, want string) {
	s.t.Helper()
	s.await(query+" to find "+want, func() bool {
		return slices.ContainsFunc(s.found(query), func(text string) bool { return strings.Contains(text, want) })
	})
}

func (s *searched) await(what string, there func() bool) {
	s.t.Helper()
	filetest.Until(s.t, what, there)
}

// searched is an app whose index follows its files.
type searched struct {
	t *testing.T
	b *Backend
}

func newSearched(t *testing.T, s *testkit.Server, more ...string) *searched {
	t.Helper()
	b := open(t, Options{Environ: environ(t.TempDir(), append(more, "OLLAMA_HOST="+s.Addr())...), Watch: true})
	return &searched{t, b}
}

// Files are saved as editors save them; the app's own watcher notifies the index.
func TestSearchFindsAnEditOnceTheWatcherSawIt(t *testing.T) {
	s := newSearched(t, server(t))
	s.await("the index", func() bool {
		status, err := s.b.Index.IndexStatus(t.Context())
		return err == nil && !status.LastSync.IsZero()
	})
	file := s.b.Memory.Path(memory.Target{Kind: memory.TargetGlobal})
	for i, save := range []func(text string){
		func(text string) { write(t, file, text) },
		func(text string) {
			write(t, file+".tmp", text)
			if err := os.Rename(file+".tmp", file); err != nil {
				t.Fatal(err)
			}
		},
	} {
		word := []string{"quokka", "wombat"}[i]
		begun := time.Now()
		save("# Memory\n\n- The " + word + " lives in the attic\n")
		s.finds(word, "attic")
		t.Logf("found %v after it was saved", time.Since(begun))
	}
	if got := s.found("quokka"); len(got) > 0 {
		t.Errorf("what the edit took out is still found: %q", got)
	}
}

// The message takes the same way as a person's.
func TestSearchFindsAnAnswerOnceTheTurnEnded(t *testing.T) {
	s := newSearched(t, server(t))
	run := s.b.Engine.Start(t.Context(), agents.Request{Session: s.b.Store.NewName("cpu"), Text: "The zephyr proxy listens on 8443.", Holder: "test"})
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	s.finds("zephyr", "8443")
}

// The model behind a name changes while the app runs: search by meaning waits until the
// vectors are rebuilt.
func TestAnotherEmbeddingModelRebuildsTheVectors(t *testing.T) {
	models := server(t)
	embed := testkit.Model{Name: "nomic-embed-text:latest", ParameterSize: "137M", Family: "nomic-bert", Capabilities: []string{"embedding"}, ContextLength: 512}
	models.SetModels(embed)
	s := newSearched(t, models)
	for _, text := range []string{"the automobile is red", "rain falls"} {
		if _, err := s.b.Store.Append(t.Context(), "cpu-old", transcript.Block{Kind: transcript.KindUser, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	ready := func(digest string) func() bool {
		return func() bool {
			status, err := s.b.Index.IndexStatus(context.Background())
			return err == nil && status.Vectors == recall.VectorsReady && status.Chunks > 0 && status.VectorCount == status.Chunks && s.digest() == digest
		}
	}
	first := s.digest()
	s.await("the vectors", ready(first))
	s.finds("vehicle", "the automobile is red")

	embed.Dimensions = 48
	models.SetModels(embed)
	s.await("the other model to be seen", func() bool {
		_, _, err := s.b.Index.Find(context.Background(), recall.Query{Text: "vehicle"})
		return err == nil && s.digest() != first
	})
	s.await("its vectors", ready(s.digest()))
	s.finds("vehicle", "the automobile is red")
}

// digest returns the embedding model's digest as the index sees it.
func (s *searched) digest() string {
	m, err := s.b.Index.EmbedModel(context.Background())
	if err != nil {
		return ""
	}
	return m.Digest
}

func TestACommandWaitsUntilTheEmbeddingModelIsLoaded(t *testing.T) {
	for _, tt := range []struct {
		what string
		o    Options
		want time.Duration
	}{
		{"a command", Options{}, commandPatience},
		{"the app, which has somebody at the keyboard", Options{Watch: true}, 0},
		{"a test", Options{Patience: time.Minute}, time.Minute},
	} {
		tt.o.Environ = environ(t.TempDir(), "OLLAMA_HOST=127.0.0.1:1")
		b, err := Open(t.Context(), tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Index.embedPatience(); got != tt.want {
			t.Errorf("%s waits %v, want %v", tt.what, got, tt.want)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Each session is named once, with its best passage, and what was said in memory files isn't.
func TestRelatedNamesEachSessionOnce(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST=127.0.0.1:1")})
	for _, said := range [][2]string{{"cpu-a", "The zephyr proxy listens on 8443"}, {"cpu-a", "The zephyr proxy again"}, {"cpu-b", "A zephyr blows"}} {
		if _, err := b.Store.Append(t.Context(), said[0], transcript.Block{Kind: transcript.KindUser, Text: said[1]}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Memory.Append(t.Context(), memory.Lesson{Text: "The zephyr is a wind", Hand: true}); err != nil {
		t.Fatal(err)
	}
	progress := 0
	stop := b.Index.OnIndexing(func(recall.Progress) { progress++ })
	if err := b.Index.RebuildIndex(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	b.Index.notifyProgress(recall.Progress{})
	during := progress
	b.Index.notifyProgress(recall.Progress{})
	if progress != during {
		t.Error("progress is reported after stop")
	}
	hits, state, err := b.Index.Related(t.Context(), "zephyr proxy", true)
	if err != nil || state.Err != nil || len(hits) != 2 || hits[0].Session != "cpu-a" || hits[1].Session != "cpu-b" {
		t.Errorf("%+v, %v, %v", hits, state, err)
	}
}
