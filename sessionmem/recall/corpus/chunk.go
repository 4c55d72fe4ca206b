package corpus

import (
	"slices"
	"time"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/transcript"
)

// Kind says what a chunk is part of.
type Kind string

// The kinds of chunks: those of a transcript's blocks, and memory files.
const (
	KindUser      = Kind(transcript.KindUser)
	KindAssistant = Kind(transcript.KindAssistant)
	KindAgent     = Kind(transcript.KindAgent)
	KindTool      = Kind(transcript.KindTool)
	KindSummary   = Kind(transcript.KindSummary)
	KindMemory    = Kind("memory")
)

// Chunk is what is found: a block of a transcript, or a part of a long one, split at
// paragraphs; or a bullet or paragraph of a memory file.
type Chunk struct {
	// ID is "<session>/<block id>/<part>", for memory files "memory/<path>/<hash>". It
	// stays the same when the index is built anew.
	ID        string
	Path      string // of the file, below the data folder, with slashes
	Session   string // "" for memory files
	Source    string // cpu, cli, discord, …; "" for memory files
	Block     string // the block's id; of memory files the hash of the text
	Part      int    // of the block, from 0 on
	Turn      int    // 0-based place among the User and Assistant blocks of the session; -1 for other kinds
	Kind      Kind
	Agent     string
	Time      time.Time // of the block; of memory files when the line was learnt, else the file's
	Untrusted bool      // words of strangers
	Text      string    // read from the file for the answer

	// Sources are those of the text, read from the file with it: an index of an older
	// version can't say what a turn may do.
	Sources transcript.Sources
}

// kindsOf are the kinds by the roles that the index knows. What a newer version may call
// otherwise is text.
var kindsOf = [...]Kind{"", KindUser, KindAssistant, KindAgent, KindTool, KindSummary, KindMemory, "text"}

func roleOf(k Kind) format.Role { return format.Role(max(slices.Index(kindsOf[:], k), 0)) } //nolint:gosec // eight of them

// ChunkOf makes what is told of a passage of a source with these files, and where its text
// is.
func ChunkOf(d *format.Passage, of *format.Name, files []format.File) (Chunk, Place) {
	c := Chunk{
		Session: of.Session, Source: of.From, Block: d.Block, Part: d.Part, Turn: d.Turn,
		Kind: kindsOf[d.Kind], Agent: d.Agent, Time: d.When(), Untrusted: d.Strange,
	}
	p := Place{Offset: d.Offset, size: d.Size, bare: d.Bare, Hash: d.Hash}
	p.files = files
	if d.File < len(files) {
		p.file = files[d.File].File
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
