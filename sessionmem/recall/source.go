package recall

import (
	"context"
	"fmt"
	"path/filepath"

	"mac-stats/sessionmem"
)

// source is what is indexed as one: the files of a session, or a memory file.
type source struct {
	key     string // path of its first file, below the data folder, with slashes
	session string // "" for memory files
	from    string // the session's source
	files   []sessionmem.FileState
	memory  sessionmem.Target
}

// sources lists what there is.
func (x *Index) sources(ctx context.Context) ([]source, error) {
	sessions, err := x.cfg.Store.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for what to index: %w", err)
	}
	out := make([]source, 0, len(sessions))
	for _, s := range sessions {
		out = append(out, source{key: "session/" + s.Files[0].File, session: s.Session, from: s.Source, files: s.Files})
	}
	if x.cfg.Memory == nil {
		return out, nil
	}
	memories, err := x.cfg.Memory.List()
	if err != nil {
		return nil, fmt.Errorf("looking for what to index: %w", err)
	}
	for _, m := range memories {
		if rel, err := filepath.Rel(x.cfg.Root, m.Path); err == nil && m.Err == nil {
			key := filepath.ToSlash(rel)
			state := sessionmem.FileState{File: key, Size: int64(len(m.Text)), Changed: m.ModTime.UnixNano()}
			out = append(out, source{key: key, memory: m.Target, files: []sessionmem.FileState{state}})
		}
	}
	return out, nil
}

// read gives the pieces of a source and its files as they were read.
func (x *Index) read(ctx context.Context, s source) ([]piece, []sessionmem.FileState, error) {
	if s.session == "" {
		f, err := x.cfg.Memory.Load(s.memory)
		if err != nil {
			return nil, nil, err
		}
		return memoryPieces(s.key, f), s.files, nil
	}
	c := chunker{session: s.session, source: s.from}
	var out []piece
	names := make([]string, len(s.files))
	for i, f := range s.files {
		names[i] = f.File
	}
	states, err := x.cfg.Store.EachPlaced(ctx, names, func(b sessionmem.Block, p sessionmem.BlockPlace) error {
		out = append(out, c.pieces(b, p)...)
		return nil
	})
	return out, states, err
}
