package memorytext

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// Piece is a part of a memory file about one thing: a bullet with its continuation lines, a
// paragraph, a table, a code block, or a heading with nothing below it.
type Piece struct {
	Line    int    // 1-based number of its first line
	Text    string // without the bullet's sign and comments
	From    string // the provenance comment's words, e.g. "2026-11-21 cpu-k3x9qa"
	Heading string // the heading it is under; "" if none
	Item    int    // its index in Text.Items
}

// Pieces splits a memory into pieces, in its order.
func Pieces(text string) []Piece { return Parse(text).Pieces() }

// Pieces returns the pieces of a memory, in its order.
func (m Text) Pieces() []Piece {
	var out []Piece
	heading := ""
	filled := m.filled()
	for i, it := range m.Items {
		p := Piece{Line: it.First + 1, Heading: heading, Item: i}
		switch it.Kind {
		case Heading:
			heading = headingText(m.visible(it.First))
			if p.Text = heading; filled[i] {
				continue
			}
			p.Heading = ""
		case Bulleted:
			b, _ := it.Bullet()
			p.Text, p.From = b.Text, b.From
		case Prose:
			p.Text = transcript.TrimBlankLines(strings.Join(m.visibleLines(it), "\n"))
			if isRule(p.Text) {
				continue
			}
		}
		if p.Text != "" {
			out = append(out, p)
		}
	}
	return out
}

// filled reports of each heading whether it only names what stands below it. A title does,
// even if nothing does: the only heading of level 1, as the first of the file. So does the
// app's own heading.
func (m Text) filled() map[int]bool {
	filled := map[int]bool{}
	parent := parents(m.Items)
	first, tops := -1, 0
	for i, it := range m.Items {
		if parent[i] >= 0 && it.Kind != Blank && (it.Kind != Prose || !isRule(strings.Join(it.Lines, "\n"))) {
			filled[parent[i]] = true
		}
		if it.Kind != Heading {
			continue
		}
		if first < 0 {
			first = i
		}
		if it.level == 1 {
			tops++
		}
		if isOwn(it) {
			filled[i] = true
		}
	}
	if tops == 1 && m.Items[first].level == 1 {
		filled[first] = true
	}
	return filled
}

// visible returns a line without comments.
func (m Text) visible(i int) string {
	if bare, touched := m.bare[i]; touched {
		return bare
	}
	return m.Lines[i]
}

// visibleLines returns an item's lines without comments, and without the lines that hold
// nothing else.
func (m Text) visibleLines(it Item) []string {
	if len(m.bare) == 0 {
		return it.Lines
	}
	out := make([]string, 0, len(it.Lines))
	for n, line := range it.Lines {
		if bare, touched := m.bare[it.First+n]; !touched {
			out = append(out, line)
		} else if bare != "" {
			out = append(out, bare)
		}
	}
	return out
}
