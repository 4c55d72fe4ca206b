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

func TestMessagesOfTheTimeAskedForComeFirst(t *testing.T) {
	now := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	day := analysis.Span{From: now.Add(-36 * time.Hour), To: now.Add(-12 * time.Hour)}
	today := analysis.Span{From: now.Add(-12 * time.Hour), To: now.Add(12 * time.Hour)}
	message := func(n uint32, at int64) Candidate { return Candidate{At: n, Message: n, Number: n, Time: at} }
	said := [][]Candidate{{message(1, 100), message(2, 101), message(3, 102)}, {message(11, 200), message(12, 201)}, {message(21, 100)}}
	found := []Candidate{{At: 50, Message: 50, Lexical: 1}, {At: 11, Message: 11, Lexical: .9}, {At: 51, Message: 51, Lexical: 0}, {At: 52, Message: 52, Lexical: .5}}
	for what, c := range map[string]struct {
		limit, most int
		span        analysis.Span
		said        [][]Candidate
		want        string
		relevance   float64
	}{
		"nothing was said then":           {8, 20, day, nil, "50 11 51 52", 0},
		"the newest session first":        {8, 20, day, said, "11 1 21 12 2 3 50 52", 1},
		"the last places mention it":      {4, 20, day, said, "11 1 21 50 12 2 3 52", 1},
		"no more than there may be":       {2, 3, day, said, "11 50 1 21 52", 1},
		"one alone":                       {1, 1, day, said, "11 50 52", 1},
		"a time that isn't over is vague": {8, 20, today, said, "11 1 21 12 2 3 50 52", stillGoing},
	} {
		q := Query{Limit: c.limit, Now: now, Terms: analysis.QueryTerms{Spans: []analysis.Span{c.span}}}
		out := OfTime(q, c.most, slices.Clone(found), slices.Clone(c.said))
		var got []string
		for _, x := range out {
			got = append(got, fmt.Sprint(x.At))
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		if c.said == nil {
			continue
		}
		if out[0].Relevance != c.relevance || out[0].Score != 1 || !slices.IsSortedFunc(out, func(a, b Candidate) int { return int(1e6 * (b.Score - a.Score)) }) {
			t.Errorf("%s: relevance %v, scores %+v", what, out[0].Relevance, out)
		}
	}
}

func TestPassagesGainByWhatIsAskedFor(t *testing.T) {
	w := Default()
	span := analysis.Span{From: time.Unix(1000, 0), To: time.Unix(2000, 0)}
	plain := Candidate{Words: .5, Share: 1, Length: 50}
	with := func(change func(c *Candidate)) Candidate { c := plain; change(&c); return c }
	for what, c := range map[string]struct {
		terms  analysis.QueryTerms
		better Candidate
		than   Candidate
	}{
		"a longer one":        {analysis.QueryTerms{}, plain, with(func(c *Candidate) { c.Length = 2 })},
		"what is no question": {analysis.QueryTerms{}, plain, with(func(c *Candidate) { c.Marks = analysis.MarkQuestion })},
		"a time, if asked":    {analysis.QueryTerms{When: true}, with(func(c *Candidate) { c.Marks = analysis.MarkTime }), plain},
		"said at that time":   {analysis.QueryTerms{Spans: []analysis.Span{span}}, with(func(c *Candidate) { c.Time = 1500 }), with(func(c *Candidate) { c.Time = 2500 })},
		"of a whole message":  {analysis.QueryTerms{}, plain, with(func(c *Candidate) { c.Share = .5 })},
		"of its session":      {analysis.QueryTerms{}, with(func(c *Candidate) { c.Session = 1 }), plain},
		"with words":          {analysis.QueryTerms{}, plain, with(func(c *Candidate) { c.Words = 0 })},
	} {
		if a, b := wordScore(Query{Terms: c.terms}, &w, &c.better), wordScore(Query{Terms: c.terms}, &w, &c.than); a <= b {
			t.Errorf("%s: %v is not more than %v", what, a, b)
		}
	}
	asked := analysis.QueryTerms{}
	if a, b := wordScore(Query{Terms: asked}, &w, &plain), wordScore(Query{Terms: asked}, &w, &Candidate{Words: .5, Share: 1, Length: 50, Marks: analysis.MarkTime}); a != b {
		t.Errorf("a time counts, and nobody asked for one: %v, %v", a, b)
	}
}

func TestRareTermsAndWholeMessagesWeighMore(t *testing.T) {
	w := Default()
	for n := range 999 {
		if w.Idf(n, 1000) <= w.Idf(n+1, 1000) || w.Idf(n+1, 1000) < 0 {
			t.Fatalf("in %d of 1000 passages: %v, in one more: %v", n, w.Idf(n, 1000), w.Idf(n+1, 1000))
		}
	}
	for _, about := range []bool{false, true} {
		user, assistant := w.Shares(about)
		for n := range uint8(255) {
			if n > 0 && user.Of(n+1) >= user.Of(n) || user.Of(0) != 1 || (assistant.Of(n) > user.Of(n)) != (about && n > 1) {
				t.Fatalf("%d parts, about answers %v: %v and %v", n, about, user.Of(n), assistant.Of(n))
			}
		}
	}
}

func TestConsecutiveWordsAndQuantitiesMoveUp(t *testing.T) {
	a, w := analysis.NewAnalyzer(), Default()
	for what, c := range map[string]struct {
		question string
		texts    []string
		want     []string
	}{
		"consecutive words":    {"red kite season", []string{"a season of leaves", "the red kite flies", "it rains"}, []string{"the red kite flies", "a season of leaves", "it rains"}},
		"a quantity":           {"how many herons", []string{"the herons stand", "seven herons stand", "12 herons"}, []string{"seven herons stand", "12 herons", "the herons stand"}},
		"neither is asked for": {"herons", []string{"the herons stand", "seven herons stand"}, []string{"the herons stand", "seven herons stand"}},
		"there is one alone":   {"how many herons", []string{"seven herons"}, []string{"seven herons"}},
	} {
		hits := textsOf(c.texts...)
		for i := range hits {
			hits[i].Share = 1
		}
		BoostPhrases(a, Query{Terms: a.Query(c.question, time.Time{})}, &w, hits)
		if d := cmp.Diff(c.want, said(hits)); d != "" || hits[0].Score != 1 {
			t.Errorf("%s: %v %s", what, hits, d)
		}
	}
	hits := textsOf("E0432", "the red kite flies")
	hits[0].Exact, hits[1].Share = true, 1
	if BoostPhrases(a, Query{Terms: a.Query("red kite E0432", time.Time{})}, &w, hits); hits[0].Text != "E0432" {
		t.Errorf("%v, want the identifier first", hits)
	}
}

func TestOnlyShortListsAreDiverse(t *testing.T) {
	for _, c := range []struct {
		q    Query
		pool int
		want []string
	}{
		{Query{Limit: 2}, 4, []string{"the otter swims", "rain falls"}},
		{Query{Limit: 2, All: true}, 2, []string{"the otter swims", "the otter swims"}},
		{Query{Limit: diverseLimit + 1}, diverseLimit + 1, []string{"the otter swims", "the otter swims", "rain falls"}},
	} {
		if got := c.q.Pool(); got != c.pool {
			t.Errorf("%+v: %d texts are needed, want %d", c.q, got, c.pool)
		}
		hits := textsOf("the otter swims", "the otter swims", "rain falls")
		hits[2].Score = .85
		if d := cmp.Diff(c.want, said(Diversify(analysis.NewAnalyzer(), c.q, hits))); d != "" {
			t.Errorf("%+v: %s", c.q, d)
		}
	}
}

func TestByMeaningAloneWordsDontCount(t *testing.T) {
	w := Default()
	got := Order(Query{MeaningOnly: true}, &w, []Candidate{
		{At: 1, Message: 1, Source: 1, Share: 1, Words: 1, Length: 9, HasVector: true, Cosine: .4}, {At: 2, Message: 2, Source: 2, Share: 1, HasVector: true, Cosine: .5},
	}, &Meaning{Average: .1, Best: .5})
	if got[0].At != 2 || got[0].Score != 1 {
		t.Errorf("%+v", got)
	}
}
