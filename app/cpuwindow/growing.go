package cpuwindow

import (
	"bytes"
	"reflect"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
)

// A block that grows long (one list, one table, one paragraph, one piece of code)
// would be parsed again and again as a whole. So it is cut where nothing that arrives
// later can change what was before: items of a list and blocks of a quote are finished
// one by one, rows, lines of code and words are set aside and the rest is parsed alone.
// A cut is made only if the two parts give what the whole gives.

const (
	cutFrom = 1 << 10 // bytes of a tail from which on it is cut

	// openFor is how many bytes a marker that stands alone in a paragraph may wait for
	// the one that closes it. Then it is text, until the answer is there as a whole.
	openFor = 8 << 10
)

// begun is how the tail's first block began, where that is not parsed again.
type begun struct {
	at    int    // bytes of source before the part that is
	head  []byte // what stands before the part so that it is read as what it is: the first two lines of a table, the first one of code
	above []leaf // the lines right above a table
	leaf  *leaf  // a table, code or a paragraph, so far
	list  bool   // the part begins within a list …
	next  int    // … whose next item has this number
}

// cutting is a place where a block can be cut.
type cutting struct {
	at    int // in the parsed source
	after begun
	one   bool // the parts are of one table, paragraph or piece of code
	words bool // of one paragraph
}

// parse gives the blocks of a part of the source, their places counted from its
// beginning.
func (o begun) parse(p parser.Parser, part []byte) []block {
	src := part
	if len(o.head) > 0 {
		src = slices.Concat(o.head, part)
	}
	blocks := splitBlocks(p, src, leafContext{within: o.list, next: o.next})
	for i := range blocks {
		blocks[i].from = max(0, blocks[i].from-len(o.head))
		blocks[i].to -= len(o.head)
	}
	return blocks
}

// join puts what was before to the first block; it reports whether that is still of
// the same kind.
func (o begun) join(blocks []block) bool {
	if o.leaf == nil {
		return true
	}
	if len(blocks) == 0 || len(blocks[0].leaves) == 0 {
		return false
	}
	now := &blocks[0].leaves[0]
	_, paragraph := blocks[0].node.(*ast.Paragraph)
	if now.kind != o.leaf.kind || now.kind == leafPara && !paragraph {
		return false
	}
	*now = joined(*o.leaf, *now)
	blocks[0].leaves = slices.Concat(o.above, blocks[0].leaves)
	return true
}

// joined is a table, a piece of code or a paragraph with its second part.
func joined(a, b leaf) leaf {
	switch a.kind {
	case leafTable:
		a.table = slices.Concat(a.table, b.table[1:])
		return a
	case leafCode:
		a.code += b.code
		return a
	}
	w := runWriter{out: slices.Clone(a.runs)}
	for _, r := range b.runs {
		w.add(r, r.text)
	}
	a.runs = w.out
	return a
}

// parseTail gives the blocks of what is not finished, their places counted from
// there.
func (d *document) parseTail() []block {
	blocks := d.open.parse(d.md, d.source[d.open.at:])
	if d.open.join(blocks) {
		for i := range blocks {
			if i > 0 {
				blocks[i].from += d.open.at - d.finished
			}
			blocks[i].to += d.open.at - d.finished
		}
		return blocks
	}
	// What arrived made something else of all of it: a heading, mostly.
	d.open, d.cutAt = begun{at: d.finished}, 2*(len(d.source)-d.finished)
	return d.open.parse(d.md, d.source[d.finished:])
}

