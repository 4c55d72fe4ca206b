package markdown

import (
	"reflect"
	"slices"
	"strings"
)

// Run is text in one style.
type Run struct {
	Text   string
	Bold   bool
	Italic bool
	Strike bool
	Mono   bool
	Key    bool   // of a keyboard
	Lift   int8   // 1 for raised text, -1 for lowered text
	Link   string // address, or ""
}

// Kind determines how a leaf is drawn.
type Kind int

// The kinds of leaves.
const (
	Paragraph Kind = iota
	Heading
	Code
	Table
	Rule
)

// The markers of task lists; the screen draws a box instead.
const (
	TaskOpen = "[ ]"
	TaskDone = "[x]"
)

// Leaf is a drawable piece of an answer: a paragraph, a heading, a list item, a line of a
// quote, a code card, a table, a rule.
type Leaf struct {
	Kind   Kind
	Level  int    // of a heading
	Indent int    // depth of lists around it
	Quote  int    // depth of quotes around it
	Marker string // "•", "3.", "☐": marker of a list item's first paragraph
	Tight  bool   // little space above (list items)
	// Footnote is set for the footnotes, which are last, and for the rule above them.
	Footnote bool
	Runs     []Run
	Lang     string
	Code     string
	Spans    []Span    // of the code that Shown returns
	Table    [][][]Run // rows of cells; the first row is the header
	Right    []bool    // right-aligned columns
}

// Shown returns a leaf's code as it is drawn: without the last line break, with spaces for
// tabs.
func (l Leaf) Shown() string {
	return strings.ReplaceAll(strings.TrimRight(l.Code, "\n"), "\t", "    ")
}

// View is a document's leaves at one moment. They never change, so any goroutine may read
// them.
type View struct {
	Leaves  []Leaf // finished
	Tail    []Leaf // may change with the next text
	Rebuilt int    // changes if finished leaves were replaced
}

// Words returns the text as it is drawn, with a line for each leaf and each table cell.
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

// Typed returns a message as it was typed. Text between code fences is set as code, without the
// fences.
func Typed(text string) []Run {
	if !strings.Contains(text, "```") {
		return []Run{{Text: text}}
	}
	var runs []Run
	code := false
	for line := range strings.Lines(text) {
		if fence := strings.TrimSpace(line); strings.HasPrefix(fence, "```") && strings.Count(fence, "`") == 3 {
			code = !code
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].Mono == code {
			runs[n-1].Text += line
		} else {
			runs = append(runs, Run{Text: line, Mono: code})
		}
	}
	if len(runs) == 0 {
		return []Run{{Text: text}}
	}
	last := &runs[len(runs)-1]
	last.Text = strings.TrimSuffix(last.Text, "\n") // of the fence that ended it
	return runs
}

// EachLink calls f for each link in leaves.
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

// sameLeaf compares leaves without their colours.
func sameLeaf(a, b Leaf) bool {
	a.Spans, b.Spans = nil, nil
	return reflect.DeepEqual(a, b)
}
