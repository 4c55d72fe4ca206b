package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"
)

// The ranker scores a chunk by what is said in it and around it: how often a term
// stands in it counts with that of its neighbours, weakened, before it is saturated;
// and the whole session is scored too, both feeding each other.

// rankWeights say how much each thing counts. They were measured on conversations with
// known answers (see BenchmarkQuality), half of them checked with what was found on the
// other half, and rounded.
type rankWeights struct {
	after, before [strandGap]float32 // how much of a chunk's words counts for the next ones, and for those before it, by distance
	reply         float32            // how many times more a question's words count for the next chunk
	own           float32            // how much more a chunk's own words count
	k, b          float32            // BM25 of chunks
	sk, sb        float64            // BM25 of sessions
	idf           float64            // power of a term's rarity
	session       float64            // share of the session beside the chunk
	short         float64            // what a chunk of hardly a word loses
	shortWords    float64            // how many words that are
	question      float64            // what a chunk loses that only asks
	when          float64            // what a chunk gains that says a time, where one is asked for
	span          float64            // what a chunk gains that was said at a time that is asked for
	pair          float64            // what a pair of the question's words gains
	candidates    int                // chunks that are looked at more closely
}

func defaultWeights() rankWeights {
	return rankWeights{
		after: [strandGap]float32{.3, .25}, before: [strandGap]float32{.45, .15}, reply: 2.5, own: .2,
		k: .9, b: .6, sk: 1.6, sb: .6, idf: .7, session: .45, short: .2, shortWords: 7,
		question: .15, when: .45, span: .9, pair: 1, candidates: 300,
	}
}

// candidate is a chunk that was found.
type candidate struct {
	at        uint32  // position in the layout
	score     float64 // 0 … 1
	lexical   float64 // 0 … 1: the score by words
	semantic  float64 // 0 … 1: the score by meaning
	relevance float64 // 0 … 1: how much of the question it has
	exact     bool    // it holds an identifier that was asked for
	own       uint64  // which terms stand in it, by their places in the question
	session   uint32  // place in view.sources
	time      int64
	number    uint32
}

// scratch is memory for ranking, used again and again.
type scratch struct {
	own      []float32 // of one term: how often it stands in a chunk
	win      []float32 // with the neighbours
	acc      []float32
	mask     []uint64
	touched  []uint32 // of one term: chunks that hold it
	around   []uint32 // and those beside
	all      []uint32
	bySource []float32 // of one term
	sessions []float64
	seen     []uint32 // sources that hold the term
}

func (s *scratch) fit(positions, sources int) {
	if len(s.own) < positions {
		n := positions + positions/8
		s.own, s.win, s.acc, s.mask = make([]float32, n), make([]float32, n), make([]float32, n), make([]uint64, n)
	}
	if len(s.bySource) < sources {
		n := sources + sources/8
		s.bySource, s.sessions = make([]float32, n), make([]float64, n)
	}
}

// clear makes it ready for the next question.
func (s *scratch) clear() {
	for _, at := range s.all {
		s.acc[at], s.mask[at] = 0, 0
	}
	clear(s.sessions)
	s.all = s.all[:0]
}

// ranking ranks the chunks of a view for one question.
type ranking struct {
	*scratch
	v       *view
	w       rankWeights
	terms   QueryTerms
	allowed []bool    // by sources; nil: all
	exact   uint64    // terms that are identifiers
	weights []float64 // of each term: its share of what a chunk can have
}

// rank gives the best candidates, in their order.
func (r *ranking) rank(ctx context.Context, dict *dictReader) ([]candidate, error) {
	r.fit(len(r.v.lay.refs), len(r.v.sources))
	defer r.clear()
	r.terms.Terms = r.terms.Terms[:min(len(r.terms.Terms), maxTerms)]
	r.weights = make([]float64, len(r.terms.Terms))
	words := slices.DeleteFunc(slices.Clone(r.terms.Terms), func(t QueryTerm) bool { return t.Class == ClassPair })
	if err := dict.load(ctx, r.v.parts[1:], words); err != nil {
		return nil, err
	}
	for i, t := range r.terms.Terms {
		if t.Class == ClassPair {
			continue
		}
		if err := r.gather(dict, t); err != nil {
			return nil, err
		}
		r.weights[i] = r.add(i, t)
	}
	return r.candidates(), nil
}

// maxTerms is how much of a question is looked for.
const maxTerms = 256

