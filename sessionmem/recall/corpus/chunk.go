package corpus

import (
	"slices"
	"time"

	"mac-stats/sessionmem/recall/engine/format"
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

// kindsOf lists the kinds by their role in the index. A kind added by a newer version is
// shown as text.
var kindsOf = [...]Kind{"", KindUser, KindAssistant, KindAgent, KindTool, KindSummary, KindMemory, "text"}

func roleOf(k Kind) format.Role { return format.Role(max(slices.Index(kindsOf[:], k), 0)) } //nolint:gosec // eight of them

// ChunkOf returns the chunk of a passage and the place of its text. files are those of the
// passage's source.
func ChunkOf(d *format.Passage, of *format.Name, files []format.File) (Chunk, Place) {
	c := Chunk{
		Session: of.Session, Source: of.From, Block: d.Block, Part: d.Part, Turn: d.Turn,
		Kind: kindsOf[d.Kind], Agent: d.Agent, Time: d.When(), Untrusted: d.Untrusted,
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
