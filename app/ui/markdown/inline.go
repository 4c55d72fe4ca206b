package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"mac-stats/app/ui/formula"
)

// inlineRuns flattens a node's inline children into styled runs.
func inlineRuns(n ast.Node, src []byte) []Run {
	w := runWriter{src: src}
	w.children(n, Run{})
	return w.runs()
}

// runWriter joins runs. Its cost is linear in the text it writes.
type runWriter struct {
	src  []byte
	out  []Run  // the last run lacks its text, …
	text []byte // … which is here
}

func (w *runWriter) add(style Run, s string) {
	if bytes.HasSuffix(w.text, []byte("\n")) {
		s = strings.TrimLeft(s, " ")
	}
	if s == "" {
		return
	}
	style.Text = ""
	if k := len(w.out) - 1; k < 0 || w.out[k] != style {
		w.out = append(w.runs(), style)
		w.text = nil
	}
	w.text = append(w.text, s...)
}

// runs returns the runs written.
func (w *runWriter) runs() []Run {
	if k := len(w.out) - 1; k >= 0 {
		w.out[k].Text = string(w.text)
	}
	return w.out
}

// node writes a node and its children.
func (w *runWriter) node(n ast.Node, style Run) {
	if w.words(n, style) {
		return
	}
	style = styledBy(n, style)
	w.children(n, style)
	if img, ok := n.(*ast.Image); ok && !n.HasChildren() { // a link needs text to be tapped
		words := style.Link
		if strings.HasPrefix(words, "data:") {
			words = " "
		}
		w.add(styledBy(img, style), words)
	}
}

// children writes the children of a node. What stands between an opening and a closing tag of
// the same parent has its style.
func (w *runWriter) children(n ast.Node, style Run) {
	closed := w.tagPairs(n)
	if closed == nil {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			w.node(c, style)
		}
		return
	}
	styles := []Run{style}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		raw, _ := c.(*ast.RawHTML)
		name, closing := "", false
		if raw != nil && closed[raw] {
			name, closing = w.tag(raw)
		}
		last := styles[len(styles)-1]
		switch {
		case closing:
			styles = styles[:len(styles)-1]
			continue
		case name == "sub":
			last.Lift = -1
		case name == "sup":
			last.Lift = 1
		case name == "kbd":
			last.Key, last.Mono = true, true
		default:
			w.node(c, last)
			continue
		}
		styles = append(styles, last)
	}
}

// tagPairs returns the tags among the children of a node that belong together.
func (w *runWriter) tagPairs(n ast.Node) map[*ast.RawHTML]bool {
	var closed map[*ast.RawHTML]bool
	var open []*ast.RawHTML
	var names []string
	var waiting map[string]int
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		raw, ok := c.(*ast.RawHTML)
		if !ok {
			continue
		}
		name, closing := w.tag(raw)
		switch {
		case name == "" || name == "br":
		case !closing:
			if waiting == nil {
				waiting = map[string]int{}
			}
			open, names = append(open, raw), append(names, name)
			waiting[name]++
		case waiting[name] > 0:
			if closed == nil {
				closed = map[*ast.RawHTML]bool{}
			}
			for at := len(open) - 1; ; at-- { // those in between were never closed: they are text
				was := names[at]
				waiting[was]--
				if was == name {
					closed[open[at]], closed[raw] = true, true
					open, names = open[:at], names[:at]
					break
				}
			}
		}
	}
	return closed
}

// tag returns the name of a tag that isn't shown as text.
func (w *runWriter) tag(n *ast.RawHTML) (name string, closing bool) {
	if n.Segments.Len() != 1 {
		return "", false
	}
	seg := n.Segments.At(0)
	return tagOf(seg.Value(w.src))
}

// words writes a node that contains text itself. It returns false for a node that contains
// other nodes.
func (w *runWriter) words(n ast.Node, style Run) bool {
	switch n := n.(type) {
	case *ast.Text:
		w.add(style, plain(n.Segment.Value(w.src)))
		if n.HardLineBreak() {
			w.add(style, "\n")
		} else if n.SoftLineBreak() {
			w.add(style, " ")
		}
	case *ast.String:
		w.add(style, string(n.Value))
	case *formula.Node:
		w.math(n, style)
	case *ast.CodeSpan:
		style.Mono = true
		w.add(style, strings.ReplaceAll(string(spanText(n, w.src)), "\n", " "))
	case *ast.AutoLink:
		style.Link = string(n.URL(w.src))
		w.add(style, string(n.Label(w.src)))
	case *footnoteRef:
		number := strconv.Itoa(n.note.number)
		if _, more := n.NextSibling().(*footnoteRef); more {
			number += ","
		}
		style.Lift = 1
		w.add(style, number)
	case *ast.RawHTML:
		if name, _ := w.tag(n); name == "br" {
			w.text = bytes.TrimRight(w.text, " ")
			w.add(style, "\n")
			break
		}
		for i := range n.Segments.Len() {
			seg := n.Segments.At(i)
			w.add(style, string(seg.Value(w.src)))
		}
	case *east.TaskCheckBox: // is the marker of the item
	default:
		return false
	}
	return true
}

// styledBy returns the style of a node's children.
func styledBy(n ast.Node, style Run) Run {
	switch n := n.(type) {
	case *ast.Emphasis:
		if n.Level >= 2 {
			style.Bold = true
		} else {
			style.Italic = true
		}
	case *east.Strikethrough:
		style.Strike = true
	case *ast.Link:
		style.Link = string(n.Destination)
	case *ast.Image:
		style.Link = string(n.Destination)
	}
	return style
}

func spanText(n ast.Node, src []byte) []byte {
	var b []byte
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b = append(b, t.Segment.Value(src)...)
		}
	}
	return b
}
