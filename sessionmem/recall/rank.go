package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// The ranker scores a chunk by what is said in it and around it: how often a term
// stands in it counts with that of its neighbours, weakened, before it is saturated;
// and the whole session is scored too, both feeding each other.

// rankWeights say how much each thing counts. Measured; see recalltest.
type rankWeights struct {
	after      [strandGap]float32 // how much of a chunk's words counts for the next ones, by distance
	before     [strandGap]float32 // and for those before it
	k, b       float32            // BM25 of chunks
	sk, sb     float32            // BM25 of sessions
	idfPower   float64
	session    float64 // share of the session beside the chunk
	best       float64 // share of the session's best chunks in its score
	question   float64 // what a chunk loses that only asks
	when       float64 // what a chunk gains that says a time, where one is asked for
	span       float64 // what a chunk gains that was said at a time that is asked for
	pair       float64 // what each pair of words gains, beside the words' own weight
	candidates int     // chunks that are looked at more closely
}

func defaultWeights() rankWeights {
	return rankWeights{
		after: [strandGap]float32{.3, .2}, before: [strandGap]float32{.4, .2}, k: 1.2, b: .15, sk: 1.6, sb: .5, idfPower: .85,
		session: .45, best: 0, question: .15, when: .3, span: 1, pair: .4, candidates: 300,
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
	pairs   []pairTerm
}

type pairTerm struct {
	hash   byte
	weight float64
}

// rank gives the best candidates, in their order.
func (r *ranking) rank(ctx context.Context, stmt *dictReader) ([]candidate, error) {
	r.fit(len(r.v.lay.refs), len(r.v.sources))
	defer r.clear()
	r.weights = make([]float64, len(r.terms.Terms))
	for i, t := range r.terms.Terms {
		if t.Class == ClassPair {
			continue
		}
		if err := r.gather(ctx, stmt, t); err != nil {
			return nil, err
		}
		r.weights[i] = r.add(i, t)
	}
	r.takePairs()
	return r.candidates(), nil
}

// gather counts how often a term stands in each chunk, all its variants together.
func (r *ranking) gather(ctx context.Context, stmt *dictReader, t QueryTerm) error {
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
			if err := stmt.postings(ctx, p, variant.Term, count); err != nil {
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
		r.own[at] = 0
	}
	r.addChunks(float32(weight))
	r.addSessions(t.Weight)
	return weight
}

// idf is how much a term tells that stands in n of all.
func (r *ranking) idf(n, of int) float64 {
	return math.Pow(math.Log(1+(float64(of-n)+.5)/(float64(n)+.5)), r.w.idfPower)
}

// spread gives a chunk's words to its neighbours.
func (r *ranking) spread(at uint32, n float32) {
	r.beside(at, n)
	for i := range strandGap {
		d := uint32(i) + 1
		r.beside(at+d, n*r.w.after[i])
		if at >= d {
			r.beside(at-d, n*r.w.before[i])
		}
	}
}

func (r *ranking) beside(at uint32, n float32) {
	if int(at) >= len(r.v.lay.refs) || r.v.lay.refs[at].part == 0 {
		return
	}
	if r.win[at] == 0 {
		r.around = append(r.around, at)
	}
	r.win[at] += n
}

func (r *ranking) addChunks(weight float32) {
	average := float32(r.v.words) / float32(max(r.v.docs, 1))
	for _, at := range r.around {
		n := r.win[at]
		r.win[at] = 0
		if r.acc[at] == 0 {
			r.all = append(r.all, at)
		}
		length := float32(r.v.lay.words[at]) / average
		r.acc[at] += weight * n * (r.w.k + 1) / (n + r.w.k*(1-r.w.b+r.w.b*length))
	}
}

func (r *ranking) addSessions(weight float64) {
	n := len(r.v.byID)
	idf := weight * r.idf(len(r.seen), n)
	average := float64(r.v.words) / float64(max(n, 1))
	for _, source := range r.seen {
		tf := float64(r.bySource[source])
		r.bySource[source] = 0
		length := float64(r.v.sources[source].words) / average
		k, b := float64(r.w.sk), float64(r.w.sb)
		r.sessions[source] += idf * tf * (k + 1) / (tf + k*(1-b+b*length))
	}
	r.seen = r.seen[:0]
}

// takePairs prepares the pairs of words: each weighs as the question's words do on the
// average.
func (r *ranking) takePairs() {
	sum, n := 0.0, 0
	for _, w := range r.weights {
		if w > 0 {
			sum, n = sum+w, n+1
		}
	}
	for _, t := range r.terms.Terms {
		if t.Class == ClassPair && n > 0 {
			r.pairs = append(r.pairs, pairTerm{pairHash(t.Variants[0].Term), t.Weight * sum / float64(n)})
		}
	}
}

// candidates gives the best chunks in their order.
func (r *ranking) candidates() []candidate {
	top := r.first()
	for i := range top {
		r.refine(&top[i])
	}
	return r.order(top)
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
	l := &r.v.lay
	top := heap{limit: r.w.candidates}
	for _, at := range r.all {
		source := l.sources[at]
		if r.allowed != nil && !r.allowed[source] {
			continue
		}
		score := float64(r.acc[at] / best)
		if bestSession > 0 {
			score += r.w.session * r.sessions[source] / bestSession
		}
		top.push(at, score)
	}
	most := 0.0
	for _, w := range r.weights {
		most += w * float64(r.w.k+1)
	}
	out := make([]candidate, len(top.items))
	for i, item := range top.items {
		at := item.at
		out[i] = candidate{
			at: at, score: item.score, relevance: float64(r.acc[at]) / most, own: r.mask[at], exact: r.mask[at]&r.exact != 0,
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
	if marks&MarkQuestion != 0 {
		c.score -= base * r.w.question
	}
	if marks&MarkTime != 0 && r.terms.When {
		c.score += base * r.w.when
	}
	if r.inSpans(c.time) {
		c.score += base * r.w.span
	}
	if len(r.pairs) > 0 {
		ref := l.refs[c.at]
		hashes := r.v.parts[ref.part-1].pairsOf(ref.doc)
		best := 0.0
		for _, w := range r.weights {
			best += w
		}
		for _, p := range r.pairs {
			if slices.Contains(hashes, p.hash) {
				c.score += r.w.pair * p.weight / best
			}
		}
	}
}

func (r *ranking) inSpans(at int64) bool {
	t := time.Unix(at, 0)
	return at != 0 && slices.ContainsFunc(r.terms.Spans, func(s Span) bool { return s.Contains(t) })
}

// order feeds the best chunks of a session into its score, and sorts.
func (r *ranking) order(top []candidate) []candidate {
	if len(top) == 0 {
		return nil
	}
	slices.SortFunc(top, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	sums := map[uint32]float64{}
	counts := map[uint32]int{}
	most := 0.0
	for _, c := range top {
		if counts[c.session]++; counts[c.session] <= bestOfSession {
			sums[c.session] += c.score
			most = max(most, sums[c.session])
		}
	}
	for i := range top {
		c := &top[i]
		c.score += r.w.best * sums[c.session] / most * r.w.session
	}
	best := 0.0
	for _, c := range top {
		best = max(best, c.score)
	}
	for i := range top {
		top[i].score = math.Round(top[i].score/best*1e6) / 1e6
		top[i].lexical = top[i].score
	}
	slices.SortStableFunc(top, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.time, a.time))
	})
	return top
}

// bestOfSession is how many of a session's chunks count for it.
const bestOfSession = 3

// heap keeps the best items.
type heap struct {
	limit int
	items []heapItem // the worst first
}

type heapItem struct {
	at    uint32
	score float64
}

func (i heapItem) worse(j heapItem) bool {
	return i.score < j.score || i.score == j.score && i.at > j.at
}

func (h *heap) push(at uint32, score float64) {
	item := heapItem{at, score}
	if len(h.items) < h.limit {
		h.items = append(h.items, item)
		for i := len(h.items) - 1; i > 0; {
			up := (i - 1) / 2
			if !h.items[i].worse(h.items[up]) {
				break
			}
			h.items[i], h.items[up] = h.items[up], h.items[i]
			i = up
		}
		return
	}
	if !h.items[0].worse(item) {
		return
	}
	h.items[0] = item
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h.items) {
			return
		}
		if down+1 < len(h.items) && h.items[down+1].worse(h.items[down]) {
			down++
		}
		if !h.items[down].worse(h.items[i]) {
			return
		}
		h.items[i], h.items[down] = h.items[down], h.items[i]
		i = down
	}
}

// dictReader reads postings from the segments.
type dictReader struct{ q queryer }

// postings gives the documents of a segment that hold a term.
func (d *dictReader) postings(ctx context.Context, p *part, term string, each func(doc, n uint32)) error {
	block := sort.Search(len(p.firsts), func(i int) bool { return strings.Compare(p.firsts[i], term) > 0 }) - 1
	if block < 0 {
		return nil
	}
	var blob []byte
	if err := d.q.QueryRowContext(ctx, "SELECT data FROM dict WHERE id=?", p.id<<rowBits|int64(block)).Scan(&blob); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, explain(err))
	}
	list, n, err := listOf(blob, term)
	if err != nil {
		return err
	}
	r := decoder{data: list}
	r.postings(n, each)
	return r.err()
}
