package branch

import (
	"maps"
	"slices"
	"strings"

	"mac-stats/sessionmem/transcript"
)

// Fold follows a session block by block and keeps what its context consists of: the blocks of
// the current branch since the last reset, by their numbers in the index. It alone
// implements these rules, whether a transcript is read or a running session goes on.
type Fold struct {
	line     // the branch as it stands
	settings transcript.Settings
	titled   bool   // the session was given a title
	reset    uint32 // the number of the first block behind the last reset

	fingerprints transcript.Fingerprints // since the last reset, on any branch

	edited      map[uint32]uint32 // edited blocks, with the Note that holds their text
	corrections int               // how many were edited or deleted

	left []leftBranch    // cut off by a rewind since the last reset
	gone map[uint32]bool // deleted blocks on them
}

// Clone returns an independent copy.
func (f *Fold) Clone() Fold {
	c := *f
	c.fingerprints = slices.Clip(f.fingerprints) // it only grows
	c.active, c.summaries, c.tools, c.edited = slices.Clone(f.active), slices.Clone(f.summaries), slices.Clone(f.tools), maps.Clone(f.edited)
	c.left, c.gone = slices.Clone(f.left), maps.Clone(f.gone)
	return c
}

// Add adds the next block, which has this number in the index. words is the checksum of a
// message's text: b may come without it.
func (f *Fold) Add(x *Index, n uint32, b transcript.Block, words uint32) {
	if b.IsCorrection() {
		f.correct(x, n, b)
		return
	}
	if b.Kind == transcript.KindNote {
		f.note(x, n, b)
		return
	}
	if f.beforeReset(x, b) {
		if b.IsMessage() {
			f.fingerprints.Add(b.ID, words)
		}
		return
	}
	if b.Kind == transcript.KindSummary && !f.fingerprints.Match(b) {
		return // it contains something that a person has removed since
	}
	at := len(f.active)
	f.active = append(f.active, step{n, uint32(f.Messages(x))}) //nolint:gosec // as many as blocks
	if b.IsMessage() {
		f.fingerprints.Add(b.ID, words)
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

// beforeReset reports whether a block belongs to a message before the last reset: its answer was
// being written then.
func (f *Fold) beforeReset(x *Index, b transcript.Block) bool {
	if f.reset == 0 || b.Parent == "" || b.Kind == transcript.KindUser {
		return false
	}
	parent, known := x.Find(x.Hash(b.Parent))
	return known && parent < f.reset
}

// note applies a Note, which isn't context itself.
func (f *Fold) note(x *Index, n uint32, b transcript.Block) {
	switch b.Note {
	case transcript.NoteEnded:
		f.reset = n + 1
		f.line, f.edited, f.fingerprints = line{}, nil, nil
		f.left, f.gone = nil, nil
	case transcript.NoteRewind:
		f.rewind(x, transcript.RewindTarget(b))
	case transcript.NoteVersion:
		f.returnTo(x, strings.TrimSpace(b.Text))
	case transcript.NoteSettings:
		f.settings = transcript.ParseSettings(b.Text)
	case transcript.NoteTitle:
		f.titled = true
	}
}

// rewind removes the blocks from id on from the context. An id that isn't in it changes
// nothing.
func (f *Fold) rewind(x *Index, id string) {
	if i := f.At(x, x.Hash(id)); i >= 0 {
		f.cut(i)
	}
}

// Fingerprint identifies the messages before a position of the branch.
func (f *Fold) Fingerprint(x *Index, end int) transcript.Fingerprint {
	after := 0 // messages of the branch; none was left after its end
	if end < len(f.active) {
		after = f.between(x, end, len(f.active))
	}
	return f.fingerprints.First(len(f.fingerprints) - after)
}

// Edit returns the number of the Note with a block's current text; false if the block wasn't
// edited.
func (f *Fold) Edit(block uint32) (note uint32, edited bool) {
	note, edited = f.edited[block]
	return note, edited
}

// Settings returns the session's settings.
func (f *Fold) Settings() transcript.Settings { return f.settings }

// Titled reports whether the session was given a title.
func (f *Fold) Titled() bool { return f.titled }

// Corrections returns how many blocks were edited or deleted.
func (f *Fold) Corrections() int { return f.corrections }

// Unchanged reports whether the messages that then identifies are unchanged.
func (f *Fold) Unchanged(then transcript.Fingerprint) bool {
	return f.fingerprints.First(then.Messages) == then
}

// BeforeSummary returns the branch as it was when the last Summary was made, the position of
// that Summary, and the end of what it covers. ok is false if there is none.
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
