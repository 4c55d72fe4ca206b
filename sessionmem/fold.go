package sessionmem

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"mac-stats/sessionmem/transcript"
)

// fold follows a session block by block and keeps what its context is made of:
// the blocks of the current branch since the last reset, by their numbers in the
// index. It is the one place for these rules, whether a transcript is read or a
// running session goes on.
type fold struct {
	active    []step      // without notes
	summaries []summaryAt // among them, in order
	tools     []toolAt    // among them, in order
	settings  transcript.Settings
	titled    bool // somebody gave the session a title

	said transcript.Sayings // since the last reset, on whatever branch

	edited      map[uint32]uint32 // blocks that were edited: the Note that holds their text
	corrections int               // how many were edited or deleted

	left []leftBranch    // that a rewind cut off, since the last reset
	gone map[uint32]bool // blocks of these that were deleted
}

// clone gives a copy that goes its own way.
func (f *fold) clone() fold {
	c := *f
	c.said = slices.Clip(f.said) // it only grows
	c.active, c.summaries, c.tools, c.edited = slices.Clone(f.active), slices.Clone(f.summaries), slices.Clone(f.tools), maps.Clone(f.edited)
	c.left, c.gone = slices.Clone(f.left), maps.Clone(f.gone)
	return c
}

// step is a block of the branch.
type step struct {
	block  uint32
	before uint32 // messages of the branch in front of it
}

// summaryAt is a Summary of the branch.
type summaryAt struct {
	at      int    // in active
	through uint64 // hash of the id it goes through
	none    bool   // it covers no message
	counted int    // from which step on messages are counted as since then
}

// counted is from which step on messages count as written since the last Summary: that
// of a Summary which was made anew are those since the first one.
func (f *fold) counted(at int) int {
	if at < 0 {
		return 0
	}
	return f.summaries[len(f.summaries)-1].counted
}

// subcallTool stands for the answer of a sub-call among the tools' results; no tool
// has such a name.
const subcallTool = "a sub-call"

// strangersSearch stands for the result of a search that found others' words.
const strangersSearch = "a search among others' words"

// toolAt is a tool's result in the branch.
type toolAt struct {
	at   int                // in active
	name string             // of one whose block doesn't tell its sources
	from transcript.Sources // of one whose block does
}

// add follows one more block, which has this number in the index.
// words is the sum of what a message says: b may lack its text.
func (f *fold) add(x *index, n uint32, b transcript.Block, words uint32) {
	if b.IsCorrection() {
		f.correct(x, n, b)
		return
	}
	if b.Kind == transcript.KindNote {
		f.note(x, b)
		return
	}
	if b.Kind == transcript.KindSummary && !f.said.Hold(b) {
		return // it tells what a person has taken out since
	}
	at := len(f.active)
	f.active = append(f.active, step{n, uint32(f.messages(x))}) //nolint:gosec // as many as blocks
	if b.IsMessage() {
		f.said.Add(b.ID, words)
	}
	switch b.Kind {
	case transcript.KindSummary:
		f.summaries = append(f.summaries, summaryAt{at, x.hash(b.Through), b.Through == throughNone, f.countedFrom(x, b, at)})
	case transcript.KindTool:
		f.addTool(at, b.Agent, b)
	case transcript.KindAgent:
		if b.Task != "" {
			f.addTool(at, subcallTool, b)
		}
	}
}

// addTool notes a result.
func (f *fold) addTool(at int, name string, b transcript.Block) {
	if from, known := b.Attrs[transcript.AttrSources]; known {
		f.tools = append(f.tools, toolAt{at: at, from: transcript.ParseSources(from) | b.RecalledSources()})
		return
	}
	if !b.RecalledSources().Typed() {
		name = strangersSearch
	}
	f.tools = append(f.tools, toolAt{at: at, name: f.sameName(name)})
}

// countedFrom is the counted of a Summary that is added.
func (f *fold) countedFrom(x *index, b transcript.Block, at int) int {
	if again := b.Attrs[transcript.AttrAgain]; again != "" {
		if i := f.at(x, x.hash(again)); i >= 0 {
			for _, s := range f.summaries {
				if s.at == i {
					return s.counted
				}
			}
		}
	}
	return at + 1
}

