package branch

import (
	"slices"

	"mac-stats/sessionmem/transcript"
)

// What people edit or delete where they wrote it (on Discord) is noted behind it: a Note
// "edited" or "deleted" names the block. The transcript only ever grows, so a note costs
// one append, whatever the length of the session, holds after a crash, and keeps the record
// of what was said; an attribute would mean writing the file anew, which forgetting alone
// does. A context, a Summary, a fork and a search are made of what stands after the notes.

// correct follows a Note, which has the number n, that a block of the branch was edited or
// deleted. A Summary that covers the block leaves the context: it tells the old text.
func (f *Fold) correct(x *Index, n uint32, note transcript.Block) {
	i := f.At(x, x.Hash(note.Parent))
	if i < 0 {
		f.correctLeft(x, n, note)
		return
	}
	f.corrections++
	for k := len(f.summaries) - 1; k >= 0; k-- {
		s := f.summaries[k]
		if through := f.At(x, s.through); s.at > i && !s.none && (through < 0 || through >= i) {
			f.summaries = slices.Delete(f.summaries, k, k+1)
			f.remove(x, s.at) // a search finds it no more either
		}
	}
	block := f.active[i].block
	if note.Note == transcript.NoteEdited {
		f.setEdited(block, n)
		return
	}
	delete(f.edited, block)
	f.remove(x, i)
}

func (f *Fold) setEdited(block, note uint32) {
	if f.edited == nil {
		f.edited = map[uint32]uint32{}
	}
	f.edited[block] = note
}
