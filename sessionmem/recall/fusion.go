package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// How what is found by words and what is found by meaning make one list. Both are
// scores from 0 to 1, by words from the best chunk's, by meaning from the average
// document's to the nearest's; they are weighed and added. What holds an identifier
// that was asked for comes before all that doesn't: no neighbour in meaning is as good
// as the very thing.

const (
	// semanticShare is how much the meaning counts in a hybrid search where all
	// documents have vectors; where only some have, as much less.
	semanticShare = .25
	// semanticLimit is how many neighbours in meaning are taken.
	semanticLimit = 200

	// A chunk of now counts whole, one that is halfLife old recencyShare/2 less, and none
	// more than recencyShare less: enough to order what is nearly as good, not enough to
	// hide what is old and right. Memory files don't age, nor does anything where the
	// question names a time.
	recencyShare = .03
	halfLife     = 30 * 24 * time.Hour
)

// fuse adds what is found by meaning to what was found by words, best first.
func (s *search) fuse(ctx context.Context, words []candidate, allowed []bool, spans []analysis.Span) []candidate {
	out := words
	vectors, state, err := s.e.vectorsOf(ctx, s.tx, s.v, s.meaning)
	if vectors != nil && err == nil {
		out, err = s.addMeaning(ctx, words, vectors, allowed)
	}
	if err != nil {
		s.x.logger.Warn("the vectors can't be read; the search goes by words alone", "err", err)
		state, out = VectorsPartial, words
	}
	s.vectors = state
	if len(spans) == 0 {
		for i := range out {
			out[i].score *= s.recency(&out[i])
		}
	}
	settle(out)
	return out
}

// addMeaning gives the candidates of both kinds with their scores.
func (s *search) addMeaning(ctx context.Context, words []candidate, vectors *vectorSet, allowed []bool) ([]candidate, error) {
	l := &s.v.lay
	d := s.meaning.d
	found, err := d.nearest(ctx, s.tx, s.v, vectors, semanticLimit, func(at uint32) bool { return allowed == nil || allowed[l.sources[at]] })
	if err != nil || len(found.near) == 0 {
		return words, err
	}
	best, average := found.near[0].cosine, found.average
	share := semanticShare * float64(vectors.count) / float64(max(s.v.docs, 1))
	if s.q.Strategy == Semantic {
		share, words = 1, nil
	}
	numbers := make([]uint32, len(words))
	for i := range words {
		numbers[i] = words[i].number
	}
	cosines, err := vectors.cosines(ctx, s.tx, d, numbers)
	if err != nil {
		return nil, err
	}
	byPlace := make(map[uint32]bool, len(words))
	out := make([]candidate, 0, len(words)+len(found.near))
	for i, c := range words {
		byPlace[c.at] = true
		if vectors.has(c.number) {
			c.semantic = closeness(cosines[i], average, best)
			c.relevance = max(c.relevance, meant(cosines[i], average))
		}
		c.score = (1-share)*c.lexical + share*c.semantic
		out = append(out, c)
	}
	for _, n := range found.near {
		if byPlace[n.at] {
			continue
		}
		c := candidate{at: n.at, number: l.numbers[n.at], session: l.sources[n.at], time: l.times[n.at], semantic: closeness(n.cosine, average, best), relevance: meant(n.cosine, average)}
		c.score = share * c.semantic
		out = append(out, c)
	}
	return out, nil
}

// meant is how relevant a document is by its meaning, comparable between questions: how
// far it stands out from the average document.
func meant(cosine, average float32) float64 {
	return max(0, min(1, float64(cosine-average)/float64(max(1-average, .05))))
}

// recency is what a chunk's age leaves of its score.
func (s *search) recency(c *candidate) float64 {
	if k := s.v.sources[c.session]; c.time == 0 || k == nil || k.session == "" {
		return 1
	}
	age := s.q.Now.Sub(time.Unix(c.time, 0))
	if age <= 0 {
		return 1
	}
	return 1 - recencyShare*(1-math.Exp2(-float64(age)/float64(halfLife)))
}

// settle puts the scores between 0 and 1 and the candidates in order: first those that
// hold an identifier of the question.
func settle(all []candidate) {
	best := 0.0
	for i := range all {
		best = max(best, all[i].score)
	}
	exact := slices.ContainsFunc(all, func(c candidate) bool { return c.exact })
	for i := range all {
		c := &all[i]
		if best > 0 {
			c.score /= best
		}
		if exact {
			c.score /= 2
			if c.exact {
				c.score += .5
			}
		}
		c.score = math.Round(c.score*1e6) / 1e6
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.number, b.number))
	})
}
