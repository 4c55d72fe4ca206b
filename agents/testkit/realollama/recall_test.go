//go:build realollama

package realollama_test

import (
	"context"
	"testing"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/transcript"
)

// The hand-made model's vectors have no meaning and lie close together, but those of the
// same words are the closest.
func TestSearchByVectorsOfARealServer(t *testing.T) {
	_, _, client := withParrot(t)
	root := t.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, text := range []string{"The key is under the mat.", "Buy seven blue tulips.", "My fan whistles at night."} {
		if _, err := store.Append(t.Context(), "cpu-old", transcript.Block{Kind: transcript.KindUser, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	index, err := recall.Open(recall.Config{Root: root, CacheDir: t.TempDir(), Store: store, Embedder: background.NewEmbedder(background.EmbedderConfig{
		Client: client, Models: ollama.NewCatalog(client, 4096), Model: func() string { return "parrot" },
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := index.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	ran := make(chan struct{})
	go func() { index.Run(ctx); close(ran) }()
	t.Cleanup(func() {
		stop()
		<-ran
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	for {
		s, err := index.Status(ctx)
		if err != nil {
			t.Fatalf("no vectors came: %v", err)
		}
		if s.VectorCount == 3 && s.Vectors == recall.VectorsReady {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	answer, err := index.Search(ctx, recall.Query{Text: "Buy seven blue tulips.", Strategy: recall.Semantic})
	if err != nil || len(answer.Hits) == 0 || answer.Hits[0].Text != "Buy seven blue tulips." {
		t.Errorf("%+v, %v", answer, err)
	}
}
