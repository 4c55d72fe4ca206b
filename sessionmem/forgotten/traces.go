package forgotten

import (
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
)

// Text replaces what was forgotten.
const Text = "[forgotten]"

const (
	// maxWindow is the maximum number of words of a trace; a longer sentence has several.
	maxWindow = 16

	// How many words a sentence needs for its copies to be found elsewhere: everybody
	// writes shorter ones. Models repeat themselves, so their sentences need more.
	minTyped, minModel = 5, 8
)

// Traces identify what is to be forgotten, or was, without its text: keyed hashes of
// consecutive words, of blocks and sessions. They are collected in a Draft and don't change
// once they are recorded.
type Traces struct {
	f     func() *textfold.Folder // made on demand, because it takes some milliseconds
	lines []traceLine
	at    []*Forgetting // the forgettings of these lines

	texts windows
	marks marks
	spans []*Forgetting

	generation string // identifies this set of forgettings
	elsewhere  bool   // texts are of other machines, see HasElsewhere
}

func newTraces(f func() *textfold.Folder) *Traces {
	return &Traces{f: f, texts: windows{}, marks: marks{}}
}

// add adds a line.
func (t *Traces) add(l traceLine, g *Forgetting) {
	take := t.marks.add
	if l.Kind == traceText {
		take = t.texts.add
	}
	if take(l, g) {
		t.lines = append(t.lines, l)
	}
}

// Own returns the forgetting that these traces belong to.
func (t *Traces) Own() *Forgetting { return t.at[0] }

// Touches reports whether Touch added this place.
func (t *Traces) Touches(place string) bool {
	return t.marks.anyHas(t.at, traceTouched, place)
}

// SelectsPart reports whether AddPart added words of this block.
func (t *Traces) SelectsPart(session, id string) bool {
	return t.marks.anyHas(t.at, tracePart, session+"\x00"+id)
}

// MatchesBlock reports whether a block matches by its ID.
func (t *Traces) MatchesBlock(session, id string) bool {
	return t.marks.anyHas(t.at, traceBlock, session+"\x00"+id)
}

// NeedsBlocks reports whether a session's file must be parsed to find all matches, because
// some traces match by other things than words.
func (t *Traces) NeedsBlocks(session string) bool {
	return len(t.spans) > 0 || slices.ContainsFunc(t.at, func(g *Forgetting) bool {
		return g.kinds[traceBlock] || g.kinds[tracePart] || g.kinds[traceAuthor] || t.marks.has(g, traceSession, session)
	})
}

// Empty reports whether there is nothing to look for.
func (t *Traces) Empty() bool { return len(t.texts) == 0 && len(t.marks) == 0 && len(t.spans) == 0 }

// words returns a text's words as written, folded.
func (t *Traces) words(text string) string { return string(t.f().WordsOf([]byte(text), false).Folded) }

// Selects reports whether a block itself matches, whatever its text.
func (t *Traces) Selects(session string, b transcript.Block) bool {
	return t.selecting(session, b) != nil
}

// selecting returns the forgetting that matches a block itself.
func (t *Traces) selecting(session string, b transcript.Block) *Forgetting {
	if len(t.marks) == 0 && len(t.spans) == 0 {
		return nil
	}
	for _, g := range t.at {
		before := !b.Time.IsZero() && b.Time.Before(g.At.Truncate(time.Second))
		switch {
		case t.marks.has(g, traceBlock, session+"\x00"+b.ID),
			before && t.marks.has(g, traceSession, session) && (!t.elsewhere || strings.HasPrefix(session, "discord-")),
			before && slices.ContainsFunc(b.Writers(), func(id string) bool { return t.marks.has(g, traceAuthor, id) }),
			slices.Contains(t.spans, g) && !b.Time.IsZero() && !b.Time.Before(g.Since) && b.Time.Before(g.Until):
			return g
		}
	}
	return nil
}

// BlocksInSecond returns those of the found blocks that have a time in this second.
func BlocksInSecond(found []Touched, at time.Time) (ids []string) {
	for _, f := range found {
		if f.Block != "" && f.Action != Kept && f.Time.Truncate(time.Second).Equal(at.Truncate(time.Second)) {
			ids = append(ids, f.Block)
		}
		ids = append(ids, f.Latest...)
	}
	return ids
}
