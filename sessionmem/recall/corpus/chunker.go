package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/transcript"
)

// maxPart is the longest part of a block in characters, so that a passage says as much in every
// script. Longer blocks are split at paragraphs (else at lines, sentences, blanks). The limit
// fits the context window of a small embedding model and was measured.
const maxPart = 800

// Chunker splits the blocks of a session into pieces, in order.
type Chunker struct {
	Session, Source string
	Turn            int
	Seq             [index.Strands]int
}

// Pieces returns the pieces of a block; turns are counted across blocks.
func (c *Chunker) Pieces(b transcript.Block, p places.Place) []Piece {
	kind, ok := kindOf(b)
	if !ok {
		return nil
	}
	base := Chunk{
		Path: path.Join("session", p.File), Session: c.Session, Source: c.Source, Block: b.ID, Turn: -1,
		Kind: kind, Agent: b.Agent, Time: b.Time, Untrusted: !sourcesOf(b, c.Session).Typed(),
	}
	strand := index.Work
	if b.IsMessage() {
		base.Turn, strand = c.Turn, index.Talk
		c.Turn++
	}
	parts := Parts(b.Text)
	if len(parts) == 0 {
		parts = []string{""}
	}
	out := make([]Piece, len(parts))
	for i, text := range parts {
		out[i] = Piece{Chunk: base, Strand: strand, Seq: c.Seq[strand]}
		out[i].ID = ChunkID(c.Session, b.ID, i)
		out[i].Part, out[i].Text = i, text
		out[i].Place = Place{file: p.File, Offset: p.Offset, size: p.Size, bare: p.Bare, Hash: index.Hash(text)}
		out[i].Empty = text == "" || strings.TrimSpace(text) == forgotten.Text
		c.Seq[strand]++
	}
	return out
}

// MemoryID returns the ID of a piece of a memory file; pieces with the same text are numbered.
func MemoryID(file, block string, number int) string {
	id := "memory/" + file + "/" + block
	if number > 0 {
		id += "-" + strconv.Itoa(number+1)
	}
	return id
}

// ChunkID returns the ID of a part of a block of a session.
func ChunkID(session, block string, part int) string {
	return session + "/" + block + "/" + strconv.Itoa(part)
}

// searchTool is the tool whose results quote other chunks.
const searchTool = "MEMORY_SEARCH"

// kindOf returns the kind of a block's chunks; ok is false for what isn't indexed: notes,
// and search results, which are indexed in their original place.
func kindOf(b transcript.Block) (Kind, bool) {
	return Kind(b.Kind), b.Kind != transcript.KindNote && (b.Kind != transcript.KindTool || b.Agent != searchTool)
}

// sourcesOf returns the sources of a block's chunks. A message names its attached files, and
// a tool result is never the owner's own text.
func sourcesOf(b transcript.Block, session string) transcript.Sources {
	s := b.TextSources(session)
	if len(b.Attachments()) > 0 {
		s |= transcript.FromFile
	}
	if b.Kind == transcript.KindTool && s.Typed() {
		s = transcript.FromTool
	}
	return s
}

// ofDiscord reports whether a memory was learned on Discord.
func ofDiscord(k memory.TargetKind) bool {
	return k == memory.TargetChannel || k == memory.TargetServer || k == memory.TargetPerson
}

// MemoryPieces splits a memory file into pieces. file is its path below the data folder.
func MemoryPieces(file string, f memory.File) []Piece {
	var out []Piece
	seen := map[string]int{}
	for _, m := range memorytext.Pieces(f.Text) {
		for _, text := range Parts(m.Text) {
			sum := sha256.Sum256([]byte(text))
			block := hex.EncodeToString(sum[:6])
			seen[block]++
			p := Piece{Chunk: Chunk{
				ID: MemoryID(file, block, seen[block]-1), Path: file, Block: block, Part: seen[block] - 1, Turn: -1,
				Kind: KindMemory, Time: learnedAt(m.From, f.ModTime), Text: text, Untrusted: ofDiscord(f.Target.Kind) || memorytext.LearnedOnDiscord(m.From),
			}, Seq: len(out)}
			p.Empty = strings.TrimSpace(text) == forgotten.Text
			p.Place = Place{Hash: index.Hash(text)}
			out = append(out, p)
		}
	}
	return out
}

// learnedAt returns the day that a provenance comment begins with, else the file's time.
func learnedAt(from string, changed time.Time) time.Time {
	day, _, _ := strings.Cut(from, " ")
	if t, err := time.ParseInLocation(time.DateOnly, day, time.Local); err == nil {
		return t
	}
	return changed.Truncate(time.Second)
}

// Parts splits a block's text as for chunks: part n in a chunk ID is the n-th of these.
func Parts(text string) []string { return splitText(text, maxPart) }

// splitText splits a text into parts of at most limit characters: at paragraphs if possible, else
// at lines, ends of sentences, blanks, and finally between any two characters. The parts are
// trimmed; a blank text has none.
func splitText(text string, limit int) []string {
	var out []string
	for text = strings.TrimSpace(text); text != ""; {
		n, characters := len(text), 0
		for i := range text {
			if characters == limit {
				n = cutAt(text, i)
				break
			}
			characters++
		}
		if part := strings.TrimSpace(text[:n]); part != "" {
			out = append(out, part)
		}
		text = strings.TrimSpace(text[n:])
	}
	return out
}

// Cut returns at most limit bytes from the beginning of a text, in whole characters.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:cutAt(text, limit)]
}

// cutAt returns where to cut a text longer than limit bytes. It skips to the next kind of
// break if a cut would leave less than a quarter of a part.
func cutAt(text string, limit int) int {
	head := text[:limit]
	for _, marks := range [...][]string{{"\n\n"}, {"\n"}, {". ", "! ", "? ", "。", "！", "？", "।", "؟ ", "۔ "}, {" "}} {
		best := 0
		for _, mark := range marks {
			if i := strings.LastIndex(head, mark); i >= limit/4 {
				best = max(best, i+len(mark))
			}
		}
		if best > 0 {
			return best
		}
	}
	n := limit
	for n > 1 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
