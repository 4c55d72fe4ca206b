package recall

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
	"mac-stats/sessionmem/transcript"
)

// reference ranks by brute force: for each question it reads all files and counts everything
// again. Its answer is what the index must return.
type reference struct {
	docs    []*refDoc
	sources []string
	words   float64
	w       rank.Weights
}

type refDoc struct {
	corpus.Piece
	source string
	terms  map[string]int
	pairs  map[string]bool
	many   bool
	exact  bool
	length float64
	around float64
	marks  analysis.Marks

	message int     // number of its message in the strand
	first   *refDoc // of its message
	last    *refDoc
	parts   int

	own   map[int]float64 // by term of the question
	score float64
}

func newReference(t *testing.T, x *Index) *reference {
	t.Helper()
	r := &reference{w: rank.Default()}
	found, err := x.corpus.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := analysis.NewAnalyzer()
	for _, s := range found {
		r.sources = append(r.sources, s.Key)
		var messages [index.Strands]int
		for _, p := range readPieces(t, x, s) {
			if p.Session == "" || p.Part == 0 {
				messages[p.Strand]++
			}
			if p.Empty {
				continue
			}
			d := &refDoc{Piece: p, source: s.Key, terms: map[string]int{}, pairs: map[string]bool{}, message: messages[p.Strand]}
			terms := a.Chunk(p.Text, p.Time)
			for _, f := range terms.Freqs {
				d.terms[f.Term] = f.N
			}
			d.length, d.marks = float64(terms.Words), terms.Marks
			for _, f := range a.Pairs(p.Text) {
				d.pairs[f.Term] = true
			}
			d.many = a.HasNumber(p.Text)
			r.words += d.length
			r.docs = append(r.docs, d)
		}
	}
	for _, d := range r.docs {
		for _, n := range r.docs {
			if n.source == d.source && n.Strand == d.Strand && n.message == d.message {
				if d.parts++; d.first == nil {
					d.first = n
				}
				d.last = n
			}
		}
	}
	for _, d := range r.docs {
		sum := 1.0
		d.around = d.length
		for i := range rank.Reach {
			sum += float64(r.w.Beside.After[i] + r.w.Beside.Before[i])
		}
		for _, n := range r.docs {
			if by := d.Seq - n.Seq; n == n.first && isBeside(n, d, by) {
				d.around += min(n.length, float64(r.w.Beside.Beginning)) * r.share(by)
			}
		}
		d.around /= sum
	}
	return r
}

