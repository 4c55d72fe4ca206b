package memory

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// Piece is a part of a memory file that says one thing: a bullet with what belongs to
// it, a paragraph, a table, a code block.
type Piece struct {
	Line    int    // 1-based, of its first line
	Text    string // without the bullet's sign and comments
	From    string // the provenance comment's words, e.g. "2026-11-21 cpu-k3x9qa"
	Heading string // the one it stands under; "" for none
}

// Pieces takes a memory file apart, in its order. Headings alone are no pieces.
func (f File) Pieces() []Piece {
	var out []Piece
	heading := ""
	for _, it := range parseMemory(f.Text).items {
		switch it.kind {
		case itemHeading:
			heading = transcript.OneLine(strings.Trim(it.lines[0], "# \t"))
		case itemBullet:
			if b, ok := it.bullet(); ok {
				out = append(out, Piece{Line: b.Line, Text: b.Text, From: b.From, Heading: heading})
			}
		case itemProse:
			text := transcript.TrimBlankLines(withoutComments(strings.Join(it.lines, "\n")))
			if text != "" && !isRule(text) {
				out = append(out, Piece{Line: it.first + 1, Text: text, Heading: heading})
			}
		}
	}
	return out
}
