package recall

import "math/bits"

// scratch is memory for ranking, used again and again.
type scratch struct {
	own      []float32 // of one term: how often it stands in a chunk
	acc      []float32 // the chunks' scores
	held     []uint64  // of one term: a bit for each chunk that has it
	exact    []uint64  // a bit for each chunk that has an identifier of the question
	isMarked bool      // there are bits in exact
	bySource []float32 // of one term
	sessions []float64 // the sessions' scores
	seen     []uint32  // sources that hold the term
	best     float32   // the highest score of a chunk
	batch    [listBatch]posting
}

func (s *scratch) fit(positions, sources int) {
	if len(s.acc) < positions {
		n := positions + positions/8
		s.own, s.acc = make([]float32, n+strandGap), make([]float32, n)
		s.held, s.exact = make([]uint64, n/64+3), make([]uint64, n/64+3) // the last two words stay empty
	}
	if len(s.bySource) < sources {
		n := sources + sources/8
		s.bySource, s.sessions = make([]float32, n), make([]float64, n)
	}
}

// clear makes it ready for the next question: only the rooms of sources that hold one of
// its terms have scores, and those before them.
func (s *scratch) clear(l *layout) {
	for _, room := range l.rooms {
		if s.sessions[room.source] != 0 {
			clear(s.acc[room.base-strandGap : room.base+room.size])
		}
	}
	clear(s.sessions)
	s.best = 0
	if s.isMarked {
		clear(s.exact)
		s.isMarked = false
	}
}

// markExact notes the chunks that hold the term at hand.
func (s *scratch) markExact() {
	for i, word := range s.held {
		s.exact[i] |= word
	}
	s.isMarked = true
}

func (s *scratch) isExact(at uint32) bool { return s.exact[at>>6]>>(at&63)&1 != 0 }

// slide is a term on its way into the scores of the chunks that have it, and of those
// beside.
type slide struct {
	own, acc, around []float32
	flags            []byte
	refs             []ref
	before           [strandGap]float32 // how much counts for the chunks before
	reply            [2]float32         // for the next one, and for the next one behind a question
	after            float32            // and for that behind it

	weight, share float32 // of what is said around; of what is said in the chunk itself
	floor, slope  float32 // what BM25 adds to a term's frequency, fixed and for each word around
	best          float32 // the highest score of a chunk
}

func (r *ranking) newSlide(weight float32) slide {
	average := max(float32(r.v.words)/float32(max(r.v.docs, 1)), 1)
	l := &r.v.lay
	return slide{
		own: r.own, acc: r.acc, around: l.around, flags: l.flags, refs: l.refs, best: r.best,
		before: r.w.before, reply: [2]float32{r.w.after[0], r.w.after[0] * r.w.reply}, after: r.w.after[1],
		weight: weight * (r.w.k + 1), share: r.w.own,
		floor: r.w.k * (1 - r.w.b), slope: r.w.k * r.w.b / average,
	}
}

// spread gives the bits of the positions that are no farther than strandGap from those of
// a word, with the words before and behind it.
func spread(before, word, behind uint64) uint64 {
	out := word
	for i := 1; i <= strandGap; i++ {
		out |= word<<i | before>>(64-i) | word>>i | behind<<(64-i)
	}
	return out
}

// add adds the term to the chunks at the bits of a word. What a chunk has of it counts
// with what the two before and the two behind it have.
func (s *slide) add(base int, word uint64) {
	own, acc, around, flags := s.own, s.acc, s.around, s.flags
	after, reply, before, weight, share, floor, slope := s.after, s.reply, s.before, s.weight, s.share, s.floor, s.slope
	for ; word != 0; word &= word - 1 {
		at := base + bits.TrailingZeros64(word)
		near := own[at-strandGap : at+strandGap+1 : at+strandGap+1]
		n := near[2] + reply[flags[at-1]&byte(MarkQuestion)]*near[1] + after*near[0] + before[0]*near[3] + before[1]*near[4]
		norm := floor + slope*around[at]
		sum := acc[at] + weight*(n/(n+norm)+share*near[2]/(near[2]+norm))
		acc[at] = sum
		if sum > s.best && !s.refs[at].none() {
			s.best = sum
		}
	}
}
