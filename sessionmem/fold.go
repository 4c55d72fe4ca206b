package sessionmem

import "strings"

// fold follows a session block by block and keeps what its context is made of:
// the blocks of the current branch since the last reset. It is the one place for
// these rules, whether a transcript is read or a running session goes on.
type fold struct {
	active   []Block // without notes
	settings SessionSettings
	titled   bool // somebody gave the session a title
}

// add follows one more block.
func (f *fold) add(b Block) {
	if b.Kind != KindNote {
		if !b.IsMessage() && b.Kind != KindSummary {
			b = Block{ID: b.ID, Kind: b.Kind, Agent: b.Agent} // what it says is never context
		}
		f.active = append(f.active, b)
		return
	}
	switch b.Note {
	case NoteEnded:
		f.active = nil
	case NoteRewind:
		f.rewind(rewindTarget(b))
	case NoteSettings:
		f.settings = parseSettings(b.Text)
	case NoteTitle:
		f.titled = true
	}
}

// rewind takes the blocks from id on out of the context. An id that isn't in it
// (deleted by hand, or before a reset) changes nothing.
func (f *fold) rewind(id string) {
	for i := len(f.active) - 1; i >= 0; i-- {
		if f.active[i].ID == id {
			f.active = f.active[:i:i]
			return
		}
	}
}

// Branch gives the blocks of the branch that the conversation is on: without
// those that a rewind took out of it, and without the rewinds themselves. Unlike
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
			if out[i].ID == rewindTarget(b) && out[i].Kind != KindNote {
				out = withoutWork(out[:i])
				break
			}
		}
	}
	return out
}

// withoutWork takes the sub-calls and tools at the end along with the answer they
// were for.
func withoutWork(blocks []Block) []Block {
	for len(blocks) > 0 && (blocks[len(blocks)-1].Kind == KindAgent || blocks[len(blocks)-1].Kind == KindTool) {
		blocks = blocks[:len(blocks)-1]
	}
	return blocks
}

// rewindTarget is the block id that a Note rewind names.
func rewindTarget(b Block) string {
	if id := strings.TrimSpace(b.Text); id != "" {
		return id
	}
	return b.Parent
}

// context gives the last Summary and the messages after the block it goes
// through (those that stand before the Summary but after that block were kept on
// purpose). Where that block is gone, the messages after the Summary.
func (f *fold) context() Context {
	ctx := Context{Settings: f.settings, Titled: f.titled}
	at, from := f.lastSummary()
	if at >= 0 {
		summary := f.active[at]
		ctx.Summary = &summary
	}
	ctx.Messages = make([]Block, 0, len(f.active)-from)
	for i, b := range f.active {
		if !b.IsMessage() {
			continue
		}
		ctx.Total++
		if i >= from {
			ctx.Messages = append(ctx.Messages, b)
		}
	}
	return ctx
}

// lastSummary finds the last Summary (-1 where there is none) and the first block
// that is context beside it.
func (f *fold) lastSummary() (at, from int) {
	at = len(f.active) - 1
	for at >= 0 && f.active[at].Kind != KindSummary {
		at--
	}
	if at < 0 || f.active[at].Through == throughNone {
		return at, 0
	}
	for i := range at {
		if f.active[i].ID == f.active[at].Through {
			return at, i + 1
		}
	}
	return at, at + 1
}
