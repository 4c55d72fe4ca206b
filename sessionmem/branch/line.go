package branch

import (
	"slices"
	"sort"

	"mac-stats/sessionmem/transcript"
)

// Subcall stands for the answer of a sub-call among the tool results; no tool has such a
// name.
const Subcall = "a sub-call"

// StrangersSearch stands for the result of a search that found other people's words.
const StrangersSearch = "a search among others' words"

// ThroughNone is the Through of a Summary that covers no message: all were kept word for
// word.
const ThroughNone = "none"

// The limits of a context, which is cut to half of them: more than any setting of the
// short-term window asks for.
const (
	MaxMessages = 2000
	MaxBytes    = 16 << 20
)

// line is the branch as it stands: its blocks, with the Summaries and tool results among
// them. Fold applies notes to it.
type line struct {
	active    []step      // without notes
	summaries []summaryAt // among them, in order
	tools     []toolAt    // among them, in order
}

// step is a block of the branch.
type step struct {
	block  uint32
	before uint32 // messages of the branch before it
}

// summaryAt is a Summary of the branch.
type summaryAt struct {
	at      int    // in active
	through uint64 // hash of the ID it covers up to
	none    bool   // it covers no message
	counted int    // messages from this step on count as written since the Summary
}

// toolAt is a tool result on the branch.
type toolAt struct {
	at   int                // in active
	name string             // if the block doesn't name its sources
	from transcript.Sources // if it does
}

// remove removes one step from the branch.
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

// addTool records a tool result.
func (l *line) addTool(at int, name string, b transcript.Block) {
	if from, known := b.Attrs[transcript.AttrSources]; known {
		l.tools = append(l.tools, toolAt{at: at, from: transcript.ParseSources(from) | b.RecalledSources()})
		return
	}
	if !b.RecalledSources().Typed() {
		name = StrangersSearch
	}
	l.tools = append(l.tools, toolAt{at: at, name: l.intern(name)})
}

// countedFrom returns the counted field for a new Summary.
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

// intern returns an equal string that is already stored: few tools are used often.
func (l *line) intern(name string) string {
	for i := len(l.tools) - 1; i >= max(0, len(l.tools)-8); i-- {
		if l.tools[i].name == name {
			return l.tools[i].name
		}
	}
	return name
}

// Messages returns the number of messages of the branch.
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

// At returns the position of a block of the branch by the hash of its ID; -1 if it isn't there
// (deleted by hand, or before a reset).
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

// Has reports whether a block of this ID is on the branch.
func (l *line) Has(x *Index, id string) bool { return l.At(x, x.Hash(id)) >= 0 }

// LastSummary returns the position of the last Summary (-1 if there is none) and of the first
// block that belongs to the context beside it: the one after the last covered block (blocks
// between that and the Summary were kept on purpose), or if that block is gone, the one after
// the Summary.
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

// Window returns the positions of the messages from .. to of the branch, and how many older
// ones are left out because no model gets that many. Like a short-term window, it goes down to
// half its limits on reaching them. It depends only on these blocks, so that a restart returns
// the same.
func (l *line) Window(x *Index, from, to int, fileSize int64) (kept []int, omitted int) {
	var bytes int64
	size := func(i int) int64 {
		n := l.active[i].block
		return max(0, min(x.End(n, fileSize)-x.blocks[n].offset(), transcript.BlockLimit)) // 0 while it waits for the disk
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

// Len returns the number of blocks on the branch.
func (l *line) Len() int { return len(l.active) }

// Block returns a block's number in the index.
func (l *line) Block(i int) uint32 { return l.active[i].block }

// SinceSummary counts the messages before end that were written after the last Summary, or,
// if that replaced another, after the first one.
func (l *line) SinceSummary(x *Index, end int) int {
	from := 0
	if n := len(l.summaries); n > 0 {
		from = l.summaries[n-1].counted
	}
	return l.between(x, from, end)
}

// Tools returns the sources of the tool results among the blocks from .. to of the branch, and
// the names of tools whose results don't name theirs.
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
