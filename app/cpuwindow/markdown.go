package cpuwindow

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A document is an answer while it arrives and after: markdown split into blocks
// as it grows. Finished blocks are parsed once and never change; only the tail is
// parsed again. No Fyne here.
type document struct {
	md       parser.Parser
	source   []byte
	finished int    // bytes of source that are in leaves for good
	leaves   []leaf // of the finished blocks
	tail     []leaf // of what may still change
	remade   int    // grows where finished leaves turn out to be others, at the end
	dirty    bool
	pre      bool           // no markdown: shown as it is, line by line
	growing  []*highlighter // of the code blocks in the tail
}

// mdRun is a stretch of text in one style.
type mdRun struct {
	text   string
	bold   bool
	italic bool
	strike bool
	mono   bool
	link   string // address, or ""
}

// leafKind says how a leaf is drawn.
type leafKind int

const (
	leafPara leafKind = iota
	leafHeading
	leafCode
	leafTable
	leafRule
)

// The markers of task lists; the screen draws a box for them.
const (
	markOpen = "[ ]"
	markDone = "[x]"
)

// leaf is one drawable piece of an answer: a paragraph, a heading, an item of a
// list, a line of a quote, a code card, a table, a rule.
type leaf struct {
	kind   leafKind
	level  int    // heading
	indent int    // depth of lists around it
	quote  int    // depth of quotes around it
	marker string // "•", "3.", "☐"; first paragraph of a list item
	tight  bool   // close to what is above (items of a list)
	runs   []mdRun
	lang   string
	code   string
	spans  []codeSpan  // of shown
	table  [][][]mdRun // rows of cells; the first row is the header
	right  []bool      // columns aligned to the right
}

// shown is a leaf's code as it is drawn: without the last line break, with blanks
// for tabs.
func (l leaf) shown() string {
	return strings.ReplaceAll(strings.TrimRight(l.code, "\n"), "\t", "    ")
}

func newDocument() *document {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify, mathExtension{}))
	return &document{md: md.Parser()}
}

// parseDocument is a document of a text that is complete.
func parseDocument(s string) *document {
	d := newDocument()
	d.append(s)
	d.settle(true)
	return d
}

// newPreformatted is a document of a tool's result.
func newPreformatted() *document {
	d := newDocument()
	d.pre = true
	return d
}

// settlePre makes one block of everything.
func (d *document) settlePre(final bool) {
	d.leaves, d.tail = nil, nil
	if len(d.source) == 0 {
		return
	}
	all := []leaf{{kind: leafCode, code: string(d.source)}}
	if final {
		d.leaves, d.finished = all, len(d.source)
	} else {
		d.tail = all
	}
}

// append adds what arrived; it is parsed by the next settle.
func (d *document) append(s string) {
	if s == "" {
		return
	}
	d.source = append(d.source, s...)
	d.dirty = true
}

// replace sets the whole text, where it differs from what arrived.
func (d *document) replace(s string) {
	if string(d.source) == s {
		return
	}
	*d = document{md: d.md, pre: d.pre, remade: d.remade + 1}
	d.append(s)
}

// leafView is a document's leaves as they are now. They are never changed again, so
// any goroutine may read them.
type leafView struct {
	leaves []leaf // finished
	tail   []leaf // may be others next time
	remade int    // differs where finished leaves became others
}

// view gives the leaves.
func (d *document) view() leafView { return leafView{d.leaves, d.tail, d.remade} }

// eachLink gives the links in leaves with their words.
func eachLink(leaves []leaf, f func(words, url string)) {
	each := func(runs []mdRun) {
		for _, r := range runs {
			if r.link != "" {
				f(r.text, r.link)
			}
		}
	}
	for _, l := range leaves {
		each(l.runs)
		for _, cells := range l.table {
			for _, runs := range cells {
				each(runs)
			}
		}
	}
}

// text is everything that arrived.
func (d *document) text() string { return string(d.source) }

