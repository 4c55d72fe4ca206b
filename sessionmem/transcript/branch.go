package transcript

import "strings"

// Branch gives the blocks of the branch that the conversation is on: without
// those that a rewind took out of it or their author deleted, with the text of those
// that were edited, and without the notes of all that. Unlike
// a Context it holds all kinds of blocks and goes back beyond resets.
func (t *Transcript) Branch() []Block {
	out := make([]Block, 0, len(t.Blocks))
	barrier := 0 // a rewind does not cross a reset
	for _, b := range t.Blocks {
		if b.Kind != KindNote || b.Note != NoteRewind {
			out = append(out, b)
			if b.Kind == KindNote && b.Note == NoteEnded {
				barrier = len(out)
			}
			continue
		}
		for i := len(out) - 1; i >= barrier; i-- {
			if out[i].ID == RewindTarget(b) && out[i].Kind != KindNote {
				out = withoutWork(out[:i])
				break
			}
		}
	}
	return corrected(out, t.Blocks) // a rewind takes no correction back
}

// withoutWork takes the sub-calls and tools at the end along with the answer they
// were for.
func withoutWork(blocks []Block) []Block {
	for len(blocks) > 0 && (blocks[len(blocks)-1].Kind == KindAgent || blocks[len(blocks)-1].Kind == KindTool) {
		blocks = blocks[:len(blocks)-1]
	}
	return blocks
}

// RewindTarget is the block id that a Note rewind names.
func RewindTarget(b Block) string {
	if id := strings.TrimSpace(b.Text); id != "" {
		return id
	}
	return b.Parent
}
