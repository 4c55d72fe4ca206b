package rank

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/analysis"
)

func TestScoresAreScaledAndIdentifiersComeFirst(t *testing.T) {
	for _, c := range []struct {
		what string
		in   []Candidate
		want string
	}{
		{"nothing", nil, ""},
		{"by score", []Candidate{{At: 1, Score: 2}, {At: 2, Score: 4}}, "2:1 1:0.5"},
		{"the newer first", []Candidate{{At: 1, Score: 1, Time: 5}, {At: 2, Score: 1, Time: 9}}, "2:1 1:1"},
		{"an identifier first", []Candidate{{At: 1, Score: 1}, {At: 2, Score: .1, Exact: true}}, "2:0.55 1:0.5"},
		{"all without a score", []Candidate{{At: 1}, {At: 2, Time: 1}}, "2:0 1:0"},
	} {
		normalize(c.in)
		var got []string
		for _, x := range c.in {
			got = append(got, fmt.Sprintf("%d:%g", x.At, x.Score))
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", c.what, d)
		}
	}
}

func TestAgeCostsLittle(t *testing.T) {
	now := time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		age  time.Duration
		ages bool
		want float64
	}{
		{0, true, 1},
		{-time.Hour, true, 1},
		{halfLife, true, 1 - recencyShare/2},
		{100 * halfLife, true, 1 - recencyShare},
		{100 * halfLife, false, 1},
	} {
		got := recency(&Candidate{Ages: c.ages, Time: now.Add(-c.age).Unix()}, now)
		if math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v old, of a session %v: %f, want %f", c.age, c.ages, got, c.want)
		}
	}
	if got := recency(&Candidate{Ages: true}, now); got != 1 {
		t.Errorf("without a time: %f", got)
	}
}

func TestOrderKeepsTheBestPassageOfAMessage(t *testing.T) {
	all := func() []Candidate {
		return []Candidate{{At: 1, Message: 1, Words: .5, Share: .5}, {At: 2, Message: 1, Words: .9, Share: .5}, {At: 3, Message: 3, Words: .6, Share: 1}}
	}
	w := Default()
	places := func(q Query) (out []uint32) {
		for _, c := range Order(q, &w, all(), nil) {
			out = append(out, c.At)
		}
		return out
	}
	if d := cmp.Diff([]uint32{3, 2}, places(Query{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]uint32{3, 2, 1}, places(Query{All: true})); d != "" {
		t.Error(d)
	}
}

func TestMeaningCountsWithItsNeighborhood(t *testing.T) {
	m := &Meaning{Average: .2, Best: .8}
	w := Default()
	for _, c := range []struct {
		what   string
		better Candidate
		than   Candidate
	}{
		{"nearer in meaning", Candidate{HasVector: true, Cosine: .8}, Candidate{HasVector: true, Cosine: .7}},
		{"near messages beside it", Candidate{HasVector: true, Cosine: .5, Beside: [2]float64{.6, 0}}, Candidate{HasVector: true, Cosine: .5, Beside: [2]float64{.1, .1}}},
		{"further than the average is no nearer", Candidate{HasVector: true, Cosine: .5, Time: 2}, Candidate{HasVector: true, Cosine: .5, Beside: [2]float64{-.5, 0}, Time: 1}},
		{"what says nothing of the question and has no vector", Candidate{HasVector: true, Cosine: .3}, Candidate{Cosine: .9}},
	} {
		c.better.At, c.better.Message, c.better.Source, c.better.Share = 1, 1, 1, 1
		c.than.At, c.than.Message, c.than.Source, c.than.Share = 2, 2, 2, 1
		if got := Order(Query{}, &w, []Candidate{c.than, c.better}, m); got[0].At != 1 {
			t.Errorf("%s: %+v is better than %+v", c.what, got[0], got[1])
		}
	}
	got := Order(Query{}, &w, []Candidate{
		{At: 1, Message: 1, Source: 1, Share: 1, HasVector: true, Cosine: .5},
		{At: 2, Message: 2, Source: 2, Share: 1, HasVector: true, Cosine: .5},
		{At: 3, Message: 3, Source: 2, Share: 1, HasVector: true, Cosine: .8},
	}, m)
	if got[1].At != 2 {
		t.Errorf("a passage of a session that holds the nearest is worse: %+v", got)
	}
}

func TestAMissingVectorCostsNothing(t *testing.T) {
	w := Default()
	all := []Candidate{
		{At: 1, Words: 1, Length: 20}, // the best by words
		{At: 2, Words: .9, Length: 20, HasVector: true, Cosine: .6},
		{At: 3, Words: .5, Length: 20, HasVector: true, Cosine: .5},
		{At: 4, Words: .2, Length: 20, HasVector: true, Cosine: .3},
		{At: 5, Words: .3, Length: 20},
	}
	for i := range all {
		all[i].Message, all[i].Source, all[i].Share = all[i].At, all[i].At, 1
	}
	var got []uint32
	for _, c := range Order(Query{}, &w, all, &Meaning{Average: .1, Best: .6}) {
		got = append(got, c.At)
	}
	if d := cmp.Diff([]uint32{1, 2, 3, 5, 4}, got); d != "" {
		t.Error(d)
	}
}

func textsOf(texts ...string) []Text {
	out := make([]Text, len(texts))
	for i, text := range texts {
		out[i] = Text{Text: text, Score: 1 - float64(i)/10, Place: i}
	}
	return out
}

func said(hits []Text) (out []string) {
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

func TestRepetitionsMoveDown(t *testing.T) {
	hits := textsOf("The fan is loud because kernel_task runs hot", "the fan is loud because kernel_task runs hot!", "The battery is old", "Bread bakes", "Rain falls")
	hits = Diversify(analysis.NewAnalyzer(), Query{Limit: 3}, hits)
	if d := cmp.Diff([]string{"The fan is loud because kernel_task runs hot", "The battery is old", "Bread bakes"}, said(hits)); d != "" {
		t.Error(d)
	}
	if !slices.IsSortedFunc(hits, func(a, b Text) int { return int(1000 * (b.Score - a.Score)) }) {
		t.Errorf("scores out of order: %v", hits)
	}
}

func TestAnIdentifierNeverMovesBehindOthers(t *testing.T) {
	hits := textsOf("E0432 in main.rs again", "E0432 in main.rs again", "something else")
	hits[0].Exact, hits[1].Exact = true, true
	got := said(Diversify(analysis.NewAnalyzer(), Query{Limit: 3}, hits))
	if d := cmp.Diff([]string{"E0432 in main.rs again", "E0432 in main.rs again", "something else"}, got); d != "" {
		t.Error(d)
	}
}

func TestRerankingKeepsIdentifiersFirst(t *testing.T) {
	hits := textsOf("a", "b", "c")
	hits[0].Exact = true
	Rerank(hits, []float64{0, 0, 1})
	if d := cmp.Diff([]string{"a", "c", "b"}, said(hits)); d != "" || hits[1].Score != .9 {
		t.Error(d, hits)
	}
}
