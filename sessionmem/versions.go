package sessionmem

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"mac-stats/sessionmem/transcript"
)

// Going back to a version of a message. The transcript only ever grows, so what a rewind
// took out stays in it; a Note "version" makes its branch the one again.

// leftBranch is the end of a branch that was left. Its steps are not changed again.
type leftBranch struct {
	behind      int64 // the block it branches off behind, -1 for none
	steps       []leftStep
	corrections int // there were until then: a Summary may tell what was corrected since
}

// leftStep is a step with what the fold knows of it.
type leftStep struct {
	block   uint32
	summary *summaryAt
	tool    *toolAt
}

// cut leaves the branch from its i-th step on.
func (f *fold) cut(i int) {
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

// leftAt is the branch that was left with a block on it, -1 for none.
func (f *fold) leftAt(block uint32) int {
	return slices.IndexFunc(f.left, func(l leftBranch) bool {
		_, on := slices.BinarySearchFunc(l.steps, block, func(s leftStep, n uint32) int { return int(s.block) - int(n) })
		return on
	})
}

// goBack takes up the branch again that a block is on, as it was when it was left. An id
// that is on none changes nothing.
func (f *fold) goBack(x *index, id string) {
	if n, ok := x.find(x.hash(id)); ok {
		f.takeUp(x, n)
	}
}

func (f *fold) takeUp(x *index, block uint32) {
	at := f.leftAt(block)
	if at < 0 {
		return
	}
	l := f.left[at]
	f.left = slices.Delete(slices.Clone(f.left), at, at+1)
	from := 0
	if l.behind >= 0 {
		behind := uint32(l.behind) //nolint:gosec // it was one
		f.takeUp(x, behind)        // where it branches off another one that was left
		from = sort.Search(len(f.active), func(i int) bool { return f.active[i].block > behind })
	}
	f.cut(from)
	for _, s := range l.steps {
		f.retake(x, s, l.corrections == f.corrections)
	}
}

// retake puts a step at the end of the branch again; of Summaries only those that hold.
func (f *fold) retake(x *index, s leftStep, hold bool) {
	if f.gone[s.block] || s.summary != nil && !hold {
		return
	}
	at := len(f.active)
	f.active = append(f.active, step{s.block, uint32(f.messages(x))}) //nolint:gosec // as many as blocks
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

// correctLeft is correct for a block on a branch that was left.
func (f *fold) correctLeft(x *index, n uint32, note transcript.Block) {
	block, ok := x.find(x.hash(note.Parent))
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

// UseVersion lets a session go on with another version of a message: one that was edited
// or answered again since. The branch it is on is the one again, as it was when it was
// left; the one that is left stays in the transcript. A message that is on no such branch
// since the last reset gives ErrNotFound; a running turn gives ErrBusy.
func (s *Store) UseVersion(ctx context.Context, name, id string) error {
	turn, err := s.tryTurn(ctx, name, "version")
	if err != nil {
		return err
	}
	defer turn.Unlock()
	err = s.look(ctx, name, func(ses *session) error {
		n, ok := ses.index.find(ses.index.hash(id))
		if !ok || ses.fold.leftAt(n) < 0 {
			return fmt.Errorf("%w: the version %q is not in it any more", ErrNotFound, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = s.appendIf(ctx, name, nil, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteVersion, Text: id})
	return err
}
