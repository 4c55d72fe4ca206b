package recall

import (
	"slices"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/format"
)

// kindsOf are the kinds by the roles that the index knows. What a newer version may call
// otherwise is text.
var kindsOf = [...]Kind{"", KindUser, KindAssistant, KindAgent, KindTool, KindSummary, KindMemory, "text"}

func roleOf(k Kind) format.Role { return format.Role(max(slices.Index(kindsOf[:], k), 0)) } //nolint:gosec // eight of them

// chunkOf makes what is told of a passage.
func chunkOf(d *format.Passage, k *engine.Source) (Chunk, place) {
	c := Chunk{
		Session: k.Session, Source: k.From, Block: d.Block, Part: d.Part, Turn: d.Turn,
		Kind: kindsOf[d.Kind], Agent: d.Agent, Time: d.When(), Untrusted: d.Strange,
	}
	p := place{offset: d.Offset, size: d.Size, bare: d.Bare, hash: d.Hash}
	p.files = k.State.Files
	if d.File < len(k.State.Files) {
		p.file = k.State.Files[d.File].File
	}
	if k.Session == "" {
		c.Path = k.Key
		c.ID = memoryID(k.Key, d.Block, d.Part)
		return c, p
	}
	c.Path = "session/" + p.file
	c.ID = chunkID(k.Session, d.Block, d.Part)
	return c, p
}

// newDocument makes a document of a piece.
func newDocument(p *piece, file int, t analysis.Terms) format.Passage {
	d := format.Passage{
		Strand: uint8(p.strand), Seq: uint32(p.seq), Words: uint32(t.Words), Marks: t.Marks, Kind: roleOf(p.Kind), Strange: p.Untrusted, GoesOn: p.Session != "" && p.Part > 0, //nolint:gosec // small
		Block: p.Block, Part: p.Part, Turn: p.Turn, Agent: p.Agent,
		File: file, Offset: p.place.offset, Size: p.place.size, Bare: p.place.bare, Hash: p.place.hash,
	}
	if !p.Time.IsZero() {
		d.Time = p.Time.Unix()
	}
	return d
}

// isSame says whether a passage of the index is the one that a piece makes now.
func isSame(d *format.Passage, p *piece, file int) bool {
	return d.Block == p.Block && d.Part == p.Part && d.Hash == p.place.hash && int(d.Seq) == p.seq && int(d.Strand) == p.strand &&
		d.Turn == p.Turn && d.Kind == roleOf(p.Kind) && d.Agent == p.Agent && d.Strange == p.Untrusted && d.When().Equal(p.Time.Truncate(time.Second)) &&
		d.File == file && d.Offset == p.place.offset && d.Bare == p.place.bare
}
