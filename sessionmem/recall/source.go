package recall

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall/engine/format"
)

// source is what is indexed as one, as it is now.
type source struct {
	format.Name
	files  []format.File
	memory memory.Target
}

// sources lists what there is.
func (x *Index) sources(ctx context.Context) ([]source, error) {
	sessions, err := x.cfg.Store.Catalog().Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for what to index: %w", err)
	}
	out := make([]source, 0, len(sessions))
	for _, s := range sessions {
		if s.Copy {
			continue // the original says it, or a person took it out of there
		}
		key := "session/" + s.Files[0].File
		if !s.Older { // the same in the archive
			key = "session/" + path.Base(key)
		}
		out = append(out, source{Name: format.Name{Key: key, Session: s.Session, From: s.Source}, files: asFiles(s.Files)})
	}
	memories, err := x.memories()
	if err != nil {
		return nil, err
	}
	return append(out, memories...), nil
}

// memories lists the memory files.
func (x *Index) memories() ([]source, error) {
	if x.cfg.Memory == nil {
		return nil, nil
	}
	all, err := x.cfg.Memory.List()
	if err != nil {
		return nil, fmt.Errorf("looking for what to index: %w", err)
	}
	var out []source
	for _, m := range all {
		if rel, err := filepath.Rel(x.cfg.Root, m.Path); err == nil && m.Err == nil {
			key := filepath.ToSlash(rel)
			out = append(out, source{Name: format.Name{Key: key}, memory: m.Target, files: []format.File{memoryState(key, m)}})
		}
	}
	return out, nil
}

// memoryState tells whether a memory file is as it was.
func memoryState(key string, f memory.File) format.File {
	return format.File{File: key, Size: int64(len(f.Text)), Changed: f.ModTime.UnixNano(), Inode: uint64(hashText(f.Text))}
}

func asFiles(states []catalog.FileState) []format.File {
	out := make([]format.File, len(states))
	for i, s := range states {
		out[i] = format.File(s)
	}
	return out
}
