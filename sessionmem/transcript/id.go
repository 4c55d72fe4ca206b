package transcript

import (
	"crypto/rand"
	"encoding/base32"
	"hash/maphash"
	"strings"
)

// RandomID gives n characters of lower-case letters and digits.
func RandomID(n int) string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:n]
}

// IDs gives the blocks of a session, in their order, the ids they are known by.
type IDs struct {
	seed   maphash.Seed
	seen   map[uint64]struct{} // hashes of ids: a session may be of any length
	copies Copies
}

// NewIDs is IDs that has seen no block.
func NewIDs() *IDs {
	return &IDs{seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, copies: Copies{}}
}

// Identify gives the next block its id, and reports whether that is derived from its text:
// the file gives none, or one that is taken.
func (ids *IDs) Identify(b *Block, derive func() string) (derived bool) {
	taken := func(id string) bool { _, ok := ids.seen[maphash.String(ids.seed, id)]; return ok }
	derived = ids.copies.Identify(b, derive, taken) > 0
	ids.seen[maphash.String(ids.seed, b.ID)] = struct{}{}
	return derived
}
