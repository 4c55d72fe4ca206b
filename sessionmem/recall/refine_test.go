package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLongListsKeepRepetitions(t *testing.T) {
	b := newBench(t)
	for i := range 20 {
		b.talk(fmt.Sprintf("cpu-%d", i), "the fan is loud again", "other words "+strings.Repeat("x", i+1))
	}
	b.sync()
	count := func(q Query) (n int) {
		q.Text, q.Now = "loud fan", b.now
		a, err := b.x.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range a.Hits {
			if h.Text == "the fan is loud again" {
				n++
			}
		}
		return n
	}
	if n := count(Query{Limit: 50}); n != 20 {
		t.Errorf("%d of 20 in a long list", n)
	}
	if all, err := b.x.Similar(t.Context(), "the fan is loud again", 10); err != nil || len(all) != 10 || all[9].Text != "the fan is loud again" {
		t.Errorf("what is to be forgotten must be found in all its copies: %+v %v", all, err)
	}
}

type rerankFunc func(ctx context.Context, texts []string) ([]float64, error)

func (j rerankFunc) Rerank(ctx context.Context, _ string, texts []string) ([]float64, error) {
	return j(ctx, texts)
}

func TestARerankerReordersAndItsErrorsDoNoHarm(t *testing.T) {
	const last = "a fan of the band"
	prefersLast := func(_ context.Context, texts []string) ([]float64, error) {
		scores := make([]float64, len(texts))
		for i, text := range texts {
			if text == last {
				scores[i] = 1
			}
		}
		return scores, nil
	}
	deaf := make(chan struct{})
	defer close(deaf)
	var give context.CancelFunc // what the search that runs gives up by
	for _, c := range []struct {
		what  string
		judge rerankFunc
		want  string
	}{
		{"that prefers the last", prefersLast, last},
		{"that fails", func(context.Context, []string) ([]float64, error) { return nil, errors.New("no") }, "the fan fan fan"},
		{"of too few scores", func(context.Context, []string) ([]float64, error) { return []float64{1}, nil }, "the fan fan fan"},
		{"of scores that are none", func(_ context.Context, texts []string) ([]float64, error) {
			return slices.Repeat([]float64{math.NaN()}, len(texts)), nil
		}, "the fan fan fan"},
		{"of scores beyond bounds", func(_ context.Context, texts []string) ([]float64, error) {
			return slices.Repeat([]float64{7}, len(texts)), nil
		}, "the fan fan fan"},
		{"that is deaf", func(context.Context, []string) ([]float64, error) { give(); <-deaf; return nil, nil }, "the fan fan fan"},
	} {
		b := newBench(t)
		b.withEmbedder(nil, func(cfg *Config) { cfg.Reranker = c.judge; cfg.Embedder = nil })
		b.talk("cpu-a", "the fan fan fan", "x y z", "u v w", last, "rain", "snow")
		b.sync()
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		give = stop
		a, err := b.x.Search(ctx, Query{Text: "fan", Now: b.now, Rerank: true})
		stop()
		if err != nil || len(a.Hits) == 0 || a.Hits[0].Text != c.want || a.Hits[0].Score != 1 {
			t.Errorf("a reranker %s: %q %v", c.what, said(a), err)
		}
	}
}

func TestAnOptionOfACommandIsFound(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "Try `go test -race -count=1 ./...` once more.")
	b.talk("cpu-b", "Before the race we test the tyres, then we go.")
	b.talk("cpu-c", "go test prints the names of the tests with -v")
	b.sync()
	for question, want := range map[string]struct{ first, leftOut string }{
		"go test -race":              {"Try", "race"},
		"go test -RACE":              {"Try", "RACE"},
		"how do I run go test -race": {"Try", "race"},
		`go test "-race"`:            {"Try", ""},
		"go test NOT race":           {"go test", "race"},
		"go test -count -race":       {"Try", "race"},
		"go test -shuffle -v":        {"", ""},
		"tyres -motor":               {"Before", ""},
	} {
		a := b.search(question)
		if got := strings.Join(a.State.LeftOut, " "); got != want.leftOut || len(a.Hits) == 0 || !strings.HasPrefix(a.Hits[0].Text, want.first) {
			t.Errorf("%q: %q, left out %q; want %q, %q", question, said(a), got, want.first, want.leftOut)
		}
	}
}

func TestWhatIsLeftOutHidesNothingElse(t *testing.T) {
	b := newBench(t)
	for i := range 40 {
		b.talk(fmt.Sprintf("cpu-%d", i), fmt.Sprintf("the heron stands in pond number %d", i))
	}
	b.talk("cpu-other", strings.Repeat("Somewhere else there are many other things to see for those who look. ", 5)+"A heron is among them.")
	b.sync()
	if a := b.search("heron -pond"); len(a.Hits) != 1 || a.Hits[0].Session != "cpu-other" || a.State.String() != "fresh, hits with “pond” left out" {
		t.Errorf("%q, %s; want the one without a pond", said(a), a.State)
	}
	a, err := b.x.Search(t.Context(), Query{Text: "heron -pond", Message: true, Now: b.now})
	if err != nil || len(a.Hits) == 0 || !strings.Contains(a.Hits[0].Text, "pond") {
		t.Errorf("a message: %q, %v; want what it names", said(a), err)
	}
	if all, err := b.x.Similar(t.Context(), "heron NOT pond", 10); err != nil || len(all) == 0 || !strings.Contains(all[0].Text, "pond") {
		t.Errorf("a text that says the same: %v, %v; want what it names", all, err)
	}
}
