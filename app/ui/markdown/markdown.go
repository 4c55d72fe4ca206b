// Package markdown turns an answer, while it arrives and after, into what is drawn:
// paragraphs, headings, items of lists, code, tables.
//
// A Document takes text in pieces of any size. What is finished is parsed once and
// never changes; only the last block, which may go on, is parsed again by each Settle.
// The end result is the one that parsing the whole text at once gives. Code is
// coloured here too, by chroma, and LaTeX is put into signs that a text font has.
//
// There is no screen in it: no font, no colour, no width. A Document is not safe for
// use by several goroutines, and parsing takes milliseconds: callers do it off the UI
// goroutine and hand on a View, whose leaves are never changed again. Raw HTML is
// text, and a link is an address that nobody has checked.
package markdown

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"mac-stats/app/ui/formula"
)

// A Document is an answer while it arrives and after: markdown split into blocks
// as it grows.
type Document struct {
	md       parser.Parser
	source   []byte
	finished int    // bytes of source that are in leaves for good
	leaves   []Leaf // of the finished blocks
	tail     []Leaf // of what may still change
	remade   int    // grows where finished leaves turn out to be others, at the end
	dirty    bool
	pre      bool           // no markdown: shown as it is, line by line
	growing  []*highlighter // of the code blocks in the tail
}

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

// New is a document that text is appended to.
func New() *Document {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify, formula.Extension{}))
	return &Document{md: md.Parser()}
}

// Parse is a document of a text that is complete.
func Parse(s string) *Document {
	d := New()
	d.Append(s)
	d.Settle(true)
	return d
}

// NewPreformatted is a document of a tool's result.
func NewPreformatted() *Document {
	d := New()
	d.pre = true
	return d
}

// settlePre makes one block of everything.
func (d *Document) settlePre(final bool) {
	d.leaves, d.tail = nil, nil
	if len(d.source) == 0 {
		return
	}
	all := []Leaf{{Kind: Code, Code: string(d.source)}}
	if final {
		d.leaves, d.finished = all, len(d.source)
	} else {
		d.tail = all
	}
}

// Append adds what arrived; it is parsed by the next settle.
func (d *Document) Append(s string) {
	if s == "" {
		return
	}
	d.source = append(d.source, s...)
	d.dirty = true
}

// Replace sets the whole text, where it differs from what arrived.
func (d *Document) Replace(s string) {
	if string(d.source) == s {
		return
	}
	*d = Document{md: d.md, pre: d.pre, remade: d.remade + 1}
	d.Append(s)
}

// View is a document's leaves as they are now. They are never changed again, so
// any goroutine may read them.
type View struct {
	Leaves []Leaf // finished
	Tail   []Leaf // may be others next time
	Remade int    // differs where finished leaves became others
}

// View gives the leaves.
func (d *Document) View() View { return View{d.leaves, d.tail, d.remade} }

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

// Text is everything that arrived.
func (d *Document) Text() string { return string(d.source) }

// Settle parses the tail again. A block is finished once another begins on a line
// that is complete: nothing that arrives later can change it. With final, all is.
func (d *Document) Settle(final bool) {
	if !d.dirty && (!final || d.finished == len(d.source)) {
		return
	}
	d.dirty = false
	if d.pre {
		d.settlePre(final)
		return
	}
	if final {
		d.settleAll()
		return
	}
	blocks := splitBlocks(d.md, d.source[d.finished:])
	done := 0
	for i := 1; i < len(blocks); i++ {
		if bytes.IndexByte(d.source[d.finished+blocks[i].from:], '\n') >= 0 {
			done = i
		}
	}
	for _, b := range blocks[:done] {
		colourLeaves(b.leaves)
		d.leaves = append(d.leaves, b.leaves...)
	}
	if done > 0 {
		d.finished += blocks[done].from
	}
	d.tail = nil
	for _, b := range blocks[done:] {
		d.tail = append(d.tail, b.leaves...)
	}
	d.colourTail()
}

// settleAll parses everything at once, for good: a link may be defined below where
// it is used.
func (d *Document) settleAll() {
	var leaves []Leaf
	for _, b := range splitBlocks(d.md, d.source) {
		leaves = append(leaves, b.leaves...)
	}
	same := len(leaves) >= len(d.leaves)
	for i, l := range leaves {
		known := same && i < len(d.leaves)
		if known && !sameLeaf(l, d.leaves[i]) {
			same, known = false, false
			d.remade++
		}
		if known {
			leaves[i].Spans = d.leaves[i].Spans
		} else {
			colourLeaves(leaves[i : i+1])
		}
	}
	if len(leaves) < len(d.leaves) {
		d.remade++
	}
	d.leaves, d.tail, d.growing = leaves, nil, nil
	d.finished = len(d.source)
}

