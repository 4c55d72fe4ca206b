package engine

import (
	"iter"
	"math"
	"slices"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/rank"
)

// layout places the passages of each strand one after the other, in order, so that the
// neighbours of a passage are adjacent to it wherever they are stored.
type layout struct {
	shares  shares
	strands map[strandKey]*stretch
	recent  strandKey // of the last position that was asked for
	found   *stretch  // its stretch; nil: look it up
	rooms   []room    // of the strands, in the order of their positions
	refs    []ref
	sources []uint32 // indexes into view.sources
	times   []int64
	words   []uint16
	around  []float32 // words of a chunk plus a share of its neighbours'
	parts   []uint8   // number of parts of its message, at most 255
	flags   []byte
	numbers []uint32
}

type strandKey struct {
	source int64
	strand uint8
}

// stretch is the range of positions of a strand. It ends with at least strandGap free
// positions, so that a passage's neighbours never belong to another strand.
type stretch struct {
	base, size uint32
	room       int // index into layout.rooms
}

// room is a stretch with the index of its source. It is empty once its strand has moved.
type room struct{ base, size, source uint32 }

// strandGap is how far the neighbourhood of a passage reaches.
const strandGap = rank.Reach

// ref identifies a passage by its part and its number there.
type ref struct{ part, doc uint32 }

// none reports whether there is no passage: parts are numbered from 1.
func (r ref) none() bool { return r.part == 0 }

// reserve makes room for n passages of a strand; place is the index of its source.
func (l *layout) reserve(key strandKey, place, n uint32) *stretch {
	if len(l.refs) == 0 {
		l.grow(strandGap) // the first one has neighbours before it too
	}
	s := &stretch{base: uint32(len(l.refs)), size: n + strandGap, room: len(l.rooms)} //nolint:gosec // room for thousands of millions of chunks
	l.rooms = append(l.rooms, room{s.base, s.size, place})
	l.strands[key], l.found = s, nil
	l.grow(int(s.size))
	return s
}

// preallocate allocates room for n more positions.
func (l *layout) preallocate(n int) {
	l.refs, l.sources, l.times = slices.Grow(l.refs, n), slices.Grow(l.sources, n), slices.Grow(l.times, n)
	l.words, l.around, l.parts = slices.Grow(l.words, n), slices.Grow(l.around, n), slices.Grow(l.parts, n)
	l.flags, l.numbers = slices.Grow(l.flags, n), slices.Grow(l.numbers, n)
}

func (l *layout) grow(n int) {
	l.refs = append(l.refs, make([]ref, n)...)
	l.sources = append(l.sources, make([]uint32, n)...)
	l.times = append(l.times, make([]int64, n)...)
	l.words = append(l.words, make([]uint16, n)...)
	l.around = append(l.around, make([]float32, n)...)
	l.parts = append(l.parts, make([]uint8, n)...)
	l.flags = append(l.flags, make([]byte, n)...)
	l.numbers = append(l.numbers, make([]uint32, n)...)
}

// position returns the position of a passage. A full strand moves to a larger room.
func (v *view) position(key strandKey, place, seq uint32) uint32 {
	l := &v.lay
	s := l.found
	if s == nil || l.recent != key {
		s = l.strands[key]
	}
	if s == nil {
		s = l.reserve(key, place, seq+1+strandRoom)
	}
	if seq+strandGap >= s.size {
		old := *s
		l.rooms[old.room].size = 0
		s = l.reserve(key, place, max(2*old.size, seq+1+strandRoom))
		v.move(old, *s)
	}
	l.recent, l.found = key, s
	return s.base + seq
}

// strandRoom is how many more passages a new strand has room for.
const strandRoom = 6

// move moves the passages of a strand. The values of around at the free positions after it
// partly belong to the next strand and stay.
func (v *view) move(from, to stretch) {
	l := &v.lay
	for i := range from.size {
		a, b := from.base+i, to.base+i
		if l.refs[a].none() {
			continue
		}
		l.addAround(a, -1)
		l.refs[b], l.sources[b], l.times[b] = l.refs[a], l.sources[a], l.times[a]
		l.words[b], l.flags[b], l.numbers[b], l.parts[b] = l.words[a], l.flags[a], l.numbers[a], l.parts[a]
		l.addAround(b, 1)
		l.refs[a] = ref{}
		v.parts[l.refs[b].part-1].positions[l.refs[b].doc] = b
	}
}

// addAround adds the words of a chunk to around at its own position, and the beginning of a
// message to around at its neighbours', times times (-1 removes them). The shares roughly
// match those by which a neighbour's words count in scoring.
func (l *layout) addAround(at uint32, times float32) {
	w := &l.shares
	words := float32(l.words[at])
	l.around[at] += times * words / w.sum
	if l.flags[at]&format.FlagContinues != 0 {
		return
	}
	words = times * min(words, w.beginning) / w.sum
	for i := range uint32(strandGap) {
		if next := at + i + 1; int(next) < len(l.around) {
			l.around[next] += w.after[i] * words
		}
		if i < at {
			l.around[at-i-1] += w.before[i] * words
		}
	}
}

// message returns the positions of the parts of a message, given that of one part.
func (l *layout) message(at uint32) (first, end uint32) {
	first, end = at, at+1
	for first > 0 && l.flags[first]&format.FlagContinues != 0 {
		first--
	}
	for int(end) < len(l.flags) && l.flags[end]&format.FlagContinues != 0 {
		end++
	}
	return first, end
}

// countParts stores the number of parts of the message at a position.
func (l *layout) countParts(at uint32) {
	first, end := l.message(at)
	n := uint8(min(end-first, math.MaxUint8)) //nolint:gosec // cut
	for i := first; i < end; i++ {
		l.parts[i] = n
	}
}

// shares holds how much of a chunk's words counts for its neighbours.
type shares struct {
	after, before [strandGap]float32
	beginning     float32
	sum           float32
}

func newShares() shares {
	w := rank.Default()
	s := shares{after: w.Beside.After, before: w.Beside.Before, beginning: w.Beside.Beginning, sum: 1}
	for i := range strandGap {
		s.sum += s.after[i] + s.before[i]
	}
	return s
}

// numbered yields the positions and numbers of passages from allowed sources; nil allows
// all.
func (l *layout) numbered(allowed []bool) iter.Seq2[uint32, uint32] {
	return func(yield func(at, number uint32) bool) {
		for at, r := range l.refs {
			if r.none() || allowed != nil && !allowed[l.sources[at]] {
				continue
			}
			if !yield(uint32(at), l.numbers[at]) { //nolint:gosec // positions are 32 bits
				return
			}
		}
	}
}
