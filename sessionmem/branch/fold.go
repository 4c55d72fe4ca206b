package branch

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"mac-stats/sessionmem/transcript"
)

// Fold follows a session block by block and keeps what its context is made of:
// the blocks of the current branch since the last reset, by their numbers in the
// index. It is the one place for these rules, whether a transcript is read or a
// running session goes on.
type Fold struct {
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

// Clone gives a copy that goes its own way.
func (f *Fold) Clone() Fold {
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

// Subcall stands for the answer of a sub-call among the tools' results; no tool
// Has such a name.
const Subcall = "a sub-call"

// StrangersSearch stands for the result of a search that found others' words.
const StrangersSearch = "a search among others' words"

// toolAt is a tool's result in the branch.
type toolAt struct {
	at   int                // in active
	name string             // of one whose block doesn't tell its sources
	from transcript.Sources // of one whose block does
}

// Add follows one more block, which has this number in the index.
// words is the sum of what a message says: b may lack its text.
func (f *Fold) Add(x *Index, n uint32, b transcript.Block, words uint32) {
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
	f.active = append(f.active, step{n, uint32(f.Messages(x))}) //nolint:gosec // as many as blocks
	if b.IsMessage() {
		f.said.Add(b.ID, words)
	}
	switch b.Kind {
	case transcript.KindSummary:
		f.summaries = append(f.summaries, summaryAt{at, x.Hash(b.Through), b.Through == ThroughNone, f.countedFrom(x, b, at)})
	case transcript.KindTool:
		f.addTool(at, b.Agent, b)
	case transcript.KindAgent:
		if b.Task != "" {
			f.addTool(at, Subcall, b)
		}
	}
}

// addTool notes a result.
func (f *Fold) addTool(at int, name string, b transcript.Block) {
	if from, known := b.Attrs[transcript.AttrSources]; known {
		f.tools = append(f.tools, toolAt{at: at, from: transcript.ParseSources(from) | b.RecalledSources()})
		return
	}
	if !b.RecalledSources().Typed() {
		name = StrangersSearch
	}
	f.tools = append(f.tools, toolAt{at: at, name: f.sameName(name)})
}

// countedFrom is the counted of a Summary that is added.
func (f *Fold) countedFrom(x *Index, b transcript.Block, at int) int {
	if again := b.Attrs[transcript.AttrAgain]; again != "" {
		if i := f.At(x, x.Hash(again)); i >= 0 {
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
func (f *Fold) note(x *Index, b transcript.Block) {
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
func (f *Fold) sameName(name string) string {
	for i := len(f.tools) - 1; i >= max(0, len(f.tools)-8); i-- {
		if f.tools[i].name == name {
			return f.tools[i].name
		}
	}
	return name
}

// Messages counts those of the branch.
func (f *Fold) Messages(x *Index) int {
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
func (f *Fold) between(x *Index, from, to int) int {
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

// At finds a block of the branch by its id; -1 where it isn't in it (deleted by
// hand, or before a reset).
func (f *Fold) At(x *Index, id uint64) int {
	n, ok := x.Find(id)
	if !ok {
		return -1
	}
	i := sort.Search(len(f.active), func(i int) bool { return f.active[i].block >= n })
	if i == len(f.active) || f.active[i].block != n {
		return -1
	}
	return i
}

// Has reports whether a block of this id is on the branch.
func (f *Fold) Has(x *Index, id string) bool { return f.At(x, x.Hash(id)) >= 0 }

// rewind takes the blocks from id on out of the context. An id that isn't in it
// changes nothing.
func (f *Fold) rewind(x *Index, id string) {
	if i := f.At(x, x.Hash(id)); i >= 0 {
		f.cut(i)
	}
}

// LastSummary finds the last Summary (-1 where there is none) and the first block
// that is context beside it: the one behind what it goes through (those that stand
// before the Summary but after that block were kept on purpose), else, where that
// block is gone, the one behind the Summary.
func (f *Fold) LastSummary(x *Index) (at, from int) {
	if len(f.summaries) == 0 {
		return -1, 0
	}
	last := f.summaries[len(f.summaries)-1]
	if last.none {
		return last.at, 0
	}
	if i := f.At(x, last.through); i >= 0 && i < last.at {
		return last.at, i + 1
	}
	return last.at, last.at + 1
}

// ThroughNone is the Through of a Summary that covers no message: all of them were kept
// word for word.
const ThroughNone = "none"

// The messages that a context holds at most, and that it goes down to then: more
// than any setting of the short-term window asks for.
const (
	MaxMessages = 2000
	MaxBytes    = 16 << 20
)

// Window gives the messages among the blocks from .. to of the branch, as
// positions in it, and how many older ones are left out because no model is told
// that many. As a short-term window does, it goes down to the half on reaching its
// limits; it depends on nothing but these blocks, so that a restart gives the same.
func (f *Fold) Window(x *Index, from, to int, fileSize int64) (kept []int, omitted int) {
	var bytes int64
	size := func(i int) int64 {
		n := f.active[i].block
		return max(0, min(x.End(n, fileSize)-x.blocks[n].offset(), transcript.BlockLimit)) // none where it waits for the disk
	}
	for i := from; i < to; i++ {
		if !x.blocks[f.active[i].block].isMessage() {
			continue
		}
		kept = append(kept, i)
		bytes += size(i)
		if len(kept) <= MaxMessages && bytes <= MaxBytes {
			continue
		}
		drop := 0
		for drop < len(kept)-1 && (len(kept)-drop > MaxMessages/2 || bytes > MaxBytes/2) {
			bytes -= size(kept[drop])
			drop++
		}
		omitted += drop
		kept = append(kept[:0], kept[drop:]...)
	}
	return kept, omitted
}

// Told is the messages in front of a block of the branch, given by its place in it.
func (f *Fold) Told(x *Index, end int) transcript.Telling {
	after := 0 // messages of the branch: behind its end no branch was left
	if end < len(f.active) {
		after = f.between(x, end, len(f.active))
	}
	return f.said.First(len(f.said) - after)
}

// Len is how many blocks the branch has.
func (f *Fold) Len() int { return len(f.active) }

// Block is the number in the index of a block of the branch.
func (f *Fold) Block(i int) uint32 { return f.active[i].block }

// Edit is the number of the Note that holds what a block says now; false where it was not
// edited.
func (f *Fold) Edit(block uint32) (note uint32, edited bool) {
	note, edited = f.edited[block]
	return note, edited
}

// Settings are those of the session.
func (f *Fold) Settings() transcript.Settings { return f.settings }

// Titled reports whether somebody gave the session a title.
func (f *Fold) Titled() bool { return f.titled }

// Corrections is how many blocks were edited or deleted.
func (f *Fold) Corrections() int { return f.corrections }

// StillTold reports whether the first messages say what they said when that was noted.
func (f *Fold) StillTold(then transcript.Telling) bool { return f.said.First(then.Messages) == then }

// SinceSummary counts the messages in front of a block of the branch that were written
// after the last Summary: with one that was made anew, after the first one.
func (f *Fold) SinceSummary(x *Index, end int) int {
	from := 0
	if n := len(f.summaries); n > 0 {
		from = f.summaries[n-1].counted
	}
	return f.between(x, from, end)
}

// Tools gives whose text the results of tools are that stand among the blocks from .. to
// of the branch, and the names of tools whose results don't tell.
func (f *Fold) Tools(from, to int) (results transcript.Sources, names []string) {
	for _, tool := range f.tools {
		if tool.at < from || tool.at >= to {
			continue
		}
		results |= tool.from
		if tool.name != "" && !slices.Contains(names, tool.name) {
			names = append(names, tool.name)
		}
	}
	return results, names
}

// BeforeSummary gives the branch as it was when the last Summary was made: where that
// stands, and where what it covers ends. It is false where there is none.
func (f *Fold) BeforeSummary(x *Index) (before Fold, at, end int, ok bool) {
	if len(f.summaries) == 0 {
		return Fold{}, 0, 0, false
	}
	last := f.summaries[len(f.summaries)-1]
	before, at, end = *f, last.at, last.at
	before.summaries = f.summaries[:len(f.summaries)-1]
	if i := f.At(x, last.through); i >= 0 && i < last.at && !last.none {
		end = i + 1
	}
	return before, at, end, true
}
