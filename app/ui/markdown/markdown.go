// Package markdown turns an answer, while it arrives and afterwards, into what is drawn:
// paragraphs, headings, list items, code, tables.
//
// A Document takes text in pieces of any size. Finished blocks are parsed once and never
// change; only the last block, which may continue, is parsed again by each Settle. The
// result is the same as parsing the whole text at once. Code is coloured here too, by
// chroma, and LaTeX is turned into the characters of a text font.
//
// The package knows no screen: no font, no colour, no width. A Document isn't safe for use
// by several goroutines, and parsing takes milliseconds: callers do it off the UI goroutine
// and pass on a View, whose leaves never change. Raw HTML is text (but for line breaks,
// lowered and raised text and keys), and a link is an unchecked address.
package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/parser"
)

// A Document is an answer, while it arrives and afterwards: markdown split into blocks as
// it grows.
type Document struct {
	md       parser.Parser
	source   []byte
	finished int    // bytes of source whose leaves are finished
	leaves   []Leaf // of the finished blocks
	tail     []Leaf // of the rest, which may still change
	rebuilt  int    // incremented when the end of the text changes finished leaves
	dirty    bool
	pre      bool           // not markdown: shown unchanged, line by line
	growing  []*highlighter // for the code blocks in the tail
}

// New returns an empty document for markdown.
func New() *Document {
	return &Document{md: newParser()}
}

// Parse returns the document of a complete text.
func Parse(s string) *Document {
	d := New()
	d.Append(s)
	d.Settle(true)
	return d
}

// NewPreformatted returns an empty document for a tool's result.
func NewPreformatted() *Document {
	d := New()
	d.pre = true
	return d
}

// settlePre makes one block of the whole text.
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

// Append appends text; the next Settle parses it.
func (d *Document) Append(s string) {
	if s == "" {
		return
	}
	d.source = append(d.source, s...)
	d.dirty = true
}

// Replace sets the whole text, if it differs from the text so far.
func (d *Document) Replace(s string) {
	if string(d.source) == s {
		return
	}
	*d = Document{md: d.md, pre: d.pre, rebuilt: d.rebuilt + 1}
	d.Append(s)
}

// View returns the current leaves.
func (d *Document) View() View { return View{d.leaves, d.tail, d.rebuilt} }

// Text returns the whole text so far.
func (d *Document) Text() string { return string(d.source) }

// Settle parses the tail again. A block is finished once another block begins on a complete
// line, because later text can't change it. If final is set, all blocks are finished.
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
	blocks := splitBlocks(d.md, d.source[d.finished:], false)
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

// settleAll parses the whole text and finishes all blocks: a link or a footnote may be defined
// below the place that uses it, and the end of a code block in another one.
func (d *Document) settleAll() {
	var leaves []Leaf
	for _, b := range splitBlocks(d.md, d.source, true) {
		leaves = append(leaves, b.leaves...)
	}
	same := len(leaves) >= len(d.leaves)
	for i, l := range leaves {
		known := same && i < len(d.leaves)
		if known && !sameLeaf(l, d.leaves[i]) {
			same, known = false, false
			d.rebuilt++
		}
		if known {
			leaves[i].Spans = d.leaves[i].Spans
		} else {
			colourLeaves(leaves[i : i+1])
		}
	}
	if len(leaves) < len(d.leaves) {
		d.rebuilt++
	}
	d.leaves, d.tail, d.growing = leaves, nil, nil
	d.finished = len(d.source)
}

// colourLeaves colours complete code.
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