// note follows a Note: it is no context itself.
func (f *fold) note(x *index, b transcript.Block) {
	switch b.Note {
	case transcript.NoteEnded:
		f.active, f.summaries, f.tools, f.edited, f.said = nil, nil, nil, nil, nil
		f.left, f.gone = nil, nil
	case transcript.NoteRewind:
		f.rewind(x, transcript.RewindTarget(b))
	case transcript.NoteVersion:
		f.goBack(x, strings.TrimSpace(b.Text))
	case transcript.NoteSettings:
		f.settings = transcript.ParseSettings(b.Text)
	case transcript.NoteTitle:
		f.titled = true
	}
}

// sameName gives an equal string that is kept already: few tools are used often.
func (f *fold) sameName(name string) string {
	for i := len(f.tools) - 1; i >= max(0, len(f.tools)-8); i-- {
		if f.tools[i].name == name {
			return f.tools[i].name
		}
	}
	return name
}

// messages counts those of the branch.
func (f *fold) messages(x *index) int {
	if len(f.active) == 0 {
		return 0
	}
	last := f.active[len(f.active)-1]
	n := int(last.before)
	if x.blocks[last.block].isMessage() {
		n++
	}
	return n
}

// between counts the messages among the blocks from .. to of the branch.
func (f *fold) between(x *index, from, to int) int {
	if from >= to {
		return 0
	}
	last := f.active[to-1]
	n := int(last.before) - int(f.active[from].before)
	if x.blocks[last.block].isMessage() {
		n++
	}
	return n
}

// at finds a block of the branch by its id; -1 where it isn't in it (deleted by
// hand, or before a reset).
func (f *fold) at(x *index, id uint64) int {
	n, ok := x.find(id)
	if !ok {
		return -1
	}
	i := sort.Search(len(f.active), func(i int) bool { return f.active[i].block >= n })
	if i == len(f.active) || f.active[i].block != n {
		return -1
	}
	return i
}

func (f *fold) has(x *index, id string) bool { return f.at(x, x.hash(id)) >= 0 }

// rewind takes the blocks from id on out of the context. An id that isn't in it
// changes nothing.
func (f *fold) rewind(x *index, id string) {
	if i := f.at(x, x.hash(id)); i >= 0 {
		f.cut(i)
	}
}

// lastSummary finds the last Summary (-1 where there is none) and the first block
// that is context beside it: the one behind what it goes through (those that stand
// before the Summary but after that block were kept on purpose), else, where that
// block is gone, the one behind the Summary.
func (f *fold) lastSummary(x *index) (at, from int) {
	if len(f.summaries) == 0 {
		return -1, 0
	}
	last := f.summaries[len(f.summaries)-1]
	if last.none {
		return last.at, 0
	}
	if i := f.at(x, last.through); i >= 0 && i < last.at {
		return last.at, i + 1
	}
	return last.at, last.at + 1
}

// The messages that a context holds at most, and that it goes down to then: more
// than any setting of the short-term window asks for.
const (
	heldMessages = 2000
	heldBytes    = 16 << 20
)

// window gives the messages among the blocks from .. to of the branch, as
// positions in it, and how many older ones are left out because no model is told
// that many. As a short-term window does, it goes down to the half on reaching its
// limits; it depends on nothing but these blocks, so that a restart gives the same.
func (f *fold) window(x *index, from, to int, fileSize int64) (kept []int, omitted int) {
	var bytes int64
	size := func(i int) int64 {
		n := f.active[i].block
		return max(0, min(x.end(n, fileSize)-x.blocks[n].offset(), transcript.BlockLimit)) // none where it waits for the disk
	}
	for i := from; i < to; i++ {
		if !x.blocks[f.active[i].block].isMessage() {
			continue
		}
		kept = append(kept, i)
		bytes += size(i)
		if len(kept) <= heldMessages && bytes <= heldBytes {
			continue
		}
		drop := 0
		for drop < len(kept)-1 && (len(kept)-drop > heldMessages/2 || bytes > heldBytes/2) {
			bytes -= size(kept[drop])
			drop++
		}
		omitted += drop
		kept = append(kept[:0], kept[drop:]...)
	}
	return kept, omitted
}

// told is the messages in front of a block of the branch, given by its place in it.
func (f *fold) told(x *index, end int) transcript.Telling {
	after := 0 // messages of the branch: behind its end no branch was left
	if end < len(f.active) {
		after = f.between(x, end, len(f.active))
	}
	return f.said.First(len(f.said) - after)
}
