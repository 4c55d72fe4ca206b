package markdown

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// block is a top-level block. Its source is tail[from:to], including the gap before it.
type block struct {
	from, to int
	leaves   []Leaf
}

// splitBlocks parses src and splits it at its top-level blocks; the pieces joined are src. If
// it is the whole text, its footnotes are the last leaves.
func splitBlocks(p parser.Parser, src []byte, whole bool) []block {
	if len(src) == 0 {
		return nil
	}
	pc := newContext(whole)
	root := p.Parse(text.NewReader(src), parser.WithContext(pc))
	var out []block
	furthest := -1 // a heading below a table may report the place of the lines above it
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		b := block{from: blockStart(n, src)}
		own := b.from > furthest && !sharesLines(n, b.from, src)
		furthest = max(furthest, b.from)
		if len(out) == 0 {
			b.from = 0
		} else if !own {
			// a block without a place of its own belongs to the one before
			out[len(out)-1].leaves = appendLeaves(out[len(out)-1].leaves, n, src, leafContext{})
			continue
		}
		b.leaves = appendLeaves(nil, n, src, leafContext{})
		out = append(out, b)
	}
	if len(out) == 0 {
		return []block{{from: 0, to: len(src)}}
	}
	last := &out[len(out)-1]
	for i, n := range footnotesOf(pc).used {
		if i == 0 {
			last.leaves = append(last.leaves, Leaf{Kind: Rule, Footnote: true})
		}
		from := len(last.leaves)
		if n.FirstChild() == nil {
			last.leaves = append(last.leaves, Leaf{Indent: 1, Marker: strconv.Itoa(n.number) + ".", Tight: i > 0})
		}
		last.leaves = appendChildren(last.leaves, n, src, leafContext{indent: 1, marker: strconv.Itoa(n.number) + ".", tight: i > 0})
		for j := range last.leaves[from:] {
			last.leaves[from+j].Footnote = true
		}
	}
	for i := range out {
		out[i].to = len(src)
		if i+1 < len(out) {
			out[i].to = out[i+1].from
		}
	}
	return out
}

// sharesLines reports whether a block was made from the last lines of a paragraph, which
// alone may parse differently.
func sharesLines(n ast.Node, from int, src []byte) bool {
	_, table := n.(*east.Table)
	return table && from > 1 && len(bytes.TrimSpace(src[lineStart(src, from-1):from])) > 0
}

// blockStart returns the offset of the line a block begins on, or -1.
func blockStart(n ast.Node, src []byte) int {
	at := nodeStart(n)
	if at < 0 {
		return -1
	}
	return lineStart(src, at)
}

// nodeStart returns an offset in the node's first line, or -1.
func nodeStart(n ast.Node) int {
	if t, ok := n.(*east.Table); ok && t.FirstChild() != nil { // the table's own place includes the lines before it
		return t.FirstChild().Pos()
	}
	if p := n.Pos(); p >= 0 {
		return p
	}
	if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		return n.Lines().At(0).Start
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			return t.Segment.Start
		}
		if at := nodeStart(c); at >= 0 {
			return at
		}
	}
	return -1
}

func lineStart(src []byte, at int) int {
	at = min(at, len(src))
	return bytes.LastIndexByte(src[:at], '\n') + 1
}

// leafContext holds how deep in lists and quotes a node is.
type leafContext struct {
	indent, quote int
	marker        string
	tight         bool
}

func appendLeaves(out []Leaf, n ast.Node, src []byte, c leafContext) []Leaf {
	base := Leaf{Indent: c.indent, Quote: c.quote, Marker: c.marker, Tight: c.tight}
	switch n := n.(type) {
	case *ast.Heading:
		base.Kind, base.Level, base.Runs = Heading, n.Level, inlineRuns(n, src)
		return append(out, base)
	case *ast.ThematicBreak:
		base.Kind = Rule
		return append(out, base)
	case *ast.FencedCodeBlock:
		base.Kind, base.Code, base.Lang = Code, blockLines(n, src), string(n.Language(src))
		return append(out, base)
	case *ast.CodeBlock:
		base.Kind, base.Code = Code, blockLines(n, src)
		return append(out, base)
	case *ast.HTMLBlock:
		base.Runs = []Run{{Text: strings.TrimRight(blockLines(n, src)+closingLine(n, src), "\n")}}
		return append(out, base)
	case *footnote:
		if n.number > 0 { // at the end
			return out
		}
		return appendUnused(out, n, src, c)
	case *ast.Blockquote:
		return appendChildren(out, n, src, leafContext{indent: c.indent, quote: c.quote + 1})
	case *ast.List:
		return appendList(out, n, src, c)
	case *east.Table:
		base.Kind = Table
		base.Table, base.Right = tableCells(n, src)
		return append(out, base)
	}
	if n.Type() != ast.TypeBlock {
		return out
	}
	base.Runs = inlineRuns(n, src)
	if len(base.Runs) == 0 && base.Marker == "" {
		return out
	}
	return append(out, base)
}

// appendUnused appends a footnote that nothing refers to, as it was written.
func appendUnused(out []Leaf, n *footnote, src []byte, c leafContext) []Leaf {
	from := len(out)
	out = appendChildren(out, n, src, c)
	label := Run{Text: "[^" + n.label + "]: "}
	if len(out) == from || out[from].Kind != Paragraph || out[from].Marker != c.marker {
		return slices.Insert(out, from, Leaf{Indent: c.indent, Quote: c.quote, Marker: c.marker, Tight: c.tight, Runs: []Run{label}})
	}
	if runs := out[from].Runs; len(runs) > 0 && runs[0] == (Run{Text: runs[0].Text}) {
		runs[0].Text = label.Text + runs[0].Text
	} else {
		out[from].Runs = append([]Run{label}, runs...)
	}
	return out
}

func closingLine(n *ast.HTMLBlock, src []byte) string {
	if !n.HasClosure() {
		return ""
	}
	return string(n.ClosureLine.Value(src))
}

func appendChildren(out []Leaf, n ast.Node, src []byte, c leafContext) []Leaf {
	for ch := n.FirstChild(); ch != nil; ch = ch.NextSibling() {
		out = appendLeaves(out, ch, src, c)
		c.marker, c.tight = "", false
	}
	return out
}

func appendList(out []Leaf, l *ast.List, src []byte, c leafContext) []Leaf {
	number, first := l.Start, true
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "•"
		if l.IsOrdered() {
			marker = strconv.Itoa(number) + "."
			number++
		}
		ic := leafContext{indent: c.indent + 1, quote: c.quote, marker: marker, tight: !first || c.indent > 0}
		if box := taskBox(item); box != nil {
			ic.marker = TaskOpen
			if box.IsChecked {
				ic.marker = TaskDone
			}
		}
		if item.FirstChild() == nil {
			out = append(out, Leaf{Indent: ic.indent, Quote: ic.quote, Marker: ic.marker, Tight: ic.tight})
		}
		out = appendChildren(out, item, src, ic)
		first = false
	}
	return out
}

func taskBox(item ast.Node) *east.TaskCheckBox {
	if p := item.FirstChild(); p != nil {
		if box, ok := p.FirstChild().(*east.TaskCheckBox); ok {
			return box
		}
	}
	return nil
}

func blockLines(n ast.Node, src []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(src))
	}
	return b.String()
}

func tableCells(t *east.Table, src []byte) (rows [][][]Run, right []bool) {
	for _, a := range t.Alignments {
		right = append(right, a == east.AlignRight)
	}
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		var cells [][]Run
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, inlineRuns(c, src))
		}
		rows = append(rows, cells)
	}
	return rows, right
}
