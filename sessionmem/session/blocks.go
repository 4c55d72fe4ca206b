package session

import (
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/transcript"
)

// known holds what is known of a session's blocks: their positions, which are context, and the
// texts of those. The caller of its methods holds the session's lock.
type known struct {
	index branch.Index
	fold  branch.Fold
	texts heldTexts
}

// reset forgets everything.
func (k *known) reset() {
	k.index.Reset()
	k.fold, k.texts = branch.Fold{}, heldTexts{}
}

// follow adds a block that was read or written to the index and the context. words is the
// checksum of a message's text.
func (k *known) follow(b transcript.Block, words uint32, offset int64, number int) uint32 {
	n := k.index.Add(b, offset, number)
	k.fold.Add(&k.index, n, b, words)
	return n
}

func (k *known) taken(id string) bool { return k.index.Has(id) }

// isLast reports whether the session ends with the block of this hash; 0 means it is empty.
func (k *known) isLast(id uint64) bool {
	n := k.index.Len()
	return n == 0 && id == 0 || n > 0 && k.index.ID(uint32(n-1)) == id //nolint:gosec // see branch.Index.Add
}

// complete returns a block as Append promises it: normalised, with time and ID.
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

// summaryFits reports whether a Summary of the snapshot still fits the conversation: the same
// Summary comes before it, and the last block it covers is there. forgot says that something
// was forgotten since, so the Summary may contain it.
func (k *known) summaryFits(snap Snapshot, through string, forgot bool) bool {
	f, x := &k.fold, &k.index
	at, _ := f.LastSummary(x)
	switch {
	case forgot, f.Corrections() != snap.corrections, !f.Unchanged(snap.fingerprint): // it may contain what was deleted
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
