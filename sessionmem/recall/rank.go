package recall

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
)

// The ranker scores a chunk by what is said in it and around it: how often a term
// stands in it counts with that of its neighbours, weakened, before it is saturated;
// and the whole session is scored too, both feeding each other.

// rankWeights say how much each thing counts. They were measured on conversations with
// known answers (see TestQuality), half of them checked with what was found on the
// other half, and rounded.
type rankWeights struct {
	after, before [strandGap]float32 // how much of the beginning of a message counts for the next ones, and for those before it, by distance
	reply         float32            // how many times more a question's words count for the next chunk
	own           float32            // how much more a chunk's own words count
	k, b          float32            // BM25 of chunks
	sk, sb        float64            // BM25 of sessions
	idf           float64            // power of a term's rarity
	session       float64            // share of the session beside the chunk
	short         float64            // what a chunk of hardly a word loses
	shortWords    float64            // how many words that are
	prior         float64            // a message of n parts has the chance of one, spread over them: n^-prior
	told          float64            // how much less it is spread where the question asks what was told
	question      float64            // what a chunk loses that only asks
	when          float64            // what a chunk gains that says a time, where one is asked for
	span          float64            // what a chunk gains that was said at a time that is asked for
	many          float64            // what a chunk gains that has a number, where a quantity is asked for
	pair          float64            // what a pair of the question's words gains
	candidates    int                // chunks that are looked at more closely
}

func defaultWeights() rankWeights {
	return rankWeights{
		after: [strandGap]float32{.3, .3}, before: [strandGap]float32{.4, .2}, reply: 2.5, own: .2,
		k: 1.2, b: .6, sk: 1.6, sb: .7, idf: .7, session: .45, short: .2, shortWords: 7, prior: .6, told: .3,
		question: .2, when: .6, span: 1.2, many: .3, pair: 1, candidates: 300,
	}
}

// beginning is how many words of a message say something of those beside it: the rest of
// a long answer goes its own way.
const beginning = 40

// candidate is a chunk that was found.
type candidate struct {
	at        uint32  // position in the layout
	score     float64 // 0 … 1
	lexical   float64 // 0 … 1: the score by words
	semantic  float64 // 0 … 1: the score by meaning
	relevance float64 // 0 … 1: how much of the question it has
	exact     bool    // it holds an identifier that was asked for
	prior     float64 // see rankWeights.prior
	session   uint32  // place in view.sources
	time      int64
	number    uint32
}

// ranking ranks the chunks of a view for one question.
type ranking struct {
	*scratch
	v       *view
	w       rankWeights
	terms   analysis.QueryTerms
	allowed []bool       // by sources; nil: all
	weights []float64    // of each term: its share of what a chunk can have
	prior   [256]float32 // see rankWeights.prior, by numbers of parts
	told    [256]float32 // the same for what was told where the question asks for that
}

// rank gives the best candidates.
func (r *ranking) rank(ctx context.Context, dict *dictReader) ([]candidate, error) {
	r.fit(len(r.v.lay.refs), len(r.v.sources))
	defer r.clear(&r.v.lay)
	r.terms.Terms = r.terms.Terms[:min(len(r.terms.Terms), maxTerms)]
	for n := range r.prior {
		r.prior[n] = float32(math.Pow(float64(max(n, 1)), -r.w.prior))
		if r.told[n] = r.prior[n]; r.terms.Told {
			r.told[n] = float32(math.Pow(float64(max(n, 1)), r.w.told-r.w.prior))
		}
	}
	r.weights = make([]float64, len(r.terms.Terms))
	words := slices.DeleteFunc(slices.Clone(r.terms.Terms), func(t analysis.QueryTerm) bool { return t.Class == analysis.ClassPair })
	if err := dict.load(ctx, words); err != nil {
		return nil, err
	}
	for i, t := range r.terms.Terms {
		if t.Class == analysis.ClassPair {
			continue
		}
		n, err := r.gather(dict, t)
		if err != nil {
			return nil, err
		}
		r.weights[i] = t.Weight * r.idf(n, r.v.docs)
		if n > 0 {
			r.addTerm(t, float32(r.weights[i]))
		}
	}
	return r.candidates(), nil
}

// maxTerms is how much of a question is looked for.
const maxTerms = 256

// gather counts how often a term stands in each chunk, all its variants together, and
// gives the number of chunks.
func (r *ranking) gather(dict *dictReader, t analysis.QueryTerm) (n int, err error) {
	for _, variant := range t.Variants {
		w := float32(variant.Weight)
		delta := r.v.parts[0]
		n += r.count(delta.positions, delta.lists[variant.Term], w)
		for i, list := range dict.next() {
			for list.left > 0 {
				n += r.count(r.v.parts[i+1].positions, list.read(r.batch[:]), w)
			}
			if list.bad {
				return n, errDamaged
			}
		}
	}
	return n, nil
}

// count takes some postings in and gives how many chunks they are new for.
func (r *ranking) count(positions []uint32, postings []posting, w float32) (n int) {
	own, held := r.own, r.held
	for _, p := range postings {
		if int(p.doc) >= len(positions) {
			continue
		}
		at := positions[p.doc]
		if at == nowhere {
			continue
		}
		if own[at] == 0 {
			n++
			held[at>>6] |= 1 << (at & 63)
		}
		own[at] += w * float32(p.n)
	}
	return n
}

