package forgotten

import (
	"slices"
	"time"

	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
)

// Text stands in the place of what was forgotten.
const Text = "[forgotten]"

const (
	// maxWindow is how many words a trace holds; a longer sentence has several.
	maxWindow = 16

	// What a sentence needs for its copies to be found elsewhere: less than that says
	// everybody. Of a model's words it takes more, they repeat themselves.
	minTyped, minTold = 5, 8
)

// Traces tell what is to be forgotten, or was, without its text: keyed hashes of
// words that stand one behind the other, of blocks and sessions. They are collected
// in a Draft and never changed once they are written down.
type Traces struct {
	f     func() *textfold.Folder // made when it is needed: that takes some milliseconds
	lines []traceLine
	at    []*Forgetting // whose lines these are

	texts windows
	marks marks
	spans []*Forgetting

	generation string // names which forgettings these are
}

func newTraces(f func() *textfold.Folder) *Traces {
	return &Traces{f: f, texts: windows{}, marks: marks{}}
}

// add takes a line in.
func (t *Traces) add(l traceLine, g *Forgetting) {
	take := t.marks.add
	if l.Kind == traceText {
		take = t.texts.add
	}
	if take(l, g) {
		t.lines = append(t.lines, l)
	}
}

// Own is the forgetting that these traces are made for.
func (t *Traces) Own() *Forgetting { return t.at[0] }

// Touches reports whether Touch added this place.
func (t *Traces) Touches(place string) bool {
	return t.marks.anyHas(t.at, traceTouched, place)
}

// SelectsPart says whether AddPart was told of this block.
func (t *Traces) SelectsPart(session, id string) bool {
	return t.marks.anyHas(t.at, tracePart, session+"\x00"+id)
}

// MeansBlock says whether a block is meant by its id.
func (t *Traces) MeansBlock(session, id string) bool {
	return t.marks.anyHas(t.at, traceBlock, session+"\x00"+id)
}

// NeedsBlocks says whether a session's file has to be taken apart to see whether anything
// in it is meant: something is by other things than its words.
func (t *Traces) NeedsBlocks(session string) bool {
	return len(t.spans) > 0 || slices.ContainsFunc(t.at, func(g *Forgetting) bool {
		return g.kinds[traceBlock] || g.kinds[tracePart] || g.kinds[traceAuthor] || t.marks.has(g, traceSession, session)
	})
}

// Empty reports whether there is nothing to look for.
func (t *Traces) Empty() bool { return len(t.texts) == 0 && len(t.marks) == 0 && len(t.spans) == 0 }

// words are a text's words as they stand, folded.
func (t *Traces) words(text string) string { return string(t.f().WordsOf([]byte(text), false).Folded) }

// Selects says whether a block is meant itself, whatever it says.
func (t *Traces) Selects(session string, b transcript.Block) bool {
	return t.selecting(session, b) != nil
}

// selecting gives the forgetting that means a block itself.
func (t *Traces) selecting(session string, b transcript.Block) *Forgetting {
	if len(t.marks) == 0 && len(t.spans) == 0 {
		return nil
	}
	for _, g := range t.at {
		before := !b.Time.IsZero() && b.Time.Before(g.At.Truncate(time.Second))
		switch {
		case t.marks.has(g, traceBlock, session+"\x00"+b.ID),
			before && t.marks.has(g, traceSession, session),
			before && slices.ContainsFunc(b.Writers(), func(id string) bool { return t.marks.has(g, traceAuthor, id) }),
			slices.Contains(t.spans, g) && !b.Time.IsZero() && !b.Time.Before(g.Since) && b.Time.Before(g.Until):
			return g
		}
	}
	return nil
}

// OfSecond gives the blocks of that second among those that were found.
func OfSecond(found []Touched, at time.Time) (ids []string) {
	for _, f := range found {
		if f.Block != "" && f.Action != Kept && f.Time.Truncate(time.Second).Equal(at.Truncate(time.Second)) {
			ids = append(ids, f.Block)
		}
		ids = append(ids, f.Latest...)
	}
	return ids
}
