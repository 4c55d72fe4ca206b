package branch

import (
	"slices"
	"sort"

	"mac-stats/sessionmem/transcript"
)

// Subcall stands for the answer of a sub-call among the tools' results; no tool
// Has such a name.
const Subcall = "a sub-call"

// StrangersSearch stands for the result of a search that found others' words.
const StrangersSearch = "a search among others' words"

// ThroughNone is the Through of a Summary that covers no message: all of them were kept
// word for word.
const ThroughNone = "none"

// The messages that a context holds at most, and that it goes down to then: more
// than any setting of the short-term window asks for.
const (
	MaxMessages = 2000
	MaxBytes    = 16 << 20
)

// line is the branch as it stands: its blocks, and the Summaries and results of tools
// among them. How notes change it is up to Fold.
type line struct {
	active    []step      // without notes
	summaries []summaryAt // among them, in order
	tools     []toolAt    // among them, in order
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

// toolAt is a tool's result in the branch.
type toolAt struct {
	at   int                // in active
	name string             // of one whose block doesn't tell its sources
	from transcript.Sources // of one whose block does
}

// remove takes one step out of the branch.
func (l *line) remove(x *Index, i int) {
	message := x.blocks[l.active[i].block].isMessage()
	l.active = slices.Delete(l.active, i, i+1)
	if message {
		for k := i; k < len(l.active); k++ {
			l.active[k].before--
		}
	}
	back := func(at *int) {
		if *at > i {
			*at--
		}
	}
	for k := range l.summaries {
		back(&l.summaries[k].at)
		back(&l.summaries[k].counted)
	}
	l.tools = slices.DeleteFunc(l.tools, func(t toolAt) bool { return t.at == i })
	for k := range l.tools {
		back(&l.tools[k].at)
	}
}

// addTool notes a result.
func (l *line) addTool(at int, name string, b transcript.Block) {
	if from, known := b.Attrs[transcript.AttrSources]; known {
		l.tools = append(l.tools, toolAt{at: at, from: transcript.ParseSources(from) | b.RecalledSources()})
		return
	}
	if !b.RecalledSources().Typed() {
		name = StrangersSearch
	}
	l.tools = append(l.tools, toolAt{at: at, name: l.sameName(name)})
}

// countedFrom is the counted of a Summary that is added.
func (l *line) countedFrom(x *Index, b transcript.Block, at int) int {
	if again := b.Attrs[transcript.AttrAgain]; again != "" {
		if i := l.At(x, x.Hash(again)); i >= 0 {
			for _, s := range l.summaries {
				if s.at == i {
					return s.counted
				}
			}
		}
	}
	return at + 1
}

// sameName gives an equal string that is kept already: few tools are used often.
func (l *line) sameName(name string) string {
	for i := len(l.tools) - 1; i >= max(0, len(l.tools)-8); i-- {
		if l.tools[i].name == name {
			return l.tools[i].name
		}
	}
	return name
}

// Messages counts those of the branch.
func (l *line) Messages(x *Index) int {
	if len(l.active) == 0 {
		return 0
	}
	last := l.active[len(l.active)-1]
	n := int(last.before)
	if x.blocks[last.block].isMessage() {
		n++
	}
	return n
}

// between counts the messages among the blocks from .. to of the branch.
func (l *line) between(x *Index, from, to int) int {
	if from >= to {
		return 0
	}
	last := l.active[to-1]
	n := int(last.before) - int(l.active[from].before)
	if x.blocks[last.block].isMessage() {
		n++
	}
	return n
}

// At finds a block of the branch by its id; -1 where it isn't in it (deleted by
// hand, or before a reset).
func (l *line) At(x *Index, id uint64) int {
	n, ok := x.Find(id)
	if !ok {
		return -1
	}
	i := sort.Search(len(l.active), func(i int) bool { return l.active[i].block >= n })
	if i == len(l.active) || l.active[i].block != n {
		return -1
	}
	return i
}

// Has reports whether a block of this id is on the branch.
func (l *line) Has(x *Index, id string) bool { return l.At(x, x.Hash(id)) >= 0 }

// LastSummary finds the last Summary (-1 where there is none) and the first block
// that is context beside it: the one behind what it goes through (those that stand
// before the Summary but after that block were kept on purpose), else, where that
// block is gone, the one behind the Summary.
func (l *line) LastSummary(x *Index) (at, from int) {
	if len(l.summaries) == 0 {
		return -1, 0
	}
	last := l.summaries[len(l.summaries)-1]
	if last.none {
		return last.at, 0
	}
	if i := l.At(x, last.through); i >= 0 && i < last.at {
		return last.at, i + 1
	}
	return last.at, last.at + 1
}

// Window gives the messages among the blocks from .. to of the branch, as
// positions in it, and how many older ones are left out because no model is told
// that many. As a short-term window does, it goes down to the half on reaching its
// limits; it depends on nothing but these blocks, so that a restart gives the same.
func (l *line) Window(x *Index, from, to int, fileSize int64) (kept []int, omitted int) {
	var bytes int64
	size := func(i int) int64 {
		n := l.active[i].block
		return max(0, min(x.End(n, fileSize)-x.blocks[n].offset(), transcript.BlockLimit)) // none where it waits for the disk
	}
	for i := from; i < to; i++ {
		if !x.blocks[l.active[i].block].isMessage() {
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

// Len is how many blocks the branch has.
func (l *line) Len() int { return len(l.active) }

// Block is the number in the index of a block of the branch.
func (l *line) Block(i int) uint32 { return l.active[i].block }

// SinceSummary counts the messages in front of a block of the branch that were written
// after the last Summary: with one that was made anew, after the first one.
func (l *line) SinceSummary(x *Index, end int) int {
	from := 0
	if n := len(l.summaries); n > 0 {
		from = l.summaries[n-1].counted
	}
	return l.between(x, from, end)
}

// Tools gives whose text the results of tools are that stand among the blocks from .. to
// of the branch, and the names of tools whose results don't tell.
func (l *line) Tools(from, to int) (results transcript.Sources, names []string) {
	for _, tool := range l.tools {
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
