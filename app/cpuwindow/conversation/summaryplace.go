package conversation

import (
	"mac-stats/sessionmem/transcript"
)

// placeSummary moves a branch's newest Summary to where it stands for what came
// before: behind the last block it goes through. Earlier ones are part of it and
// left out. at is its place, -1 where there is none that still counts; count is how
// many messages it stands for.
func placeSummary(branch []transcript.Block) (blocks []transcript.Block, at, count int) {
	newest, begin := newestSummary(branch)
	if newest < 0 {
		return branch, -1, 0
	}
	behind := newest // where it was written, if the block it goes through is gone
	for i, b := range branch[begin:newest] {
		if b.ID == branch[newest].Through {
			behind = begin + i
		}
	}
	for i, b := range branch {
		if b.Kind != transcript.KindSummary || i < begin {
			blocks = append(blocks, b)
		}
		if i == behind {
			at = len(blocks)
			blocks = append(blocks, branch[newest])
		}
	}
	for _, b := range blocks[begin:at] {
		if b.IsMessage() {
			count++
		}
	}
	return blocks, at, count
}

// newestSummary is the place of the Summary that counts, -1 for none, and where what
// counts begins: behind the last reset.
func newestSummary(branch []transcript.Block) (newest, begin int) {
	newest = -1
	for i, b := range branch {
		switch {
		case b.Kind == transcript.KindSummary:
			newest = i
		case b.Kind == transcript.KindNote && b.Note == transcript.NoteEnded:
			newest, begin = -1, i+1
		}
	}
	return newest, begin
}

// addFrom builds the blocks of a range; the Summary stands in front of it where its
// place is further up.
func (c *Conversation) addFrom(blocks []transcript.Block, from, to, summary int) {
	if summary >= 0 && summary < from {
		c.addBlocks(blocks[summary : summary+1])
	}
	c.addBlocks(blocks[from:to])
}

// liveTurn is what the window knows of a turn that no transcript holds.
type liveTurn struct {
	notes []*entry // of the memory: to be undone or decided
}

// live gathers that by the user's message, before the transcript is read again. The
// lock must be held.
func (c *Conversation) live() map[string]*liveTurn {
	out := map[string]*liveTurn{}
	turn := &liveTurn{}
	for _, e := range c.entries {
		switch {
		case e.Kind == User:
			turn = &liveTurn{}
			out[e.Block] = turn
		case e.memory:
			turn.notes = append(turn.notes, e)
		}
	}
	delete(out, "")
	return out
}

// restoreLive puts it back. The lock must be held.
func (c *Conversation) restoreLive(turns map[string]*liveTurn) {
	entries := make([]*entry, 0, len(c.entries))
	turn := &liveTurn{}
	for _, e := range c.entries {
		if e.Kind == User {
			entries = append(entries, turn.notes...)
			turn = &liveTurn{}
			if t := turns[e.Block]; t != nil {
				turn = t
			}
		}
		entries = append(entries, e)
	}
	c.entries = append(entries, turn.notes...)
}
