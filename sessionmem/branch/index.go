package branch

import (
	"hash/maphash"

	"mac-stats/sessionmem/transcript"
)

// Index holds the position of every block of a transcript and a hash of its ID, about 30 bytes
// a block, so that a session of any length fits in memory. The IDs are hashed to 64 bits with
// a seed of this process: among ten million blocks two share a hash with a probability of 3 in
// a million, and then one of them gets an ID derived from its text.
type Index struct {
	seed   maphash.Seed
	blocks []place
	slots  []uint32       // block number + 1 by hash, open addressing; a power of two
	number map[uint32]int // for blocks whose derived ID several blocks share
	copies transcript.Copies
}

// place is a block's position and kind.
type place struct {
	id uint64 // hash
	at uint64 // offset in the file, derivedBit, kind number
}

const (
	placeShift = 8    // of the offset in place.at
	derivedBit = 0x80 // the file has no ID, or one that is taken
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

// NewIndex returns an Index without blocks.
func NewIndex(seed maphash.Seed) Index { return Index{seed: seed, copies: transcript.Copies{}} }

// Reset forgets all blocks.
func (x *Index) Reset() { *x = NewIndex(x.seed) }

// Hash returns the hash by which an ID is stored.
func (x *Index) Hash(id string) uint64 { return maphash.String(x.seed, id) }

// Has reports whether a block of this ID exists.
func (x *Index) Has(id string) bool {
	_, ok := x.Find(x.Hash(id))
	return ok
}

// Find returns the number of the block whose ID has this hash.
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

// Add adds the next block, at an offset of the file. number says how its ID was assigned, see
// Identify.
func (x *Index) Add(b transcript.Block, offset int64, number int) uint32 {
	n := uint32(len(x.blocks)) //nolint:gosec // at most four billion blocks
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

// End returns where a block ends in a file of that size.
func (x *Index) End(n uint32, size int64) int64 {
	if int(n)+1 < len(x.blocks) {
		return x.blocks[n+1].offset()
	}
	return size
}

// Len returns the number of blocks.
func (x *Index) Len() int { return len(x.blocks) }

// ID returns the hash of a block's ID.
func (x *Index) ID(n uint32) uint64 { return x.blocks[n].id }

// Offset returns where a block begins, as passed to Add.
func (x *Index) Offset(n uint32) int64 { return x.blocks[n].offset() }

// IsDerived reports whether the file has no ID for a block, or one that is taken.
func (x *Index) IsDerived(n uint32) bool { return x.blocks[n].derived() }

// IsMessage reports whether a block is a message.
func (x *Index) IsMessage(n uint32) bool { return x.blocks[n].isMessage() }

// DerivedID returns the ID of a block without one in the file, from the ID made of its text alone.
func (x *Index) DerivedID(n uint32, base string) string {
	return transcript.NumberedID(base, x.number[n])
}

// Identify assigns the next block its ID. number says how, see Add.
func (x *Index) Identify(b *transcript.Block, derive func() string) (number int) {
	return x.copies.Identify(b, derive, x.Has)
}

// Hasher returns Hash for callers that don't hold the session's lock.
func (x *Index) Hasher() func(id string) uint64 {
	seed := x.seed
	return func(id string) uint64 { return maphash.String(seed, id) }
}
