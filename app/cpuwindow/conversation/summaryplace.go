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
	rows  int        // of what the transcript holds
	notes []liveNote // of the memory: to be undone or decided
}

// liveNote is such a note, and how many rows of the turn stand before it.
type liveNote struct {
	*entry
	after int
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
			turn.notes = append(turn.notes, liveNote{e, turn.rows})
		case e.isRow():
			turn.rows++
		}
	}
	delete(out, "")
	return out
}

// isRow reports whether an entry of a turn looks the same in a transcript read again.
func (e *entry) isRow() bool {
	return e.Kind == Head || e.Kind == Thinking || e.Kind == Call || e.Kind == Answer
}

// restoreLive puts it back where it stood. The lock must be held.
func (c *Conversation) restoreLive(turns map[string]*liveTurn) {
	entries := make([]*entry, 0, len(c.entries))
	turn := &liveTurn{}
	put := func(all bool) {
		for len(turn.notes) > 0 && (all || turn.notes[0].after <= turn.rows) {
			entries = append(entries, turn.notes[0].entry)
			turn.notes = turn.notes[1:]
		}
	}
	for _, e := range c.entries {
		switch {
		case e.Kind == User:
			put(true)
			turn = &liveTurn{}
			if t := turns[e.Block]; t != nil {
				turn = &liveTurn{notes: t.notes}
			}
		case e.isRow():
			put(false)
			turn.rows++
		}
		entries = append(entries, e)
	}
	put(true)
	c.entries = entries
}