// cut cuts the block the tail consists of, where that is long.
func (d *document) cut() {
	part := d.source[d.open.at:]
	if len(part) < max(d.cutAt, cutFrom) {
		return
	}
	d.cutAt = len(part) + len(part)/4 // unless it succeeds
	whole := d.open.parse(d.md, part)
	if len(whole) != 1 {
		return
	}
	src := slices.Concat(d.open.head, part)
	c, ok := findCut(whole[0], src, d.open)
	at := c.at - len(d.open.head)
	if !ok || at <= 0 || at >= len(part) {
		return
	}
	first, second := d.open.parse(d.md, part[:at]), c.after.parse(d.md, part[at:])
	if len(first) != 1 || len(second) != 1 || !fits(c, first[0].leaves, second[0].leaves, whole[0].leaves) {
		return
	}
	c.after.at, d.cutAt = d.open.at+at, 0
	if c.one {
		if c.words {
			first[0].leaves[0] = spaced(first[0].leaves[0])
		}
		d.open.join(first)
		last := len(first[0].leaves) - 1
		c.after.above, c.after.leaf = first[0].leaves[:last], &first[0].leaves[last]
		d.open = c.after
		return
	}
	colourLeaves(first[0].leaves)
	d.leaves = append(d.leaves, first[0].leaves...)
	d.tail = second[0].leaves
	d.finished, d.open = c.after.at, c.after
}

// fits says whether two parts give what the whole gave.
func fits(c cutting, first, second, whole []leaf) bool {
	if !c.one {
		return reflect.DeepEqual(slices.Concat(first, second), whole)
	}
	last := len(whole) - 1
	if last < 0 || len(first) != len(whole) || len(second) != 1 || first[last].kind != whole[last].kind || second[0].kind != whole[last].kind {
		return false
	}
	begins := first[last]
	if c.words {
		begins = spaced(begins)
	}
	return reflect.DeepEqual(append(first[:last:last], joined(begins, second[0])), whole)
}

// spaced is a paragraph with the blank after it that a cut takes away.
func spaced(l leaf) leaf {
	w := runWriter{out: slices.Clone(l.runs)}
	w.add(run{}, " ")
	l.runs = w.out
	return l
}

// findCut looks for the last place where a block can be cut.
func findCut(b block, src []byte, o begun) (cutting, bool) {
	switch n := b.node.(type) {
	case *ast.List, *ast.Blockquote:
		return cutChildren(n, src, o)
	case *east.Table:
		return cutTable(n, src)
	case *ast.FencedCodeBlock:
		return cutCode(n, src)
	case *ast.Paragraph:
		if table, ok := n.NextSibling().(*east.Table); ok && len(b.leaves) == 2 { // right below
			return cutTable(table, src)
		}
		at := cutWords(n, src)
		return cutting{at: at, one: true, words: true}, at > 0
	}
	return cutting{}, false
}

// cutChildren cuts before the last item of a list, or the last block of a quote
// (or of a list in it), whose first line is whole: what is before that is closed.
func cutChildren(n ast.Node, src []byte, o begun) (c cutting, ok bool) {
	within := o.list
	for {
		last, number := n.LastChild(), n.ChildCount()-1
		if last != nil && !lineIsWhole(last, src) {
			last, number = last.PreviousSibling(), number-1
		}
		if last == nil {
			return c, ok
		}
		if at := blockStart(last, src); at > 0 && last != n.FirstChild() {
			c, ok = cutting{at: at}, true
			if l, isList := n.(*ast.List); isList {
				c.after = begun{list: true, next: number + l.Start}
				if within {
					c.after.next = number + o.next
				}
			}
		}
		if _, quote := n.(*ast.Blockquote); !quote {
			return c, ok
		}
		within = within && last == n.FirstChild()
		switch last.(type) {
		case *ast.List, *ast.Blockquote:
			n = last
		default:
			return c, ok
		}
	}
}

// lineIsWhole says whether the line a block begins on has arrived.
func lineIsWhole(n ast.Node, src []byte) bool {
	at := blockStart(n, src)
	return at >= 0 && bytes.IndexByte(src[at:], '\n') >= 0
}

// cutTable cuts before the last line of a table. Its first two lines stay with
// what follows.
func cutTable(n *east.Table, src []byte) (cutting, bool) {
	from := blockStart(n, src)
	at := lineStart(src, len(src)-1)
	if from < 0 || at <= from {
		return cutting{}, false
	}
	return cutBelow(src, from, 2, at)
}

