package corpus

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/transcript"
)

// Texts reads the texts of chunks from their files.
type Texts struct {
	corpus *Corpus
	blocks *places.BlockReader
	block  transcript.Block // read last
	of     blockAt          // its place
	parts  []string         // its text, split
	memory map[string][]Piece

	holding map[string]map[string]bool  // of changed sessions, the Summaries that hold
	session string                      // that was read whole last,
	all     map[string]transcript.Block // and its blocks

	Sources transcript.Sources // of the text read last
}

// blockAt is the place of a block.
type blockAt struct {
	file         string
	offset, size int64
}

// Texts returns a reader for texts. The caller closes it.
func (c *Corpus) Texts() *Texts { return &Texts{corpus: c, blocks: c.Store.Places().Blocks()} }

// Close releases the open files.
func (t *Texts) Close() { _ = t.blocks.Close() } // read only

// Read returns the text of a chunk; fs.ErrNotExist if its file no longer holds it, or
// catalog.ErrNotFound if its session is gone.
func (t *Texts) Read(ctx context.Context, c Chunk, p Place) (string, error) {
	if c.Kind == KindMemory {
		return t.readMemory(c)
	}
	if c.Kind == KindSummary && t.corpus.changed(p.of) { // the next indexing may keep or drop it
		holding, read := t.holding[c.Session]
		if !read {
			var err error
			if holding, err = t.corpus.Store.Places().Holding(ctx, p.of.Files); err != nil {
				return "", err
			}
			if t.holding == nil {
				t.holding = map[string]map[string]bool{}
			}
			t.holding[c.Session] = holding
		}
		if !holding[c.Block] {
			return "", fmt.Errorf("%w: what the Summary in %s tells was taken out since it was indexed", fs.ErrNotExist, c.Path)
		}
	}
	if text, ok := t.atPlace(c, p); ok {
		return text, nil
	}
	return t.search(ctx, c, p)
}

// changed reports whether one of a session's files has changed since it was indexed.
func (c *Corpus) changed(of *index.Source) bool {
	now, ok := c.Now(of)
	return !ok || now.Stamp() != of.Stamp
}

// atPlace reads the text at the place where it was indexed.
func (t *Texts) atPlace(c Chunk, p Place) (string, bool) {
	at := blockAt{p.file, p.Offset, p.size}
	if t.parts == nil || t.of != at {
		t.parts = nil
		b, err := t.blocks.Block(places.Place{File: p.file, Offset: p.Offset, Size: p.size, Bare: p.bare})
		if err != nil || b.ID != "" && b.ID != c.Block {
			return "", false
		}
		t.block, t.of, t.parts = b, at, Parts(b.Text)
	}
	if c.Part >= len(t.parts) || index.Hash(t.parts[c.Part]) != p.Hash {
		return "", false
	}
	t.Sources = sourcesOf(t.block, c.Session)
	return t.parts[c.Part], true
}

// search looks for the block's ID in the whole session, because its file has changed. It is read
// once for all chunks in a row.
func (t *Texts) search(ctx context.Context, c Chunk, p Place) (string, error) {
	if t.all == nil || t.session != c.Session {
		all := map[string]transcript.Block{}
		err := t.corpus.Store.Each(ctx, c.Session, nil, func(b transcript.Block) error {
			all[b.ID] = b
			return nil
		})
		if err != nil {
			return "", err
		}
		t.session, t.all = c.Session, all
	}
	b := t.all[c.Block]
	if parts := Parts(b.Text); c.Part < len(parts) && index.Hash(parts[c.Part]) == p.Hash {
		t.Sources = sourcesOf(b, c.Session)
		return parts[c.Part], nil
	}
	return "", fmt.Errorf("%w: %s changed since it was indexed", fs.ErrNotExist, c.Path)
}

// readMemory finds a piece of a memory file by its hash.
func (t *Texts) readMemory(c Chunk) (string, error) {
	pieces, ok := t.memory[c.Path]
	if !ok {
		var err error
		if pieces, err = t.loadMemory(c.Path); err != nil {
			return "", err
		}
		if t.memory == nil {
			t.memory = map[string][]Piece{}
		}
		t.memory[c.Path] = pieces
	}
	for _, p := range pieces {
		if p.Block == c.Block {
			t.Sources = 0
			if p.Untrusted {
				t.Sources = transcript.FromDiscord
			}
			return p.Text, nil
		}
	}
	return "", fmt.Errorf("%w: %s changed since it was indexed", fs.ErrNotExist, c.Path)
}

func (t *Texts) loadMemory(path string) ([]Piece, error) {
	if t.corpus.Memory == nil {
		return nil, fs.ErrNotExist
	}
	all, err := t.corpus.Memory.List()
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if rel, err := filepath.Rel(t.corpus.Root, f.Path); err == nil && filepath.ToSlash(rel) == path {
			return MemoryPieces(path, f), nil
		}
	}
	return nil, fmt.Errorf("%w: %s", fs.ErrNotExist, path)
}
