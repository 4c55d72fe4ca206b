package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall/index"
)

// Corpus holds everything that can be searched: transcripts and memory files.
type Corpus struct {
	Root      string // the data folder
	Store     *sessionmem.Store
	Memory    *memory.Memory    // nil: no memory files
	Forgotten func() Tombstones // nil: nothing was forgotten
}

// Source is a session or memory file that is indexed as one, in its current state.
type Source struct {
	index.Name
	Files  []catalog.FileState
	Memory memory.Target
}

// Stamp returns a print of the source's files, which is the same in every process as long as they
// are.
func (s *Source) Stamp() string { return StampOf(s.Files) }

// StampOf returns the stamp of a source with such files.
func StampOf(files []catalog.FileState) string {
	buf := make([]byte, 0, 256)
	for _, f := range files {
		buf = append(append(buf, f.File...), 0)
		for _, n := range [3]uint64{uint64(f.Size), uint64(f.Changed), f.Inode} { //nolint:gosec // bits are what is wanted
			buf = binary.LittleEndian.AppendUint64(buf, n)
		}
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:12])
}

// Sources lists all sources.
func (c *Corpus) Sources(ctx context.Context) ([]Source, error) {
	sessions, err := c.Store.Catalog().Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for what to index: %w", err)
	}
	out := make([]Source, 0, len(sessions))
	for _, s := range sessions {
		if s.Copy {
			continue // the original holds the same text, or a person removed it there
		}
		key := "session/" + s.Files[0].File
		if !s.Older { // the key stays the same in the archive
			key = "session/" + path.Base(key)
		}
		out = append(out, Source{Name: index.Name{Key: key, Session: s.Session, From: s.Source}, Files: s.Files})
	}
	memories, err := c.Memories()
	if err != nil {
		return nil, err
	}
	return append(out, memories...), nil
}

// Now returns an indexed session with its files as they are now; false if one of them is gone.
func (c *Corpus) Now(of *index.Source) (Source, bool) {
	s := Source{Name: of.Name}
	for _, f := range of.Files {
		state, ok := c.Store.Catalog().State(f)
		if !ok {
			return s, false
		}
		s.Files = append(s.Files, state)
	}
	return s, true
}

// Memories lists the memory files.
func (c *Corpus) Memories() ([]Source, error) {
	if c.Memory == nil {
		return nil, nil
	}
	all, err := c.Memory.List()
	if err != nil {
		return nil, fmt.Errorf("looking for what to index: %w", err)
	}
	var out []Source
	for _, m := range all {
		if rel, err := filepath.Rel(c.Root, m.Path); err == nil && m.Err == nil {
			key := filepath.ToSlash(rel)
			out = append(out, Source{Name: index.Name{Key: key}, Memory: m.Target, Files: []catalog.FileState{MemoryState(key, m)}})
		}
	}
	return out, nil
}

// MemoryState returns the state of a memory file, which differs after a change.
func MemoryState(key string, f memory.File) catalog.FileState {
	return catalog.FileState{File: key, Size: int64(len(f.Text)), Changed: f.ModTime.UnixNano(), Inode: index.Hash(f.Text)}
}

// Names returns the names of files.
func Names(files []catalog.FileState) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.File
	}
	return out
}

// Changed returns when the newest of a source's files was written.
func (s *Source) Changed() int64 {
	newest := int64(0)
	for _, f := range s.Files {
		newest = max(newest, f.Changed)
	}
	return newest
}
