package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"mac-stats/app/ui/formula"
)

// inlineRuns flattens a node's inline children into styled runs.
func inlineRuns(n ast.Node, src []byte) []Run {
	w := runWriter{src: src}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, Run{})
	}
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
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, style)
	}
	if img, ok := n.(*ast.Image); ok && !n.HasChildren() { // a link needs text to be tapped
		words := style.Link
		if strings.HasPrefix(words, "data:") {
			words = " "
		}
		w.add(styledBy(img, style), words)
	}
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
	case *ast.RawHTML:
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
