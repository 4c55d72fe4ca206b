package recall

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"mac-stats/sessionmem"
)

// source is what is indexed as one: the files of a session, or a memory file.
type source struct {
	key     string // of memory files the path below the data folder, of sessions the name of the first file
	session string // "" for memory files
	from    string // the session's source
	files   []sessionmem.FileState
	memory  sessionmem.Target
}

// words are what the index keeps of a source in plain columns.
func (s *source) words() string { return s.key + "\x00" + s.session + "\x00" + s.from }

// sources lists what there is.
func (x *Index) sources(ctx context.Context) ([]source, error) {
	sessions, err := x.cfg.Store.Files(ctx)
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
		out = append(out, source{key: key, session: s.Session, from: s.Source, files: s.Files})
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
			out = append(out, source{key: key, memory: m.Target, files: []sessionmem.FileState{memoryState(key, m)}})
		}
	}
	return out, nil
}

// memoryState tells whether a memory file is as it was.
func memoryState(key string, f sessionmem.MemoryFile) sessionmem.FileState {
	return sessionmem.FileState{File: key, Size: int64(len(f.Text)), Changed: f.ModTime.UnixNano(), Inode: uint64(hashText(f.Text))}
}
