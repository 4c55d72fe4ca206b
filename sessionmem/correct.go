package sessionmem

import (
	"context"
	"slices"

	"mac-stats/sessionmem/transcript"
)

// What people edit or delete where they wrote it (on Discord) is noted behind it: a Note
// "edited" or "deleted" names the block. The transcript only ever grows, so a note costs
// one append, whatever the length of the session, holds after a crash, and keeps the record
// of what was said; an attribute would mean writing the file anew, which forgetting alone
// does. A context, a Summary, a fork and a search are made of what stands after the notes.

// Correct appends Notes of the kinds NoteEdited and NoteDeleted to a session.
func (s *Store) Correct(ctx context.Context, name string, notes ...transcript.Block) error {
	for i := range notes {
		notes[i].Kind = transcript.KindNote
	}
	_, err := s.AppendAll(ctx, name, notes...)
	return err
}

// correct follows a Note, which has the number n, that a block of the branch was edited or
// deleted. A Summary that covers the block leaves the context: it tells the old text.
func (f *fold) correct(x *index, n uint32, note transcript.Block) {
	i := f.at(x, x.hash(note.Parent))
	if i < 0 {
		f.correctLeft(x, n, note)
		return
	}
	f.corrections++
	for k := len(f.summaries) - 1; k >= 0; k-- {
		s := f.summaries[k]
		if through := f.at(x, s.through); s.at > i && !s.none && (through < 0 || through >= i) {
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

func (f *fold) setEdited(block, note uint32) {
	if f.edited == nil {
		f.edited = map[uint32]uint32{}
	}
	f.edited[block] = note
}

// remove takes one step out of the branch.
func (f *fold) remove(x *index, i int) {
	message := x.blocks[f.active[i].block].isMessage()
	f.active = slices.Delete(f.active, i, i+1)
	if message {
		for k := i; k < len(f.active); k++ {
			f.active[k].before--
		}
	}
	back := func(at *int) {
		if *at > i {
			*at--
		}
	}
	for k := range f.summaries {
		back(&f.summaries[k].at)
		back(&f.summaries[k].counted)
	}
	f.tools = slices.DeleteFunc(f.tools, func(t toolAt) bool { return t.at == i })
	for k := range f.tools {
		back(&f.tools[k].at)
	}
}

// message gives a block of the branch as it reads now.
func (r *blockSource) message(f *fold, n uint32) (transcript.Block, error) {
	b, err := r.block(n)
	if note, ok := f.edited[n]; ok && err == nil {
		var edit transcript.Block
		edit, err = r.block(note)
		b.Text = edit.Text
	}
	return b, err
}
