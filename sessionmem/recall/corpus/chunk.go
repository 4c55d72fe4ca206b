package corpus

import (
	"time"

	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/transcript"
)

// Kind is what a chunk belongs to.
type Kind string

// The kinds of chunks: one per kind of transcript block, and memory files.
const (
	KindUser      = Kind(transcript.KindUser)
	KindAssistant = Kind(transcript.KindAssistant)
	KindAgent     = Kind(transcript.KindAgent)
	KindTool      = Kind(transcript.KindTool)
	KindSummary   = Kind(transcript.KindSummary)
	KindMemory    = Kind("memory")
)

// Chunk is a unit of search: a block of a transcript, or part of a long one, split at
// paragraphs; or a bullet or paragraph of a memory file.
type Chunk struct {
	// ID is "<session>/<block id>/<part>", for memory files "memory/<path>/<hash>". It
	// stays the same when the index is rebuilt.
	ID        string
	Path      string // of the file, relative to the data folder, with slashes
	Session   string // "" for memory files
	Source    string // cpu, cli, discord, …; "" for memory files
	Block     string // ID of the block; for memory files the hash of the text
	Part      int    // number in the block, from 0
	Turn      int    // 0-based place among the User and Assistant blocks of the session; -1 for other kinds
	Kind      Kind
	Agent     string
	Time      time.Time // of the block; for memory files when the line was learned, else the file's
	Untrusted bool      // written by others than the user
	Text      string    // read from the file for the answer

	// Sources lists the sources of the text. It is read from the file with the text: an
	// index of an older version can't decide what a turn may do.
	Sources transcript.Sources
}

// kindsOf lists the kinds by their kind in the index. A kind added by a newer version is
// shown as text.
var kindsOf = [...]Kind{"", KindUser, KindAssistant, KindAgent, KindTool, KindSummary, KindMemory, "text"}

// ChunkOf returns the chunk of a passage of a source, and the place of its text.
func ChunkOf(d *index.Passage, of *index.Source) (Chunk, Place) {
	c := Chunk{
		Session: of.Session, Source: of.From, Block: d.Block, Part: d.Part, Turn: d.Turn,
		Kind: kindsOf[d.Kind], Agent: d.Agent, Time: d.Time, Untrusted: d.Untrusted,
	}
	p := Place{Offset: d.Offset, size: d.Size, bare: d.Bare, Hash: d.Hash, of: of}
	if d.File < len(of.Files) {
		p.file = of.Files[d.File]
	}
	if of.Session == "" {
		c.Path = of.Key
		c.ID = MemoryID(of.Key, d.Block, d.Part)
		return c, p
	}
	c.Path = "session/" + p.file
	c.ID = ChunkID(of.Session, d.Block, d.Part)
	return c, p
}
