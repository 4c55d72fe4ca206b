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

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

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

// View gives the leaves.
func (d *Document) View() View { return View{d.leaves, d.tail, d.remade} }

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
