package memorytext

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// Piece is a part of a memory file about one thing: a bullet with its continuation lines, a
// paragraph, a table, a code block.
type Piece struct {
	Line    int    // 1-based number of its first line
	Text    string // without the bullet's sign and comments
	From    string // the provenance comment's words, e.g. "2026-11-21 cpu-k3x9qa"
	Heading string // the heading it is under; "" if none
}

// Pieces splits a memory into pieces, in its order. A heading alone isn't a piece.
func Pieces(text string) []Piece {
	var out []Piece
	heading := ""
	for _, it := range Parse(text).Items {
		switch it.Kind {
		case Heading:
			heading = transcript.OneLine(strings.Trim(it.Lines[0], "# \t"))
		case Bulleted:
			if b, ok := it.Bullet(); ok {
				out = append(out, Piece{Line: b.Line, Text: b.Text, From: b.From, Heading: heading})
			}
		case Prose:
			text := transcript.TrimBlankLines(withoutComments(strings.Join(it.Lines, "\n")))
			if text != "" && !isRule(text) {
				out = append(out, Piece{Line: it.First + 1, Text: text, Heading: heading})
			}
		}
	}
	return out
}
