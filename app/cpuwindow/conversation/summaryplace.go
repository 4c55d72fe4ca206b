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

// isRow reports whether an entry of a turn looks the same in a transcript read again.
func (e *entry) isRow() bool {
	return e.Kind == Head || e.Kind == Thinking || e.Kind == Call || e.Kind == Answer
}
