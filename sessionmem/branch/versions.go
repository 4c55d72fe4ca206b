package branch

import (
	"slices"
	"sort"

	"mac-stats/sessionmem/transcript"
)

// Returning to a version of a message. The transcript only ever grows, so what a rewind
// removed stays in it; a Note "version" makes its branch current again.

// leftBranch is the end of an abandoned branch. Its steps never change.
type leftBranch struct {
	behind      int64 // the block after which it branches off, -1 for none
	steps       []leftStep
	corrections int // how many there were by then: a Summary may contain what was corrected since
}

// leftStep is a step with the Summary or tool result it holds.
type leftStep struct {
	block   uint32
	summary *summaryAt
	tool    *toolAt
}

// cut leaves the branch at its i-th step.
func (f *Fold) cut(i int) {
	if i >= len(f.active) {
		return
	}
	l := leftBranch{behind: -1, corrections: f.corrections}
	if i > 0 {
		l.behind = int64(f.active[i-1].block)
	}
	for _, s := range f.active[i:] {
		l.steps = append(l.steps, leftStep{block: s.block})
	}
	for n := len(f.summaries); n > 0 && f.summaries[n-1].at >= i; n-- {
		s := f.summaries[n-1]
		l.steps[s.at-i].summary = &s
		f.summaries = f.summaries[:n-1]
	}
	for n := len(f.tools); n > 0 && f.tools[n-1].at >= i; n-- {
		t := f.tools[n-1]
		l.steps[t.at-i].tool = &t
		f.tools = f.tools[:n-1]
	}
	f.active = f.active[:i]
	f.left = append(f.left, l)
}

// leftAt returns the index of the abandoned branch with this block, -1 for none.
func (f *Fold) leftAt(block uint32) int {
	return slices.IndexFunc(f.left, func(l leftBranch) bool {
		_, on := slices.BinarySearchFunc(l.steps, block, func(s leftStep, n uint32) int { return int(s.block) - int(n) })
		return on
	})
}

// returnTo returns to the branch that holds a block, as it was when it was left. An ID on no
// abandoned branch changes nothing.
func (f *Fold) returnTo(x *Index, id string) {
	if n, ok := x.Find(x.Hash(id)); ok {
		f.restore(x, n)
	}
}

func (f *Fold) restore(x *Index, block uint32) {
	at := f.leftAt(block)
	if at < 0 {
		return
	}
	l := f.left[at]
	f.left = slices.Delete(slices.Clone(f.left), at, at+1)
	from := 0
	if l.behind >= 0 {
		behind := uint32(l.behind) //nolint:gosec // it was a uint32
		f.restore(x, behind)       // if it branches off another abandoned branch
		from = sort.Search(len(f.active), func(i int) bool { return f.active[i].block > behind })
	}
	f.cut(from)
	for _, s := range l.steps {
		f.reappend(x, s, l.corrections == f.corrections)
	}
}

// reappend appends a step to the branch again, a Summary only if it still holds.
func (f *Fold) reappend(x *Index, s leftStep, hold bool) {
	if f.gone[s.block] || s.summary != nil && !hold {
		return
	}
	at := len(f.active)
	f.active = append(f.active, step{s.block, uint32(f.Messages(x))}) //nolint:gosec // as many as blocks
	if s.summary != nil {
		summary := *s.summary
		summary.at, summary.counted = at, min(summary.counted, at+1)
		f.summaries = append(f.summaries, summary)
	}
	if s.tool != nil {
		tool := *s.tool
		tool.at = at
		f.tools = append(f.tools, tool)
	}
}

// correctLeft applies a correction to a block on an abandoned branch.
func (f *Fold) correctLeft(x *Index, n uint32, note transcript.Block) {
	block, ok := x.Find(x.Hash(note.Parent))
	if !ok || f.leftAt(block) < 0 {
		return
	}
	f.corrections++
	if note.Note == transcript.NoteEdited {
		f.setEdited(block, n)
		return
	}
	delete(f.edited, block)
	if f.gone == nil {
		f.gone = map[uint32]bool{}
	}
	f.gone[block] = true
}

// IsLeft reports whether a block is on an abandoned branch to which one can return.
func (f *Fold) IsLeft(x *Index, id string) bool {
	n, ok := x.Find(x.Hash(id))
	return ok && f.leftAt(n) >= 0
}
