package session

import (
	"slices"

	"mac-stats/sessionmem/transcript"
)

// PlaceSummary moves a branch's newest Summary behind the last block it summarises and drops
// earlier ones, which it includes, and those that keep all messages word for word. at is its
// index, or -1 if no Summary is in effect; count is the number of messages it stands for.
// PlaceSummary changes the branch.
func PlaceSummary(branch []transcript.Block) (blocks []transcript.Block, at, count int) {
	branch = slices.DeleteFunc(branch, coversNothing)
	newest, begin := newestSummary(branch)
	if newest < 0 {
		return branch, -1, 0
	}
	behind := newest // where it was written, if the last block it summarises is gone
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

// coversNothing reports whether a block is a Summary that replaces no message: it was written
// for its lessons, while all messages still fit.
func coversNothing(b transcript.Block) bool {
	return b.Kind == transcript.KindSummary && CoversNothing(&b)
}

// newestSummary returns the index of the Summary in effect, or -1, and the index behind the
// last reset.
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
