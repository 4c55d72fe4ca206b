package corpus

import (
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
)

// Every part of a block takes a number in its strand, even if it holds nothing to find, so
// that the neighbours of the other parts stay the same.

// Piece is a chunk with its place, ready for analysis.
type Piece struct {
	Chunk
	Strand int
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
	Hash   uint32 // of the part's text

	files []format.File // of its session, as they were when indexed
}

// Passage returns the piece in the form the index keeps; file is its index among the source's files.
func (p *Piece) Passage(file int, t analysis.Terms) format.Passage {
	d := format.Passage{
		Strand: uint8(p.Strand), Seq: uint32(p.Seq), Words: uint32(t.Words), Marks: t.Marks, Kind: roleOf(p.Kind), Untrusted: p.Untrusted, Continues: p.Session != "" && p.Part > 0, //nolint:gosec // small
		Block: p.Block, Part: p.Part, Turn: p.Turn, Agent: p.Agent,
		File: file, Offset: p.Place.Offset, Size: p.Place.size, Bare: p.Place.bare, Hash: p.Place.Hash,
	}
	if !p.Time.IsZero() {
		d.Time = p.Time.Unix()
	}
	return d
}

// IsSame reports whether a passage of the index is the one that the piece makes now.
func (p *Piece) IsSame(d *format.Passage, file int) bool {
	return d.Block == p.Block && d.Part == p.Part && d.Hash == p.Place.Hash && int(d.Seq) == p.Seq && int(d.Strand) == p.Strand &&
		d.Turn == p.Turn && d.Kind == roleOf(p.Kind) && d.Agent == p.Agent && d.Untrusted == p.Untrusted && d.When().Equal(p.Time.Truncate(time.Second)) &&
		d.File == file && d.Offset == p.Place.Offset && d.Bare == p.Place.bare
}