// settle parses the tail again. A block is finished once another begins on a line
// that is complete: nothing that arrives later can change it. With final, all is.
func (d *document) settle(final bool) {
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
func (d *document) settleAll() {
	var leaves []leaf
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
			leaves[i].spans = d.leaves[i].spans
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
func sameLeaf(a, b leaf) bool {
	a.spans, b.spans = nil, nil
	return reflect.DeepEqual(a, b)
}

// colourLeaves colours code that is complete.
func colourLeaves(leaves []leaf) {
	for i, l := range leaves {
		if l.kind == leafCode && l.lang != "" {
			leaves[i].spans = newHighlighter(l.lang).finished(l.shown())
		}
	}
}

// colourTail colours code that may still grow.
func (d *document) colourTail() {
	k := 0
	for i, l := range d.tail {
		if l.kind != leafCode || l.lang == "" {
			continue
		}
		code := l.shown()
		if k == len(d.growing) {
			d.growing = append(d.growing, newHighlighter(l.lang))
		} else if !d.growing[k].continues(l.lang, code) {
			d.growing[k] = newHighlighter(l.lang)
		}
		d.tail[i].spans = d.growing[k].grown(code)
		k++
	}
	d.growing = d.growing[:k]
}

// block is a top-level block: its source is tail[from:to], gaps before it included.
type block struct {
	from, to int
	leaves   []leaf
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

func appendLeaves(out []leaf, n ast.Node, src []byte, c leafContext) []leaf {
	base := leaf{indent: c.indent, quote: c.quote, marker: c.marker, tight: c.tight}
	switch n := n.(type) {
	case *ast.Heading:
		base.kind, base.level, base.runs = leafHeading, n.Level, inlineRuns(n, src)
		return append(out, base)
	case *ast.ThematicBreak:
		base.kind = leafRule
		return append(out, base)
	case *ast.FencedCodeBlock:
		base.kind, base.code, base.lang = leafCode, blockLines(n, src), string(n.Language(src))
		return append(out, base)
	case *ast.CodeBlock:
		base.kind, base.code = leafCode, blockLines(n, src)
		return append(out, base)
	case *ast.HTMLBlock:
		base.runs = []mdRun{{text: strings.TrimRight(blockLines(n, src)+closure(n, src), "\n")}}
		return append(out, base)
	case *ast.Blockquote:
		return appendChildren(out, n, src, leafContext{indent: c.indent, quote: c.quote + 1})
	case *ast.List:
		return appendList(out, n, src, c)
	case *east.Table:
		base.kind = leafTable
		base.table, base.right = tableCells(n, src)
		return append(out, base)
	}
	if n.Type() != ast.TypeBlock {
		return out
	}
	base.runs = inlineRuns(n, src)
	if len(base.runs) == 0 && base.marker == "" {
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

func appendChildren(out []leaf, n ast.Node, src []byte, c leafContext) []leaf {
	for ch := n.FirstChild(); ch != nil; ch = ch.NextSibling() {
		out = appendLeaves(out, ch, src, c)
		c.marker, c.tight = "", false
	}
	return out
}

func appendList(out []leaf, l *ast.List, src []byte, c leafContext) []leaf {
	number, first := l.Start, true
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "•"
		if l.IsOrdered() {
			marker = strconv.Itoa(number) + "."
			number++
		}
		ic := leafContext{indent: c.indent + 1, quote: c.quote, marker: marker, tight: !first || c.indent > 0}
		if box := taskBox(item); box != nil {
			ic.marker = markOpen
			if box.IsChecked {
				ic.marker = markDone
			}
		}
		if item.FirstChild() == nil {
			out = append(out, leaf{indent: ic.indent, quote: ic.quote, marker: ic.marker, tight: ic.tight})
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

func tableCells(t *east.Table, src []byte) (rows [][][]mdRun, right []bool) {
	for _, a := range t.Alignments {
		right = append(right, a == east.AlignRight)
	}
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		var cells [][]mdRun
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, inlineRuns(c, src))
		}
		rows = append(rows, cells)
	}
	return rows, right
}

// inlineRuns flattens a node's inline children to styled runs.
func inlineRuns(n ast.Node, src []byte) []mdRun {
	w := runWriter{src: src}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, mdRun{})
	}
	return w.out
}

type runWriter struct {
	src []byte
	out []mdRun
}

func (w *runWriter) add(style mdRun, s string) {
	if k := len(w.out) - 1; k >= 0 && strings.HasSuffix(w.out[k].text, "\n") {
		s = strings.TrimLeft(s, " ")
	}
	if s == "" {
		return
	}
	style.text = ""
	if k := len(w.out) - 1; k >= 0 {
		last := w.out[k]
		last.text = ""
		if last == style {
			w.out[k].text += s
			return
		}
	}
	style.text = s
	w.out = append(w.out, style)
}

// node writes a node and what is in it.
func (w *runWriter) node(n ast.Node, style mdRun) {
	if w.words(n, style) {
		return
	}
	style = styledBy(n, style)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, style)
	}
}

// words writes a node that holds words itself; false for one that other nodes are in.
func (w *runWriter) words(n ast.Node, style mdRun) bool {
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
	case *mathNode:
		w.math(n, style)
	case *ast.CodeSpan:
		style.mono = true
		w.add(style, strings.ReplaceAll(string(spanText(n, w.src)), "\n", " "))
	case *ast.AutoLink:
		style.link = string(n.URL(w.src))
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
func styledBy(n ast.Node, style mdRun) mdRun {
	switch n := n.(type) {
	case *ast.Emphasis:
		if n.Level >= 2 {
			style.bold = true
		} else {
			style.italic = true
		}
	case *east.Strikethrough:
		style.strike = true
	case *ast.Link:
		style.link = string(n.Destination)
	case *ast.Image:
		style.link = string(n.Destination)
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
