package engine

import (
	"math/bits"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
)

// scratch is reusable memory for ranking.
type scratch struct {
	own         []float32 // of the current term: occurrences per chunk
	acc         []float32 // scores of the chunks
	held        []uint64  // of the current term: a bit per chunk that holds it
	near        []float32 // of the current term: weight of what neighbouring messages say
	beside      []uint64  // of the current term: a bit per chunk with such neighbours
	exact       []uint64  // a bit per chunk that holds an identifier of the question
	isMarked    bool      // exact has bits set
	bySource    []float32 // of the current term
	sessions    []float64 // scores of the sessions
	seen        []uint32  // sources that hold the term
	most        float32   // highest score of a chunk
	bestSession float64   // and of a session
	batch       [format.ListBatch]format.Posting
}

func (s *scratch) fit(positions, sources int) {
	if len(s.acc) < positions {
		n := positions + positions/8
		s.own, s.near, s.acc = make([]float32, n), make([]float32, n), make([]float32, n)
		s.held, s.beside, s.exact = make([]uint64, n/64+1), make([]uint64, n/64+1), make([]uint64, n/64+1)
	}
	if len(s.bySource) < sources {
		n := sources + sources/8
		s.bySource, s.sessions = make([]float32, n), make([]float64, n)
	}
}

// clear prepares the memory for the next question. Only sources that hold one of its terms
// have scores, in their rooms and the positions before those.
func (s *scratch) clear(l *layout) {
	for _, room := range l.rooms {
		if s.sessions[room.source] != 0 {
			clear(s.acc[room.base-strandGap : room.base+room.size])
		}
	}
	clear(s.sessions)
	s.most = 0
	if s.isMarked {
		clear(s.exact)
		s.isMarked = false
	}
}

// markExact marks the chunks that hold the current term.
func (s *scratch) markExact() {
	for i, word := range s.held {
		s.exact[i] |= word
	}
	s.isMarked = true
}

func (s *scratch) isExact(at uint32) bool { return s.exact[at>>6]>>(at&63)&1 != 0 }

// spread counts the occurrences of a term at the beginnings of messages for the neighbouring
// messages: an answer says much about its question, and a question about its answer.
func (r *ranking) spread() {
	flags, words, own, beginning := r.v.lay.flags, r.v.lay.words, r.own, r.w.Beside.Beginning
	for i, word := range r.held {
		for ; word != 0; word &= word - 1 {
			at := i<<6 + bits.TrailingZeros64(word)
			if flags[at]&format.FlagContinues != 0 {
				continue
			}
			n := own[at]
			if length := float32(words[at]); length > beginning {
				n *= beginning / length
			}
			if isAlone(flags, at) {
				r.spreadAlone(flags, at, n)
				continue
			}
			r.spreadBackward(flags, at, n)
			r.spreadForward(flags, at, n)
		}
	}
}

// isAlone reports whether a message and its neighbours are one chunk each, as most are.
func isAlone(flags []byte, at int) bool {
	return at+strandGap+1 < len(flags) && (flags[at-1]|flags[at-2]|flags[at+1]|flags[at+2]|flags[at+3])&format.FlagContinues == 0
}

// spreadAlone does what spreadBackward and spreadForward do, for such messages.
func (r *ranking) spreadAlone(flags []byte, at int, n float32) {
	w, near := r.w, r.near[at-2:at+3:at+3]
	near[0] += n * w.Beside.Before[1]
	near[1] += n * w.Beside.Before[0]
	next := n * w.Beside.After[0]
	if flags[at]&byte(analysis.MarkQuestion) != 0 {
		next *= w.Beside.Reply
	}
	near[3] += next
	near[4] += n * w.Beside.After[1]
	first := at - 2
	r.beside[first>>6] |= 0x1f << (first & 63)
	if first&63 > 59 {
		r.beside[first>>6+1] |= 0x1f >> (64 - first&63)
	}
}

// spreadBackward adds n to the messages before the one that begins at a position. The layout
// leaves room for them before the first and after the last message of a strand.
func (r *ranking) spreadBackward(flags []byte, at int, n float32) {
	for _, share := range r.w.Beside.Before {
		for {
			at--
			r.addNear(at, n*share)
			if flags[at]&format.FlagContinues == 0 {
				break
			}
		}
	}
}

// spreadForward adds n to the messages after it.
func (r *ranking) spreadForward(flags []byte, at int, n float32) {
	last := flags[at]
	for at++; flags[at]&format.FlagContinues != 0; at++ {
		last = flags[at]
	}
	for i, share := range r.w.Beside.After {
		if i == 0 && last&byte(analysis.MarkQuestion) != 0 {
			share *= r.w.Beside.Reply
		}
		for {
			r.addNear(at, n*share)
			if at++; at == len(flags) || flags[at]&format.FlagContinues == 0 {
				break
			}
		}
	}
}

func (r *ranking) addNear(at int, n float32) {
	r.near[at] += n
	r.beside[at>>6] |= 1 << (at & 63)
}

// addChunks adds a term to the scores of the chunks that hold it and of their neighbours.
// Occurrences in a chunk count together with those in the messages around it.
func (r *ranking) addChunks(weight float32) {
	r.spread()
	l := &r.v.lay
	average := max(float32(r.v.words)/float32(max(r.v.docs, 1)), 1)
	own, near, acc, around := r.own, r.near, r.acc, l.around
	share := r.w.Own
	floor, slope := r.w.K*(1-r.w.B), r.w.K*r.w.B/average
	weight *= r.w.K + 1
	best := r.most
	for i, word := range r.beside {
		r.beside[i] = 0
		for word |= r.held[i]; word != 0; word &= word - 1 {
			at := i<<6 + bits.TrailingZeros64(word)
			mine := own[at]
			n := mine + near[at]
			near[at] = 0
			norm := floor + slope*around[at]
			sum := acc[at] + weight*(n/(n+norm)+share*mine/(mine+norm))
			acc[at] = sum
			if sum > best && !l.refs[at].none() {
				best = sum
			}
		}
	}
	r.most = best
	for i, word := range r.held {
		if word != 0 {
			r.release(i, word)
		}
	}
}
