package recall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/transcript"
)

// texts reads the texts of chunks from their files.
type texts struct {
	cfg    *Config
	blocks *places.BlockReader
	block  transcript.Block // read last
	of     blockAt          // of it
	parts  []string         // of its text
	memory map[string][]piece

	sources transcript.Sources // of the text that was read last
}

// blockAt is where a block stands.
type blockAt struct {
	file         string
	offset, size int64
}

func newTexts(cfg *Config) *texts { return &texts{cfg: cfg, blocks: cfg.Store.Places().Blocks()} }

func (t *texts) close() { _ = t.blocks.Close() } // read only

// read gives the text of a chunk; fs.ErrNotExist where its file does not say it any more.
func (t *texts) read(ctx context.Context, c Chunk, p place) (string, error) {
	if c.Kind == KindMemory {
		return t.readMemory(c)
	}
	if c.Kind == KindSummary && t.changed(p.files) { // the index will drop it, or not
		holds, err := t.cfg.Store.Places().Holds(ctx, names(p.files), c.Block)
		if err != nil {
			return "", err
		}
		if !holds {
			return "", fmt.Errorf("%w: what the Summary in %s tells was taken out since it was indexed", fs.ErrNotExist, c.Path)
		}
	}
	if text, ok := t.atPlace(c, p); ok {
		return text, nil
	}
	return t.search(ctx, c, p)
}

// changed reports whether one of a session's files is not as it was when it was indexed.
func (t *texts) changed(files []format.File) bool {
	return slices.ContainsFunc(files, func(f format.File) bool {
		now, ok := t.cfg.Store.Catalog().State(f.File)
		return !ok || format.File(now) != f
	})
}

// atPlace reads the text where it was when it was indexed.
func (t *texts) atPlace(c Chunk, p place) (string, bool) {
	at := blockAt{p.file, p.offset, p.size}
	if t.parts == nil || t.of != at {
		t.parts = nil
		b, err := t.blocks.Block(places.Place{File: p.file, Offset: p.offset, Size: p.size, Bare: p.bare})
		if err != nil || b.ID != "" && b.ID != c.Block {
			return "", false
		}
		t.block, t.of, t.parts = b, at, splitText(b.Text, maxPart)
	}
	if c.Part >= len(t.parts) || hashText(t.parts[c.Part]) != p.hash {
		return "", false
	}
	t.sources = sourcesOf(t.block, c.Session)
	return t.parts[c.Part], true
}

var errFound = errors.New("found")

// search looks through the session for the block's id: the file moved on, or elsewhere.
func (t *texts) search(ctx context.Context, c Chunk, p place) (string, error) {
	text := ""
	err := t.cfg.Store.Each(ctx, c.Session, nil, func(b transcript.Block) error {
		if b.ID != c.Block {
			return nil
		}
		if parts := splitText(b.Text, maxPart); c.Part < len(parts) && hashText(parts[c.Part]) == p.hash {
			text, t.sources = parts[c.Part], sourcesOf(b, c.Session)
			return errFound
		}
		return nil
	})
	switch {
	case errors.Is(err, errFound):
		return text, nil
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("%w: %s changed since it was indexed", fs.ErrNotExist, c.Path)
}

// readMemory finds a piece of a memory file by its hash.
func (t *texts) readMemory(c Chunk) (string, error) {
	pieces, ok := t.memory[c.Path]
	if !ok {
		var err error
		if pieces, err = t.loadMemory(c.Path); err != nil {
			return "", err
		}
		if t.memory == nil {
			t.memory = map[string][]piece{}
		}
		t.memory[c.Path] = pieces
	}
	for _, p := range pieces {
		if p.Block == c.Block {
			t.sources = 0
			if p.Untrusted {
				t.sources = transcript.FromDiscord
			}
			return p.Text, nil
		}
	}
	return "", fmt.Errorf("%w: %s changed since it was indexed", fs.ErrNotExist, c.Path)
}

func (t *texts) loadMemory(path string) ([]piece, error) {
	if t.cfg.Memory == nil {
		return nil, fs.ErrNotExist
	}
	all, err := t.cfg.Memory.List()
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if rel, err := filepath.Rel(t.cfg.Root, f.Path); err == nil && filepath.ToSlash(rel) == path {
			return memoryPieces(path, f), nil
		}
	}
	return nil, fmt.Errorf("%w: %s", fs.ErrNotExist, path)
}