// addTerm adds a term that was gathered to the scores.
func (r *ranking) addTerm(t analysis.QueryTerm, weight float32) {
	if t.Class == analysis.ClassExact {
		r.markExact()
	}
	r.addChunks(weight)
	r.addSessions(t.Weight)
}

// idf is how much a term tells that stands in n of all.
func (r *ranking) idf(n, of int) float64 {
	return math.Pow(math.Log(1+(float64(of-n)+.5)/(float64(n)+.5)), r.w.idf)
}

// release takes a word of chunks back that hold the term, and counts it for their
// sessions.
func (r *ranking) release(i int, word uint64) {
	r.held[i] = 0
	for ; word != 0; word &= word - 1 {
		at := i<<6 + bits.TrailingZeros64(word)
		source := r.v.lay.sources[at]
		if r.bySource[source] == 0 {
			r.seen = append(r.seen, source)
		}
		r.bySource[source] += r.own[at] * r.prior[r.v.lay.parts[at]]
		r.own[at] = 0
	}
}

// addSessions adds a term to the sessions that have it.
func (r *ranking) addSessions(weight float64) {
	n := len(r.v.byID)
	idf := weight * r.idf(len(r.seen), n)
	average := float64(r.v.words) / float64(max(n, 1))
	for _, source := range r.seen {
		tf := float64(r.bySource[source])
		r.bySource[source] = 0
		length := float64(r.v.sources[source].words) / average
		r.sessions[source] += idf * tf * (r.w.sk + 1) / (tf + r.w.sk*(1-r.w.sb+r.w.sb*length))
	}
	r.seen = r.seen[:0]
}

// candidates gives the best chunks.
func (r *ranking) candidates() []candidate {
	top := r.first()
	for i := range top {
		r.refine(&top[i])
	}
	scale(top)
	return top
}

// first picks the chunks that are worth a closer look.
func (r *ranking) first() []candidate {
	l := &r.v.lay
	bestSession := 0.0
	for _, s := range r.sessions {
		bestSession = max(bestSession, s)
	}
	chunk, whole := 1/float64(r.best), 0.0
	if bestSession > 0 {
		whole = r.w.session / bestSession
	}
	top := heap{limit: r.w.candidates, items: make([]heapItem, 0, r.w.candidates)}
	for _, room := range l.rooms {
		if r.sessions[room.source] == 0 || r.allowed != nil && !r.allowed[room.source] {
			continue
		}
		session := r.sessions[room.source] * whole
		enough := r.enough(&top, session, chunk)
		for i, sum := range r.acc[room.base : room.base+room.size] {
			if sum <= enough {
				continue
			}
			at := room.base + uint32(i) //nolint:gosec // positions are 32 bits
			if score := (float64(sum)*chunk + session) * float64(r.priorOf(at)); score > top.worst() && !l.refs[at].none() {
				top.push(at, score)
				enough = r.enough(&top, session, chunk)
			}
		}
	}
	return r.describe(top.items)
}

// priorOf is what a chunk keeps of its score for being one part of many.
func (r *ranking) priorOf(at uint32) float32 {
	l := &r.v.lay
	if kindCodes[l.flags[at]>>flagKind&7] == KindAssistant {
		return r.told[l.parts[at]]
	}
	return r.prior[l.parts[at]]
}

// enough is a sum that is surely too small for a chunk of a session to be among the top
// ones; more than that may be enough.
func (r *ranking) enough(top *heap, session, chunk float64) float32 {
	return max(0, float32((top.worst()-session)/chunk*(1-1e-6)))
}

// describe makes candidates of chunks.
func (r *ranking) describe(items []heapItem) []candidate {
	l := &r.v.lay
	most := 1e-9
	for i, w := range r.weights {
		if r.terms.Terms[i].Class != analysis.ClassMoment { // one of many days that may be meant
			most += w * float64(r.w.k+1)
		}
	}
	out := make([]candidate, len(items))
	for i, item := range items {
		at := item.at
		out[i] = candidate{
			at: at, score: item.score, relevance: min(1, float64(r.acc[at])/most), exact: r.isExact(at),
			prior: float64(r.priorOf(at)), session: l.sources[at], time: l.times[at], number: l.numbers[at],
		}
	}
	return out
}

// refine takes in what is told of a chunk beside its words.
func (r *ranking) refine(c *candidate) {
	l := &r.v.lay
	marks := analysis.Marks(l.flags[c.at] & 3)
	base := c.score
	c.score -= base * r.w.short * math.Exp(-float64(l.words[c.at])/r.w.shortWords)
	if marks&analysis.MarkQuestion != 0 {
		c.score -= base * r.w.question
	}
	if marks&analysis.MarkTime != 0 && r.terms.When {
		c.score += base * r.w.when
	}
	if isWithin(c.time, r.terms.Spans) {
		c.score += base * r.w.span
	}
}

// scale puts the scores in relation to the best one. They are rounded, so that what is
// the same in all but the order of sums is the same.
func scale(top []candidate) {
	best := 0.0
	for _, c := range top {
		best = max(best, c.score)
	}
	for i := range top {
		top[i].score = rounded(max(0, top[i].score/best))
		top[i].lexical = top[i].score
	}
}

// rounded is a score of six digits.
func rounded(score float64) float64 { return math.Round(score*1e6) / 1e6 }