func readPieces(t *testing.T, x *Index, s corpus.Source) []corpus.Piece {
	t.Helper()
	if s.Session == "" {
		f, err := x.corpus.Memory.Load(s.Memory)
		if err != nil {
			t.Fatal(err)
		}
		return corpus.MemoryPieces(s.Key, f)
	}
	c := corpus.Chunker{Session: s.Session, Source: s.From}
	var out []corpus.Piece
	var names []string
	for _, f := range s.Files {
		names = append(names, f.File)
	}
	_, err := x.corpus.Store.Places().Each(t.Context(), names, func(b transcript.Block, p places.Place) error {
		out = append(out, c.Pieces(b, p)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// isBeside reports whether two passages are in one strand, and one comes by messages after
// the other, within reach.
func isBeside(one, other *refDoc, by int) bool {
	return one.source == other.source && one.Strand == other.Strand && by != 0 && by >= -rank.Reach && by <= rank.Reach
}

// share returns the weight of a message's beginning for the one that comes by messages later.
func (r *reference) share(by int) float64 {
	if by > 0 {
		return float64(r.w.Beside.After[by-1])
	}
	return float64(r.w.Beside.Before[-by-1])
}

// search returns all chunks with a score, best first.
func (r *reference) search(question string, now time.Time) []*refDoc {
	a := analysis.NewAnalyzer()
	q := a.Query(question, now)
	r.widen(&q, a.Language(question) != "en" || strings.ContainsFunc(question, func(c rune) bool { return c >= utf8.RuneSelf && unicode.IsLetter(c) }))
	for _, d := range r.docs {
		d.own, d.score, d.exact = map[int]float64{}, 0, false
	}
	sessions := map[string]float64{}
	for i, t := range q.Terms {
		if t.Class != analysis.ClassPair {
			r.term(i, t, sessions)
		}
	}
	var found []*refDoc
	best, bestSession := 0.0, 0.0
	for _, d := range r.docs {
		if d.score > 0 {
			found = append(found, d)
			best = max(best, d.score)
		}
	}
	for _, s := range sessions {
		bestSession = max(bestSession, s)
	}
	for _, d := range found {
		base := d.score/best + r.w.Session.Share*sessions[d.source]/bestSession
		base *= r.prior(d, q)
		d.score = base + r.refine(d, q, base)
	}
	normalize(found)
	for _, d := range found {
		if len(q.Spans) == 0 && d.Session != "" && d.Time.Before(now) {
			d.score *= 1 - .03*(1-math.Exp2(-now.Sub(d.Time).Hours()/24/30))
		}
	}
	normalize(found)
	exact := slices.ContainsFunc(found, func(d *refDoc) bool { return d.exact })
	for _, d := range found {
		if exact {
			d.score /= 2
		}
		if d.exact {
			d.score += .5
		}
	}
	inOrder(found)
	seen := map[*refDoc]bool{}
	found = slices.DeleteFunc(found, func(d *refDoc) bool {
		was := seen[d.first]
		seen[d.first] = true
		return was
	})
	return r.inARow(q, found)
}

// widen adds similar words to the terms of a question, to all of them or to those that occur nowhere.
func (r *reference) widen(q *analysis.QueryTerms, all bool) {
	grams := func(word string) map[string]bool {
		out, runes := map[string]bool{}, []rune("^"+word)
		for i := 0; i+3 <= len(runes); i++ {
			out[string(runes[i:i+3])] = true
		}
		return out
	}
	ofWords := func(term string) bool {
		return !strings.ContainsAny(term[:1], "=+@") && !strings.ContainsFunc(term, func(c rune) bool {
			return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
		})
	}
	vocabulary := map[string]bool{}
	for _, d := range r.docs {
		for term := range d.terms {
			vocabulary[term] = vocabulary[term] || ofWords(term)
		}
	}
	for i := range q.Terms {
		t := &q.Terms[i]
		_, there := vocabulary[""]
		forms := []string{t.Variants[0].Term, ""}
		for n, v := range t.Variants {
			if _, known := vocabulary[v.Term]; known {
				there = true
			}
			if n > 0 && len(v.Term) > len(forms[1]) && len(v.Term) > len(forms[0]) {
				forms[1] = v.Term
			}
		}
		if t.Class != analysis.ClassWord || there && !all {
			continue
		}
		best := map[string]float64{}
		for _, form := range forms {
			if len([]rune(form)) < 4 || !ofWords(form) || form[0] >= '0' && form[0] <= '9' {
				continue
			}
			mine := grams(form)
			for term, ok := range vocabulary {
				both, its := 0, grams(term)
				for g := range mine {
					if its[g] {
						both++
					}
				}
				share := float64(both) / float64(len(mine)+max(len(its), 0)-both)
				if share < .4 && len([]rune(form)) >= 5 && both >= len(mine)-1 {
					share = .4
				}
				if ok && share >= .4 && !slices.ContainsFunc(t.Variants, func(v analysis.Variant) bool { return v.Term == term }) {
					best[term] = max(best[term], share)
				}
			}
		}
		similar := slices.SortedFunc(maps.Keys(best), func(a, b string) int { return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(a, b)) })
		t.Variants = slices.Clone(t.Variants)
		for _, term := range similar[:min(8, len(similar))] {
			t.Variants = append(t.Variants, analysis.Variant{Term: term, Weight: best[term]})
		}
	}
}

// prior returns the share of its score that a chunk keeps as one part of many.
func (r *reference) prior(d *refDoc, q analysis.QueryTerms) float64 {
	power := -r.w.Spread
	if q.AboutAnswers && d.Kind == corpus.KindAssistant {
		power += r.w.AboutAnswers
	}
	return math.Pow(float64(d.parts), power)
}

// inARow adds the score for consecutive words of the question to the best chunks.
func (r *reference) inARow(q analysis.QueryTerms, found []*refDoc) []*refDoc {
	terms, pairs := 0.0, 0
	for _, t := range q.Terms {
		if t.Class == analysis.ClassPair {
			pairs++
		} else {
			terms++
		}
	}
	top := found[:min(len(found), referenceLimit)]
	if pairs == 0 && !q.Quantity || len(top) < 2 {
		return top
	}
	for _, d := range top {
		for _, t := range q.Terms {
			if t.Class == analysis.ClassPair && d.pairs[t.Variants[0].Term] {
				d.score += r.prior(d, q) * r.w.Pair * t.Weight / terms
			}
		}
		if q.Quantity && d.many {
			d.score += r.prior(d, q) * r.w.Asked
		}
	}
	normalize(top)
	inOrder(top)
	return top
}

// referenceLimit is how many hits are compared: more than a list that is diversified.
const referenceLimit = 20

func normalize(found []*refDoc) {
	best := 0.0
	for _, d := range found {
		best = max(best, d.score)
	}
	for _, d := range found {
		d.score = max(0, d.score/best)
	}
}

func inOrder(found []*refDoc) {
	slices.SortFunc(found, func(a, b *refDoc) int {
		if a.exact != b.exact {
			return map[bool]int{true: -1, false: 1}[a.exact]
		}
		return cmp.Or(cmp.Compare(b.score, a.score), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
}

// term adds a term of the question to the scores of all chunks and sessions.
func (r *reference) term(number int, t analysis.QueryTerm, sessions map[string]float64) {
	holds, bySource := 0, map[string]float64{}
	for _, d := range r.docs {
		for _, v := range t.Variants {
			d.own[number] += v.Weight * float64(d.terms[v.Term])
		}
		if d.own[number] > 0 {
			d.exact = d.exact || t.Class == analysis.ClassExact
			holds++
			bySource[d.source] += d.own[number] * math.Pow(float64(d.parts), -r.w.Spread)
		}
	}
	weight := t.Weight * r.rarity(holds, len(r.docs))
	average := max(1, r.words/float64(len(r.docs)))
	for _, d := range r.docs {
		n := d.own[number]
		for _, other := range r.docs {
			by := d.message - other.message
			if other != other.first || !isBeside(other, d, by) {
				continue
			}
			share := r.share(by) * min(1, float64(r.w.Beside.Beginning)/max(other.length, 1))
			if by == 1 && other.last.marks&analysis.MarkQuestion != 0 {
				share *= float64(r.w.Beside.Reply)
			}
			n += share * other.own[number]
		}
		norm := float64(r.w.K) * (1 - float64(r.w.B) + float64(r.w.B)*d.around/average)
		d.score += weight * n * (float64(r.w.K) + 1) / (n + norm)
		d.score += float64(r.w.Own) * weight * d.own[number] * (float64(r.w.K) + 1) / (d.own[number] + norm)
	}
	for source, n := range bySource {
		length := 0.0
		for _, d := range r.docs {
			if d.source == source {
				length += d.length
			}
		}
		norm := r.w.Session.K * (1 - r.w.Session.B + r.w.Session.B*length/(r.words/float64(len(r.sources))))
		sessions[source] += t.Weight * r.rarity(len(bySource), len(r.sources)) * n * (r.w.Session.K + 1) / (n + norm)
	}
}

func (r *reference) rarity(n, of int) float64 {
	return math.Pow(math.Log(1+(float64(of-n)+.5)/(float64(n)+.5)), r.w.Rarity)
}

func (r *reference) refine(d *refDoc, q analysis.QueryTerms, base float64) float64 {
	sum := -base * r.w.Short * math.Exp(-d.length/r.w.ShortWords)
	if d.marks&analysis.MarkQuestion != 0 {
		sum -= base * r.w.Question
	}
	if d.marks&analysis.MarkTime != 0 && q.When {
		sum += base * r.w.Asked
	}
	for _, s := range q.Spans {
		if s.Contains(d.Time) {
			return sum + base*r.w.Span
		}
	}
	return sum
}
