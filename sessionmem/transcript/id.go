package transcript

import (
	"crypto/rand"
	"encoding/base32"
	"hash/maphash"
	"strings"
)

// RandomID returns n random lower-case letters and digits.
func RandomID(n int) string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:n]
}

// IDs assigns IDs to the blocks of a session, in their order.
type IDs struct {
	seed   maphash.Seed
	seen   map[uint64]struct{} // hashes of ids: a session may be of any length
	copies Copies
}

// NewIDs returns an IDs that has seen no block.
func NewIDs() *IDs {
	return &IDs{seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, copies: Copies{}}
}

// Identify sets the ID of the next block and reports whether it is derived from the block's
// text, because the file has none or one that is taken.
func (ids *IDs) Identify(b *Block, derive func() string) (derived bool) {
	taken := func(id string) bool { _, ok := ids.seen[maphash.String(ids.seed, id)]; return ok }
	derived = ids.copies.Identify(b, derive, taken) > 0
	ids.seen[maphash.String(ids.seed, b.ID)] = struct{}{}
	return derived
}
