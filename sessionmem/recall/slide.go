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
	before           [strandGap]float32    // how much counts for the chunks before
	after            [2][strandGap]float32 // and behind; and behind a question

	weight, share float32 // of what is said around; of what is said in the chunk itself
	floor, slope  float32 // what BM25 adds to a term's frequency, fixed and for each word around
	best          float32 // the highest score of a chunk
}

func (r *ranking) newSlide(weight float32) slide {
	average := max(float32(r.v.words)/float32(max(r.v.docs, 1)), 1)
	l := &r.v.lay
	s := slide{
		own: r.own, acc: r.acc, around: l.around, flags: l.flags, refs: l.refs, best: r.best,
		before: r.w.before, after: [2][strandGap]float32{r.w.after, r.w.after},
		weight: weight * (r.w.k + 1), share: r.w.own,
		floor: r.w.k * (1 - r.w.b), slope: r.w.k * r.w.b / average,
	}
	s.after[1][0] *= r.w.reply
	return s
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
	for ; word != 0; word &= word - 1 {
		at := base + bits.TrailingZeros64(word)
		own := s.own[at-strandGap : at+strandGap+1 : at+strandGap+1]
		n := own[2] + s.after[s.flags[at-1]&byte(MarkQuestion)][0]*own[1] + s.after[0][1]*own[0] + s.before[0]*own[3] + s.before[1]*own[4]
		norm := s.floor + s.slope*s.around[at]
		sum := s.acc[at] + s.weight*(n/(n+norm)+s.share*own[2]/(own[2]+norm))
		s.acc[at] = sum
		if sum > s.best && !s.refs[at].none() {
			s.best = sum
		}
	}
}
