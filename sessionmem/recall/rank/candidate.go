package rank

import (
	"cmp"
	"math"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// Query is the question that candidates are ranked for.
type Query struct {
	Terms       analysis.QueryTerms
	Now         time.Time
	Limit       int
	MeaningOnly bool
	All         bool // each passage is a separate hit
}

// Candidate is a passage with its features. The index, or the server, fills in everything but the scores.
type Candidate struct {
	At      uint32 // identifies the passage in the search,
	Message uint32 // its message,
	Source  uint32 // and its session or memory file
	Number  uint32 // higher for passages indexed later
	Time    int64  // seconds since 1970; 0: none
	Ages    bool   // it belongs to a session: old ones count slightly less

	Words   float64 // how much of the question it and the neighbouring messages contain, 1 for the best
	Session float64 // how much its session contains, 1 for the best
	Share   float64 // of its message, see Weights.Shares
	Length  int     // in words
	Marks   analysis.Marks
	Exact   bool // it contains an identifier of the question

	HasVector bool    // it has a vector
	Cosine    float64 // of that and the question's vector
	// Beside holds the cosines of the beginnings of the preceding and the following message;
	// 0 without a vector.
	Beside [2]float64

	Relevance float64 // 0 … 1: how much of the question it contains, comparable between questions

	Score             float64 // 0 … 1
	Lexical, Semantic float64 // the parts of Score
}

// Meaning holds statistics of the similarity of passages to the question.
type Meaning struct {
	Average, Best float64 // cosine of the question and an average passage, and the nearest
}

const (
	// A new passage keeps its full score, one that is halfLife old loses recencyShare/2, and
	// none loses more than recencyShare: enough to order nearly equal hits, not enough to hide
	// an old right one. Memory files don't age, and nothing does if the question names a time.
	recencyShare = .03
	halfLife     = 30 * 24 * time.Hour
	// openShare is how much of the gain for a time a passage has within one that is open on one
	// side: "by June" may mean what happens rather than when it was said.
	openShare = .25
)

// Order scores candidates and returns them best first, only the best one of each message. m
// is nil if there are no vectors.
func Order(q Query, w *Weights, all []Candidate, m *Meaning) []Candidate {
	byWords(q, w, all)
	if m != nil {
		addMeaning(q, w, all, m)
	}
	if len(q.Terms.Spans) == 0 {
		for i := range all {
			all[i].Score *= recency(&all[i], q.Now)
		}
	}
	normalize(all)
	if q.All {
		return all
	}
	return messages(all)
}

// byWords scores candidates by words, 1 for the best.
func byWords(q Query, w *Weights, all []Candidate) {
	best := 0.0
	for i := range all {
		c := &all[i]
		c.Score = wordScore(q, w, c)
		best = max(best, c.Score)
	}
	for i := range all {
		c := &all[i]
		if best > 0 {
			c.Score = rounded(max(0, c.Score/best))
		}
		c.Lexical = c.Score
	}
}

// wordScore returns the score by words, adjusted by other features of the passage.
func wordScore(q Query, w *Weights, c *Candidate) float64 {
	if c.Words == 0 {
		return 0
	}
	base := w.Base(c.Words, c.Session, c.Share)
	factor := 1 - w.Short*math.Exp(-float64(c.Length)/w.ShortWords)
	if c.Marks&analysis.MarkQuestion != 0 {
		factor -= w.Question
	}
	if c.Marks&analysis.MarkTime != 0 && q.Terms.When {
		factor += w.Asked
	}
	if within := func(s analysis.Span) bool { return Within(c.Time, []analysis.Span{s}) }; slices.ContainsFunc(q.Terms.Spans, within) {
		gain := w.Span
		if !slices.ContainsFunc(q.Terms.Spans, func(s analysis.Span) bool { return !s.IsOpen() && within(s) }) {
			gain *= openShare
		}
		factor += gain
	}
	return base * factor
}

// Within reports whether a moment, in seconds since 1970, is in one of the spans.
func Within(at int64, spans []analysis.Span) bool {
	t := time.Unix(at, 0)
	return at != 0 && slices.ContainsFunc(spans, func(s analysis.Span) bool { return s.Contains(t) })
}

// addMeaning adds how much nearer in meaning a passage is than the average one, with a share
// of the neighbouring messages and of the nearest passage in its session: as with words, one
// passage alone doesn't carry all of the meaning. Among many passages one is near by chance,
// so the parts of long messages are scaled down here too, but less than for words. A passage
// without a vector is assumed to be as near as others with the same score by words.
func addMeaning(q Query, w *Weights, all []Candidate, m *Meaning) {
	session := map[uint32]float64{} // the nearest passage of each
	for i := range all {
		c := &all[i]
		if near := m.nearer(c.Cosine); c.HasVector {
			session[c.Source] = max(session[c.Source], near)
			c.Semantic = near / max(m.Best-m.Average, 1e-9)
			c.Relevance = max(c.Relevance, min(1, near/max(1-m.Average, .05)))
		}
	}
	expected := expectation(all, m)
	for i := range all {
		c := &all[i]
		own := m.nearer(c.Cosine)
		if !c.HasVector {
			own = expected(c.Lexical)
		}
		near := own + w.Meaning.Beside*(m.nearer(c.Beside[0])+m.nearer(c.Beside[1])) + w.Meaning.Session*max(session[c.Source], own)
		switch {
		case !q.MeaningOnly:
			c.Score = c.Lexical + w.Meaning.Share*near*math.Pow(c.Share, w.Meaning.Spread)
		case c.HasVector:
			c.Score = near * c.Share
		}
	}
}

// expectation predicts how near a passage is from its score by words: a linear regression over
// the passages for which both are known.
func expectation(all []Candidate, m *Meaning) func(lexical float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range all {
		if c := &all[i]; c.HasVector && c.Lexical > 0 {
			x, y := c.Lexical, m.nearer(c.Cosine)
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
		}
	}
	if n == 0 {
		return func(float64) float64 { return 0 }
	}
	slope := 0.0
	if d := n*sxx - sx*sx; d > 1e-9 {
		slope = max(0, (n*sxy-sx*sy)/d)
	}
	return func(lexical float64) float64 { return max(0, (sy+slope*(n*lexical-sx))/n) }
}

// nearer returns how far a cosine exceeds the average.
func (m *Meaning) nearer(cosine float64) float64 { return max(0, cosine-m.Average) }

// recency returns the share of its score that a passage keeps at its age.
func recency(c *Candidate, now time.Time) float64 {
	age := now.Sub(time.Unix(c.Time, 0))
	if c.Time == 0 || !c.Ages || age <= 0 {
		return 1
	}
	return 1 - recencyShare*(1-math.Exp2(-float64(age)/float64(halfLife)))
}

// normalize scales scores to 0 … 1 and sorts the candidates. Those with an identifier of the
// question come before all others: nothing near in meaning is as good as the very thing.
func normalize(all []Candidate) {
	best := 0.0
	for i := range all {
		best = max(best, all[i].Score)
	}
	exact := slices.ContainsFunc(all, func(c Candidate) bool { return c.Exact })
	for i := range all {
		c := &all[i]
		if best > 0 {
			c.Score /= best
		}
		if exact {
			c.Score /= 2
			if c.Exact {
				c.Score += .5
			}
		}
		c.Score = rounded(c.Score)
	}
	were, order := slices.Clone(all), make([]*Candidate, len(all)) // candidates are too large to move while sorting
	for i := range were {
		order[i] = &were[i]
	}
	slices.SortFunc(order, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Time, a.Time), cmp.Compare(a.Number, b.Number))
	})
	for i, c := range order {
		all[i] = *c
	}
}

// messages keeps the first candidate of each message.
func messages(all []Candidate) []Candidate {
	seen := make(map[uint32]bool, len(all))
	return slices.DeleteFunc(all, func(c Candidate) bool {
		was := seen[c.Message]
		seen[c.Message] = true
		return was
	})
}

// rounded rounds a score to six digits, so that it doesn't depend on the order of a sum.
func rounded(score float64) float64 { return math.Round(score*1e6) / 1e6 }
