package rank

import (
	"cmp"
	"math"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// Query is what is asked.
type Query struct {
	Terms       analysis.QueryTerms
	Now         time.Time
	Limit       int
	MeaningOnly bool
	All         bool // each passage is a hit of its own
}

// Candidate is a passage with what an engine knows of it. The engine fills it in but for
// the scores.
type Candidate struct {
	At      uint32 // the engine's name of it,
	Message uint32 // and of its message
	Source  uint32 // and of the session, or the file, that it is of
	Number  uint32 // told later than those of smaller numbers
	Time    int64  // seconds since 1970; 0: none
	Ages    bool   // it is of a session: what is old counts a little less

	Words   float64 // how much of the question it and the messages beside it have, 1 for the best
	Session float64 // and its session, 1 for the best
	Share   float64 // of its message, see Weights.Shares
	Length  int     // in words
	Marks   analysis.Marks
	Exact   bool // it holds an identifier that was asked for

	Meant  bool    // it has a vector
	Cosine float64 // of that with the question's
	// Beside are those of the beginnings of the messages before and after its own; 0 for
	// one that has no vector.
	Beside [2]float64

	Relevance float64 // 0 … 1: how much of the question it has, comparable between questions

	Score             float64 // 0 … 1
	Lexical, Semantic float64 // what it is made of
}

// Meaning is what is known of the meanings of all that may be found.
type Meaning struct {
	Average, Best float64 // cosines of the question with a passage on the average, and with the nearest
}

const (
	// A passage of now counts whole, one that is halfLife old recencyShare/2 less, and none
	// more than recencyShare less: enough to order what is nearly as good, not enough to
	// hide what is old and right. Memory files don't age, nor does anything where the
	// question names a time.
	recencyShare = .03
	halfLife     = 30 * 24 * time.Hour
)

// Order scores candidates and gives them best first; of a message the best one alone. m is
// nil where nothing is known of meanings.
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
	settle(all)
	if q.All {
		return all
	}
	return messages(all)
}

// byWords scores by words, 1 for the best.
func byWords(q Query, w *Weights, all []Candidate) {
	best := 0.0
	for i := range all {
		c := &all[i]
		c.Score = detailed(q, w, c)
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

// detailed is the score by words with what is told of a passage beside them.
func detailed(q Query, w *Weights, c *Candidate) float64 {
	if c.Words == 0 {
		return 0
	}
	base := w.Base(c.Words, c.Session, c.Share)
	factor := 1 - w.Short*math.Exp(-float64(c.Length)/w.ShortWords)
	if c.Marks&analysis.MarkQuestion != 0 {
		factor -= w.Question
	}
	if c.Marks&analysis.MarkTime != 0 && q.Terms.When {
		factor += w.When
	}
	if Within(c.Time, q.Terms.Spans) {
		factor += w.Span
	}
	return base * factor
}

// Within says whether a moment, in seconds since 1970, is in one of the times.
func Within(at int64, spans []analysis.Span) bool {
	t := time.Unix(at, 0)
	return at != 0 && slices.ContainsFunc(spans, func(s analysis.Span) bool { return s.Contains(t) })
}

// addMeaning adds how much nearer in meaning a passage is than one is on the average, with
// a share of that of the messages beside it and of the nearest of its session: as with
// words, what is meant is not told in one passage alone. Of many passages one is near by
// chance, so their message has its chance spread here too, but less than that of words.
// What has no vector yet is taken to be as near as what else has as much of the question's
// words.
func addMeaning(q Query, w *Weights, all []Candidate, m *Meaning) {
	session := map[uint32]float64{} // the nearest of each
	for i := range all {
		c := &all[i]
		if near := m.nearer(c.Cosine); c.Meant {
			session[c.Source] = max(session[c.Source], near)
			c.Semantic = near / max(m.Best-m.Average, 1e-9)
			c.Relevance = max(c.Relevance, min(1, near/max(1-m.Average, .05)))
		}
	}
	expected := expectation(all, m)
	for i := range all {
		c := &all[i]
		own := m.nearer(c.Cosine)
		if !c.Meant {
			own = expected(c.Lexical)
		}
		near := own + w.Meaning.Beside*(m.nearer(c.Beside[0])+m.nearer(c.Beside[1])) + w.Meaning.Session*max(session[c.Source], own)
		switch {
		case !q.MeaningOnly:
			c.Score = c.Lexical + w.Meaning.Share*near*math.Pow(c.Share, w.Meaning.Spread)
		case c.Meant:
			c.Score = near * c.Share
		}
	}
}

// expectation tells how near a passage is expected to be of which only the score by words is
// known: a straight line through those of which both are.
func expectation(all []Candidate, m *Meaning) func(lexical float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range all {
		if c := &all[i]; c.Meant && c.Lexical > 0 {
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

// nearer is how much nearer a cosine is than the average one.
func (m *Meaning) nearer(cosine float64) float64 { return max(0, cosine-m.Average) }

// recency is what a passage's age leaves of its score.
func recency(c *Candidate, now time.Time) float64 {
	age := now.Sub(time.Unix(c.Time, 0))
	if c.Time == 0 || !c.Ages || age <= 0 {
		return 1
	}
	return 1 - recencyShare*(1-math.Exp2(-float64(age)/float64(halfLife)))
}

// settle puts the scores between 0 and 1 and the candidates in order. What holds an
// identifier that was asked for comes before all that doesn't: no neighbour in meaning is
// as good as the very thing.
func settle(all []Candidate) {
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
	were, order := slices.Clone(all), make([]*Candidate, len(all)) // they are too large to be moved about
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

// rounded is a score of six digits: what is the same in all but the order of sums is the
// same.
func rounded(score float64) float64 { return math.Round(score*1e6) / 1e6 }
