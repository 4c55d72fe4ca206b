package branch

import (
	"hash/maphash"

	"mac-stats/sessionmem/transcript"
)

// Index knows every block of a transcript by its place and by a hash of its id,
// about 30 bytes a block, so that a session of any length fits in memory. The ids
// are hashed with 64 bits and a seed of this process: two of ten million blocks
// share a hash with a probability of 3 in a million, and one of them then gets an
// id derived from its text.
type Index struct {
	seed   maphash.Seed
	blocks []place
	slots  []uint32       // block number + 1 by hash, open addressing; a power of two
	number map[uint32]int // of the blocks whose derived id is one of several alike
	copies transcript.Copies
}

// place is where a block is and what kind it has.
type place struct {
	id uint64 // hash
	at uint64 // offset in the file, derivedBit, kind number
}

const (
	placeShift = 8    // of the offset in place.at
	derivedBit = 0x80 // the file gives no id, or one that is taken
)

func newPlace(id uint64, offset int64, kind transcript.Kind, derived bool) place {
	at := uint64(offset) << placeShift
	for i, n := range transcript.KindNames {
		if n.Kind == kind {
			at |= uint64(i)
		}
	}
	if derived {
		at |= derivedBit
	}
	return place{id, at}
}

func (p place) offset() int64         { return int64(p.at >> placeShift) } //nolint:gosec // 56 bits
func (p place) derived() bool         { return p.at&derivedBit != 0 }
func (p place) kind() transcript.Kind { return transcript.KindNames[p.at&(derivedBit-1)].Kind }
func (p place) isMessage() bool {
	k := p.kind()
	return k == transcript.KindUser || k == transcript.KindAssistant
}

// NewIndex is an Index of no blocks.
func NewIndex(seed maphash.Seed) Index { return Index{seed: seed, copies: transcript.Copies{}} }

// Reset forgets all blocks.
func (x *Index) Reset() { *x = NewIndex(x.seed) }

// Hash is what an id is known by.
func (x *Index) Hash(id string) uint64 { return maphash.String(x.seed, id) }

// Has says whether a block of this id is there.
func (x *Index) Has(id string) bool {
	_, ok := x.Find(x.Hash(id))
	return ok
}

// Find gives the number of the block with this hash of its id.
func (x *Index) Find(hash uint64) (n uint32, ok bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(x.slots) - 1)
	for i := hash & mask; x.slots[i] != 0; i = (i + 1) & mask {
		if n := x.slots[i] - 1; x.blocks[n].id == hash {
			return n, true
		}
	}
	return 0, false
}

// Add adds the next block, which stands at an offset of the file. number says how
// its id came about, see Identify.
func (x *Index) Add(b transcript.Block, offset int64, number int) uint32 {
	n := uint32(len(x.blocks)) //nolint:gosec // four thousand million blocks
	x.blocks = append(x.blocks, newPlace(x.Hash(b.ID), offset, b.Kind, number > 0))
	if number > 1 {
		if x.number == nil {
			x.number = map[uint32]int{}
		}
		x.number[n] = number
	}
	if 4*len(x.blocks) > 3*len(x.slots) {
		x.grow()
	} else {
		x.put(n)
	}
	return n
}

// Truncate forgets the blocks from the n-th on.
func (x *Index) Truncate(n uint32) {
	for i := int(n); i < len(x.blocks); i++ {
		delete(x.number, uint32(i)) //nolint:gosec // see Add
	}
	x.blocks = x.blocks[:n]
	x.rebuild(len(x.slots))
}

func (x *Index) grow() { x.rebuild(max(16, 2*len(x.slots))) }

func (x *Index) rebuild(slots int) {
	x.slots = make([]uint32, slots)
	for n := range x.blocks {
		x.put(uint32(n)) //nolint:gosec // see Add
	}
}

func (x *Index) put(n uint32) {
	mask := uint64(len(x.slots) - 1)
	i := x.blocks[n].id & mask
	for x.slots[i] != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = n + 1
}

// End is where a block ends, in a file of that size.
func (x *Index) End(n uint32, size int64) int64 {
	if int(n)+1 < len(x.blocks) {
		return x.blocks[n+1].offset()
	}
	return size
}

// Len is how many blocks there are.
func (x *Index) Len() int { return len(x.blocks) }

// ID is the hash of a block's id.
func (x *Index) ID(n uint32) uint64 { return x.blocks[n].id }

// Offset is where a block begins, as Add was told.
func (x *Index) Offset(n uint32) int64 { return x.blocks[n].offset() }

// IsDerived reports whether the file gives a block no id, or one that is taken.
func (x *Index) IsDerived(n uint32) bool { return x.blocks[n].derived() }

// IsMessage reports whether a block is a message.
func (x *Index) IsMessage(n uint32) bool { return x.blocks[n].isMessage() }

// DerivedID is the id of a block whose file gives none, by what its text alone makes.
func (x *Index) DerivedID(n uint32, base string) string {
	return transcript.NumberedID(base, x.number[n])
}

// Identify gives the next block its id. number says how it came about, see Add.
func (x *Index) Identify(b *transcript.Block, derive func() string) (number int) {
	return x.copies.Identify(b, derive, x.Has)
}

// Hasher is Hash for those who don't hold the session's lock.
func (x *Index) Hasher() func(id string) uint64 {
	seed := x.seed
	return func(id string) uint64 { return maphash.String(seed, id) }
}
