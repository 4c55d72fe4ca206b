package markdown

import (
	"reflect"
	"slices"
	"strings"
)

// Run is a stretch of text in one style.
type Run struct {
	Text   string
	Bold   bool
	Italic bool
	Strike bool
	Mono   bool
	Link   string // address, or ""
}

// Kind says how a leaf is drawn.
type Kind int

// The kinds of leaves.
const (
	Paragraph Kind = iota
	Heading
	Code
	Table
	Rule
)

// The markers of task lists; the screen draws a box for them.
const (
	TaskOpen = "[ ]"
	TaskDone = "[x]"
)

// Leaf is one drawable piece of an answer: a paragraph, a heading, an item of a
// list, a line of a quote, a code card, a table, a rule.
type Leaf struct {
	Kind   Kind
	Level  int    // heading
	Indent int    // depth of lists around it
	Quote  int    // depth of quotes around it
	Marker string // "•", "3.", "☐"; first paragraph of a list item
	Tight  bool   // close to what is above (items of a list)
	Runs   []Run
	Lang   string
	Code   string
	Spans  []Span    // of shown
	Table  [][][]Run // rows of cells; the first row is the header
	Right  []bool    // columns aligned to the right
}

// Shown is a leaf's code as it is drawn: without the last line break, with blanks
// for tabs.
func (l Leaf) Shown() string {
	return strings.ReplaceAll(strings.TrimRight(l.Code, "\n"), "\t", "    ")
}

// View is a document's leaves as they are now. They are never changed again, so
// any goroutine may read them.
type View struct {
	Leaves []Leaf // finished
	Tail   []Leaf // may be others next time
	Remade int    // differs where finished leaves became others
}

// Words is the text as it is drawn, a line for each leaf and for each cell of a table.
func (v View) Words() string {
	var out []string
	words := func(runs []Run) {
		var b strings.Builder
		for _, r := range runs {
			b.WriteString(r.Text)
		}
		out = append(out, b.String())
	}
	for _, l := range slices.Concat(v.Leaves, v.Tail) {
		switch l.Kind {
		case Code:
			out = append(out, l.Shown())
		case Table:
			for _, cells := range l.Table {
				for _, runs := range cells {
					words(runs)
				}
			}
		default:
			words(l.Runs)
		}
	}
	return strings.Join(out, "\n")
}

// EachLink gives the links in leaves with their words.
func EachLink(leaves []Leaf, f func(words, url string)) {
	each := func(runs []Run) {
		for _, r := range runs {
			if r.Link != "" {
				f(r.Text, r.Link)
			}
		}
	}
	for _, l := range leaves {
		each(l.Runs)
		for _, cells := range l.Table {
			for _, runs := range cells {
				each(runs)
			}
		}
	}
}

// sameLeaf compares all but the colours.
func sameLeaf(a, b Leaf) bool {
	a.Spans, b.Spans = nil, nil
	return reflect.DeepEqual(a, b)
}
