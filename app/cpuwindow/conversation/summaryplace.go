package conversation

import (
	"slices"

	"mac-stats/sessionmem/transcript"
)

// placeSummary moves a branch's newest Summary behind the last block that is summarised and
// drops earlier ones. It includes them, and with them what they reached: an earlier one may
// reach further, because the next one keeps the newest messages word for word. at is its index, or -1 if no Summary is in effect;
// count is the number of messages it stands for.
func placeSummary(branch []transcript.Block) (blocks []transcript.Block, at, count int) {
	newest, begin := newestSummary(branch)
	if newest < 0 {
		return branch, -1, 0
	}
	behind := begin
	for i, b := range branch[begin : newest+1] {
		if b.Kind == transcript.KindSummary {
			behind = max(behind, begin+reach(branch[begin:begin+i+1]))
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

// reach returns the index of the last block that the Summary at the end of blocks summarises:
// its own, if that block is gone.
func reach(blocks []transcript.Block) int {
	last := len(blocks) - 1
	if i := slices.IndexFunc(blocks[:last], func(b transcript.Block) bool { return b.ID == blocks[last].Through }); i >= 0 {
		return i
	}
	return last
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

// liveTurn holds what the window knows about a turn that no transcript holds.
type liveTurn struct {
	rows  int        // rows of the turn that the transcript holds
	notes []liveNote // about the memory: to undo or decide
}

// liveNote is such a note, and the number of the turn's rows before it.
type liveNote struct {
	*entry
	after int
}

// isRow reports whether an entry looks the same when its transcript is read again.
func (e *entry) isRow() bool {
	return e.Kind == Head || e.Kind == Thinking || e.Kind == Call || e.Kind == Answer
}