// gather counts how often a term stands in each chunk, all its variants together.
func (r *ranking) gather(dict *dictReader, t QueryTerm) error {
	for _, variant := range t.Variants {
		w := float32(variant.Weight)
		for place, p := range r.v.parts {
			count := func(doc, n uint32) {
				if int(doc) >= len(p.positions) {
					return
				}
				at := p.positions[doc]
				if at == nowhere {
					return
				}
				if r.own[at] == 0 {
					r.touched = append(r.touched, at)
				}
				r.own[at] += w * float32(n)
			}
			if place == 0 {
				for _, x := range p.lists[variant.Term] {
					count(x.doc, x.n)
				}
				continue
			}
			if err := dict.postings(p, variant.Term, count); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a term that was gathered to the scores, and gives its weight.
func (r *ranking) add(number int, t QueryTerm) float64 {
	defer func() { r.touched, r.around = r.touched[:0], r.around[:0] }()
	weight := t.Weight * r.idf(len(r.touched), r.v.docs)
	if len(r.touched) == 0 {
		return weight
	}
	bit := uint64(1) << (number & 63)
	if t.Class == ClassExact {
		r.exact |= bit
	}
	for _, at := range r.touched {
		n := r.own[at]
		r.spread(at, n)
		r.mask[at] |= bit
		if source := r.v.lay.sources[at]; r.bySource[source] == 0 {
			r.seen = append(r.seen, source)
			r.bySource[source] = n
		} else {
			r.bySource[source] += n
		}
	}
	r.addChunks(float32(weight))
	r.addSessions(t.Weight)
	return weight
}

// idf is how much a term tells that stands in n of all.
func (r *ranking) idf(n, of int) float64 {
	return math.Pow(math.Log(1+(float64(of-n)+.5)/(float64(n)+.5)), r.w.idf)
}

// spread gives a chunk's words to its neighbours. Before the first and behind the last
// strand there is room for them, see layout.
func (r *ranking) spread(at uint32, n float32) {
	next := r.w.after[0]
	if r.v.lay.flags[at]&byte(MarkQuestion) != 0 {
		next *= r.w.reply
	}
	r.beside(at, n)
	r.beside(at+1, n*next)
	r.beside(at-1, n*r.w.before[0])
	for i := uint32(1); i < strandGap; i++ {
		r.beside(at+1+i, n*r.w.after[i])
		r.beside(at-1-i, n*r.w.before[i])
	}
}

func (r *ranking) beside(at uint32, n float32) {
	if r.win[at] == 0 {
		r.around = append(r.around, at)
	}
	r.win[at] += n
}

// addChunks adds a term to the chunks that have it, or stand beside.
func (r *ranking) addChunks(weight float32) {
	l := &r.v.lay
	floor, slope := r.lengths()
	for _, at := range r.around {
		n := r.win[at]
		r.win[at] = 0
		if r.acc[at] == 0 {
			r.all = append(r.all, at)
		}
		r.acc[at] += weight * n * (r.w.k + 1) / (n + floor + slope*l.around[at])
	}
	for _, at := range r.touched {
		n := r.own[at]
		r.own[at] = 0
		r.acc[at] += r.w.own * weight * n * (r.w.k + 1) / (n + floor + slope*l.around[at])
	}
}

// lengths gives what BM25 adds to a term's frequency: a fixed part, and one for each
// word around.
func (r *ranking) lengths() (floor, slope float32) {
	average := max(float32(r.v.words)/float32(max(r.v.docs, 1)), 1)
	return r.w.k * (1 - r.w.b), r.w.k * r.w.b / average
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

// candidates gives the best chunks in their order.
func (r *ranking) candidates() []candidate {
	top := r.first()
	for i := range top {
		r.refine(&top[i])
	}
	return order(top)
}

// first picks the chunks that are worth a closer look.
func (r *ranking) first() []candidate {
	best, bestSession := float32(0), 0.0
	for _, at := range r.all {
		best = max(best, r.acc[at])
	}
	for _, s := range r.sessions {
		bestSession = max(bestSession, s)
	}
	chunk, whole := 1/float64(best), 0.0
	if bestSession > 0 {
		whole = r.w.session / bestSession
	}
	l := &r.v.lay
	top := heap{limit: r.w.candidates}
	for _, at := range r.all {
		own := float64(r.acc[at]) * chunk
		if own+r.w.session <= top.worst() {
			continue // whatever its session is
		}
		source := l.sources[at]
		if r.allowed != nil && !r.allowed[source] {
			continue
		}
		if score := own + r.sessions[source]*whole; score > top.worst() && !l.refs[at].none() {
			top.push(at, score)
		}
	}
	most := 1e-9
	for i, w := range r.weights {
		if r.terms.Terms[i].Class != ClassMoment { // one of many days that may be meant
			most += w * float64(r.w.k+1)
		}
	}
	out := make([]candidate, len(top.items))
	for i, item := range top.items {
		at := item.at
		out[i] = candidate{
			at: at, score: item.score, relevance: min(1, float64(r.acc[at])/most), own: r.mask[at], exact: r.mask[at]&r.exact != 0,
			session: l.sources[at], time: l.times[at], number: l.numbers[at],
		}
	}
	return out
}

// refine takes in what is told of a chunk beside its words.
func (r *ranking) refine(c *candidate) {
	l := &r.v.lay
	marks := Marks(l.flags[c.at] & 3)
	base := c.score
	c.score -= base * r.w.short * math.Exp(-float64(l.words[c.at])/r.w.shortWords)
	if marks&MarkQuestion != 0 {
		c.score -= base * r.w.question
	}
	if marks&MarkTime != 0 && r.terms.When {
		c.score += base * r.w.when
	}
	if r.inSpans(c.time) {
		c.score += base * r.w.span
	}
}

func (r *ranking) inSpans(at int64) bool {
	t := time.Unix(at, 0)
	return at != 0 && slices.ContainsFunc(r.terms.Spans, func(s Span) bool { return s.Contains(t) })
}

// order puts the scores in relation to the best one, and sorts. They are rounded, so
// that what is the same in all but the order of sums is the same.
func order(top []candidate) []candidate {
	best := 0.0
	for _, c := range top {
		best = max(best, c.score)
	}
	for i := range top {
		top[i].score = rounded(max(0, top[i].score/best))
		top[i].lexical = top[i].score
	}
	slices.SortStableFunc(top, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.time, a.time))
	})
	return top
}

// rounded is a score of six digits.
func rounded(score float64) float64 { return math.Round(score*1e6) / 1e6 }
