package corpus

import (
	"slices"

	"mac-stats/sessionmem/recall/index"
)

// Every part of a block takes a number in its strand, even if it holds nothing to find, so
// that the neighbours of the other parts stay the same.

// Piece is a chunk with its place, ready for analysis.
type Piece struct {
	Chunk
	Strand index.Strand
	Seq    int // number in the strand
	Place  Place
	Empty  bool // nothing to find: it only takes its number
}

// Place is where the text of a chunk can be read again.
type Place struct {
	file   string // relative to the session folder; "" for memory files
	Offset int64
	size   int64
	bare   bool
	Hash   uint64 // of the part's text

	of *index.Source // as it was indexed
}

// Passage returns the piece as the index takes it; file is its index among the source's files.
func (p *Piece) Passage(file int) index.Passage {
	d := index.Passage{
		Strand: p.Strand, Kind: index.Kind(max(slices.Index(kindsOf[:], p.Kind), 0)), Untrusted: p.Untrusted, Continues: p.Session != "" && p.Part > 0, Time: p.Time, //nolint:gosec // eight of them
		Block: p.Block, Part: p.Part, Turn: p.Turn, Agent: p.Agent, File: file, Offset: p.Place.Offset, Size: p.Place.size, Bare: p.Place.bare,
	}
	if !p.Empty {
		d.Text = p.Text
	}
	return d
}
