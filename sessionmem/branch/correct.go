package branch

import (
	"slices"

	"mac-stats/sessionmem/transcript"
)

// When people edit or delete a message where they wrote it (on Discord), a Note "edited" or
// "deleted" is appended that names the block. The transcript only ever grows: a note costs one
// append however long the session is, survives a crash, and keeps the record of what was said.
// An attribute would mean rewriting the file, which only forgetting does. Contexts, Summaries,
// forks and searches use what stands after the notes.

// correct applies a Note, which has the number n, that a block of the branch was edited or
// deleted. A Summary that covers the block leaves the context: it contains the old text.
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
			f.remove(x, s.at) // searches don't find it any more either
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
