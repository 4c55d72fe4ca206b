package forgotten

import (
	"slices"
	"time"
)

// IsChosen reports whether AddLine added this piece of a memory.
func (t *Traces) IsChosen(text string) bool {
	if len(t.marks) == 0 {
		return false
	}
	words := t.words(text)
	return words != "" && t.marks.anyHas(t.at, traceChosen, words)
}

// IsLesson reports whether AddLesson added this line.
func (t *Traces) IsLesson(text string) bool {
	words := t.words(text)
	return words != "" && t.marks.anyHas(t.at, traceLesson, words)
}

// GoesAsLesson reports whether a line goes because of its origin, or because it was chosen.
func (t *Traces) GoesAsLesson(text string) bool {
	return t.Own().Learn && t.IsLesson(text) || t.IsChosen(text)
}

// Allow records that the user wrote a line of a memory again that matches: it stays. A
// later forgetting of the same text removes it again.
func (f *Record) Allow(text string) error {
	t := f.Traces()
	if t.Empty() || !t.Holds(text) {
		return nil
	}
	words := t.words(text)
	for _, g := range t.at {
		if !t.only(g).Holds(text) || t.marks.has(g, traceAgain, words) {
			continue
		}
		if err := f.append(g.key, traceLine{Kind: traceAgain, Sum: g.sum(traceAgain, words), Of: g.ID}); err != nil {
			return err
		}
	}
	return nil
}

// IsAllowed reports whether a line of a memory stays although it may match.
func (t *Traces) IsAllowed(line string) bool {
	words := t.words(line)
	return words != "" && len(t.marks) > 0 && !slices.ContainsFunc(t.at, func(g *Forgetting) bool {
		return !t.marks.has(g, traceAgain, words) && len(t.findBy([]byte(line), func(o *Forgetting) bool { return o == g })) > 0
	})
}

// The kinds of traces that mark pieces of a memory by all of their words.
const (
	traceLesson = "lesson" // a learned line or proposal
	traceChosen = "line"   // a piece that was chosen itself
	traceAgain  = "again"  // a line that the user wrote again
)

// MarksLines reports whether pieces of a memory match that hold no word of a trace.
func (t *Traces) MarksLines() bool {
	return slices.ContainsFunc(t.lines, func(l traceLine) bool { return l.Kind == traceLesson || l.Kind == traceChosen })
}

// Each returns the traces of each forgetting for which which returns true, oldest first.
func (t *Traces) Each(which func(at time.Time, over bool) bool) []*Traces {
	var all []*Traces
	for _, g := range t.at {
		if which(g.At, g.IsOver()) {
			all = append(all, t.only(g))
		}
	}
	return all
}