// cutCode cuts before the last line of a piece of code. Its fence stays with what
// follows.
func cutCode(n *ast.FencedCodeBlock, src []byte) (cutting, bool) {
	return cutBelow(src, blockStart(n, src), 1, lineStart(src, len(src)))
}

// cutBelow cuts at a place below the first lines of a block, which stay with what
// follows.
func cutBelow(src []byte, from, lines, at int) (cutting, bool) {
	if from < 0 {
		return cutting{}, false
	}
	head := from
	for range lines {
		end := bytes.IndexByte(src[head:], '\n')
		if end < 0 {
			return cutting{}, false
		}
		head += end + 1
	}
	return cutting{at: at, one: true, after: begun{head: slices.Clone(src[from:head])}}, at > head
}

// cutWords is the last place between two words of a paragraph up to which all that
// can be opened is closed, or 0. What follows begins with a letter, so it can't be
// taken for the beginning of another block.
func cutWords(n *ast.Paragraph, src []byte) int {
	start := nodeStart(n)
	if start < 0 || src[start] == '[' { // may be the definition of a link
		return 0
	}
	limit := firstOpen(n, src)
	for c := n.LastChild(); c != nil; c = c.PreviousSibling() {
		t, ok := c.(*ast.Text)
		if !ok || t.Segment.Start > limit {
			continue
		}
		if at := cutText(t, src, limit); at > start {
			return at
		}
	}
	return 0
}

// cutText is the last place in a text, or at its end, where a word begins.
func cutText(t *ast.Text, src []byte, limit int) int {
	seg := t.Segment
	if next, ok := t.NextSibling().(*ast.Text); ok && t.SoftLineBreak() && next.Segment.Start == seg.Stop+1 &&
		next.Segment.Start <= limit && src[seg.Stop] == '\n' && startsWord(src, seg.Stop+1) {
		return seg.Stop + 1
	}
	for at := min(limit, seg.Stop-1); at > seg.Start+1; at-- {
		if src[at-1] == ' ' && startsWord(src, at) {
			return at
		}
	}
	return 0
}

// startsWord says whether a letter stands at a place, and a visible character that
// is no backslash before the one blank before it.
func startsWord(src []byte, at int) bool {
	if at < 2 || bytes.IndexByte([]byte(" \t\r\n\\"), src[at-2]) >= 0 {
		return false
	}
	r, _ := utf8.DecodeRune(src[at:])
	return unicode.IsLetter(r)
}

// firstOpen is the first place in a node's texts of something that a later text
// could close: markers of emphasis, code, links, HTML and formulas that stand alone.
func firstOpen(n ast.Node, src []byte) int {
	limit, old := len(src), len(src)-openFor
	var brackets []int
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		t, ok := n.(*ast.Text)
		if !ok || !entering || n.Parent().Kind() == ast.KindCodeSpan {
			return ast.WalkContinue, nil
		}
		for i := t.Segment.Start; i < t.Segment.Stop && i < limit; i++ {
			switch {
			case i < old:
			case src[i] == '[':
				brackets = append(brackets, i)
			case src[i] == ']' && len(brackets) > 0:
				brackets = brackets[:len(brackets)-1]
			case opens(src, i):
				limit = i
			case src[i] == '\\':
				i++ // the next one is no marker
			}
		}
		return ast.WalkContinue, nil
	})
	if len(brackets) > 0 {
		limit = min(limit, brackets[0])
	}
	return limit
}

// opens says whether a marker at i, of which nothing was made so far, may still
// be the beginning of something.
func opens(src []byte, i int) bool {
	next := byte('\n')
	if i+1 < len(src) {
		next = src[i+1]
	}
	blank := next == ' ' || next == '\n'
	switch src[i] {
	case '`':
		return true
	case '*', '~', '$':
		return !blank
	case '_':
		before, _ := utf8.DecodeLastRune(src[:i])
		return !blank && !unicode.IsLetter(before) && !unicode.IsDigit(before)
	case '<':
		return unicode.IsLetter(rune(next)) || next == '/' || next == '!' || next == '?'
	case '\\':
		return next == '(' || next == '['
	}
	return false
}
