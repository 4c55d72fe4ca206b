package session

import (
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/transcript"
)

// known is what is known of a session's blocks: where each is, what is context of them, and
// the texts of those. Who uses it holds the session's lock.
type known struct {
	index branch.Index
	fold  branch.Fold
	texts heldTexts
}

// reset leaves nothing known.
func (k *known) reset() {
	k.index.Reset()
	k.fold, k.texts = branch.Fold{}, heldTexts{}
}

// follow takes a block that was read or written into the index and the context.
// words is the sum of what a message says.
func (k *known) follow(b transcript.Block, words uint32, offset int64, number int) uint32 {
	n := k.index.Add(b, offset, number)
	k.fold.Add(&k.index, n, b, words)
	return n
}

func (k *known) taken(id string) bool { return k.index.Has(id) }

// isLast says whether the session ends with the block of this hash; 0: it is empty.
func (k *known) isLast(id uint64) bool {
	n := k.index.Len()
	return n == 0 && id == 0 || n > 0 && k.index.ID(uint32(n-1)) == id //nolint:gosec // see branch.Index.Add
}

// complete gives a block what Append promises: normalized, with time and ID.
func (k *known) complete(b transcript.Block, now time.Time) transcript.Block {
	if b.Time.IsZero() {
		b.Time = now
	}
	if b.ID == "" {
		for b.ID = transcript.RandomID(8); k.taken(b.ID); {
			b.ID = transcript.RandomID(8)
		}
	}
	return b.Normalized()
}

// holds reports whether a Summary of the snapshot is still one of this
// conversation: the same Summary before it, and the last block it covers there.
// Where something was forgotten since, it may tell of that.
func (k *known) holds(snap Snapshot, through string, forgot bool) bool {
	f, x := &k.fold, &k.index
	at, _ := f.LastSummary(x)
	switch {
	case forgot, f.Corrections() != snap.corrections, !f.StillTold(snap.told): // it may tell what was deleted
		return false
	case at < 0 && snap.Previous != nil, at >= 0 && (snap.Previous == nil || x.Hash(snap.Previous.ID) != x.ID(f.Block(at))):
		return false
	case through == branch.ThroughNone:
		return len(snap.Messages) > 0 && f.Has(x, snap.Messages[0].ID)
	case snap.Previous != nil && through == snap.Previous.Through:
		return true
	}
	return f.Has(x, through)
}