// sameLeaf compares all but the colours.
func sameLeaf(a, b Leaf) bool {
	a.Spans, b.Spans = nil, nil
	return reflect.DeepEqual(a, b)
}

// colourLeaves colours code that is complete.
func colourLeaves(leaves []Leaf) {
	for i, l := range leaves {
		if l.Kind == Code && l.Lang != "" {
			leaves[i].Spans = newHighlighter(l.Lang).finished(l.Shown())
		}
	}
}

// colourTail colours code that may still grow.
func (d *Document) colourTail() {
	k := 0
	for i, l := range d.tail {
		if l.Kind != Code || l.Lang == "" {
			continue
		}
		code := l.Shown()
		if k == len(d.growing) {
			d.growing = append(d.growing, newHighlighter(l.Lang))
		} else if !d.growing[k].continues(l.Lang, code) {
			d.growing[k] = newHighlighter(l.Lang)
		}
		d.tail[i].Spans = d.growing[k].grown(code)
		k++
	}
	d.growing = d.growing[:k]
}

// block is a top-level block: its source is tail[from:to], gaps before it included.
type block struct {
	from, to int
	leaves   []Leaf
}

// splitBlocks parses src and cuts it at its top-level blocks; the pieces put
// together are src.
func splitBlocks(p parser.Parser, src []byte) []block {
	if len(src) == 0 {
		return nil
	}
	root := p.Parse(text.NewReader(src))
	var out []block
	furthest := -1 // a heading below a table can have the place of the lines above it
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		b := block{from: blockStart(n, src)}
		own := b.from > furthest && !sharesLines(n, b.from, src)
		furthest = max(furthest, b.from)
		if len(out) == 0 {
			b.from = 0
		} else if !own {
			// a block without a place of its own stays with the one before
			out[len(out)-1].leaves = appendLeaves(out[len(out)-1].leaves, n, src, leafContext{})
			continue
		}
		b.leaves = appendLeaves(nil, n, src, leafContext{})
		out = append(out, b)
	}
	if len(out) == 0 {
		return []block{{from: 0, to: len(src)}}
	}
	for i := range out {
		out[i].to = len(src)
		if i+1 < len(out) {
			out[i].to = out[i+1].from
		}
	}
	return out
}

// sharesLines says whether a block was made of the last lines of a paragraph, which
// alone may be something else.
func sharesLines(n ast.Node, from int, src []byte) bool {
	_, table := n.(*east.Table)
	return table && from > 1 && len(bytes.TrimSpace(src[lineStart(src, from-1):from])) > 0
}

// blockStart is the first byte of the line a block begins on, or -1.
func blockStart(n ast.Node, src []byte) int {
	at := nodeStart(n)
	if at < 0 {
		return -1
	}
	return lineStart(src, at)
}

// nodeStart is a byte inside the node's first line, or -1.
func nodeStart(n ast.Node) int {
	if t, ok := n.(*east.Table); ok && t.FirstChild() != nil { // its own place is that of the lines before it, too
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

// leafContext is where in lists and quotes a node is.
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
		base.Runs = []Run{{Text: strings.TrimRight(blockLines(n, src)+closure(n, src), "\n")}}
		return append(out, base)
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

func closure(n *ast.HTMLBlock, src []byte) string {
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

// inlineRuns flattens a node's inline children to styled runs.
func inlineRuns(n ast.Node, src []byte) []Run {
	w := runWriter{src: src}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, Run{})
	}
	return w.runs()
}

// runWriter puts runs together. Its cost is linear in what it writes.
type runWriter struct {
	src  []byte
	out  []Run  // the last one without its text, …
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

// runs are what was written.
func (w *runWriter) runs() []Run {
	if k := len(w.out) - 1; k >= 0 {
		w.out[k].Text = string(w.text)
	}
	return w.out
}

// node writes a node and what is in it.
func (w *runWriter) node(n ast.Node, style Run) {
	if w.words(n, style) {
		return
	}
	style = styledBy(n, style)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, style)
	}
	if img, ok := n.(*ast.Image); ok && !n.HasChildren() { // without words there is nothing to press
		words := style.Link
		if strings.HasPrefix(words, "data:") {
			words = " "
		}
		w.add(styledBy(img, style), words)
	}
}

// words writes a node that holds words itself; false for one that other nodes are in.
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
	case *east.TaskCheckBox: // a marker of the item
	default:
		return false
	}
	return true
}

// styledBy is the style of what is in a node.
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
