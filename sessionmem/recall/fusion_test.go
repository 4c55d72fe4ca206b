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

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/analysis"
)

func TestSettledScoresAreWholeAndIdentifiersInFront(t *testing.T) {
	for _, c := range []struct {
		what string
		in   []candidate
		want string
	}{
		{"nothing", nil, ""},
		{"by score", []candidate{{at: 1, score: 2}, {at: 2, score: 4}}, "2:1 1:0.5"},
		{"the newer first", []candidate{{at: 1, score: 1, time: 5}, {at: 2, score: 1, time: 9}}, "2:1 1:1"},
		{"an identifier first", []candidate{{at: 1, score: 1}, {at: 2, score: .1, exact: true}}, "2:0.55 1:0.5"},
		{"all without a score", []candidate{{at: 1}, {at: 2, time: 1}}, "2:0 1:0"},
	} {
		settle(c.in)
		var got []string
		for _, x := range c.in {
			got = append(got, fmt.Sprintf("%d:%g", x.at, x.score))
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", c.what, d)
		}
	}
}

func TestAgeCostsLittleAndNeverMore(t *testing.T) {
	now := time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)
	s := &search{q: Query{Now: now}, v: &view{sources: []*known{nil, {source: source{session: "cpu-a"}}, {source: source{key: "agents/memory.md"}}}}}
	for _, c := range []struct {
		age    time.Duration
		source uint32
		want   float64
	}{
		{0, 1, 1},
		{-time.Hour, 1, 1},
		{halfLife, 1, 1 - recencyShare/2},
		{100 * halfLife, 1, 1 - recencyShare},
		{100 * halfLife, 2, 1},
	} {
		got := s.recency(&candidate{session: c.source, time: now.Add(-c.age).Unix()})
		if math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v old, source %d: %f, want %f", c.age, c.source, got, c.want)
		}
	}
	if got := s.recency(&candidate{session: 1}); got != 1 {
		t.Errorf("without a time: %f", got)
	}
}

func hitsOf(texts ...string) []found {
	out := make([]found, len(texts))
	for i, text := range texts {
		out[i] = found{Hit: Hit{Chunk: Chunk{Text: text}, Score: 1 - float64(i)/10}}
	}
	return out
}

func foundTexts(hits []found) (out []string) {
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

func TestHitsThatSayTheSameStepBack(t *testing.T) {
	hits := hitsOf("The fan is loud because kernel_task runs hot", "the fan is loud because kernel_task runs hot!", "The battery is old", "Bread bakes", "Rain falls")
	hits = diverse(analysis.NewAnalyzer(), hits, 3)[:3]
	if d := cmp.Diff([]string{"The fan is loud because kernel_task runs hot", "The battery is old", "Bread bakes"}, foundTexts(hits)); d != "" {
		t.Error(d)
	}
	if !slices.IsSortedFunc(hits, func(a, b found) int { return int(1000 * (b.Score - a.Score)) }) {
		t.Errorf("scores out of order: %v", hits)
	}
}

func TestAnIdentifierNeverStepsBackBehindOthers(t *testing.T) {
	hits := hitsOf("E0432 in main.rs again", "E0432 in main.rs again", "something else")
	hits[0].exact, hits[1].exact = true, true
	got := foundTexts(diverse(analysis.NewAnalyzer(), hits, 3))
	if d := cmp.Diff([]string{"E0432 in main.rs again", "E0432 in main.rs again", "something else"}, got); d != "" {
		t.Error(d)
	}
}

func TestLongListsKeepAllThatSayTheSame(t *testing.T) {
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

func TestARerankerOrdersAndNeverBreaks(t *testing.T) {
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
		{"that is deaf", func(context.Context, []string) ([]float64, error) { <-deaf; return nil, nil }, "the fan fan fan"},
	} {
		b := newBench(t)
		b.withEmbedder(nil, func(cfg *Config) { cfg.Reranker = c.judge; cfg.Embedder = nil })
		b.talk("cpu-a", "the fan fan fan", "x y z", "u v w", last, "rain", "snow")
		b.sync()
		wait := 2 * time.Minute
		if c.what == "that is deaf" {
			wait = 3 * time.Second // of which the words need a little
		}
		ctx, stop := context.WithTimeout(t.Context(), wait)
		a, err := b.x.Search(ctx, Query{Text: "fan", Now: b.now, Rerank: true})
		stop()
		if err != nil || len(a.Hits) == 0 || a.Hits[0].Text != c.want || a.Hits[0].Score != 1 {
			t.Errorf("a reranker %s: %q %v", c.what, said(a), err)
		}
	}
}
