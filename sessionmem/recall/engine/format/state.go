package format

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Name identifies a source: the files of a session, or a memory file.
type Name struct {
	Key     string // path below the data folder: of a memory file, or of a session's first file
	Session string // "" for memory files
	From    string // the session's source
}

// words returns what the index stores about the source in plain columns.
func (s *Name) words() string { return s.Key + "\x00" + s.Session + "\x00" + s.From }

// File is the state of a source's file when it was indexed.
type File struct {
	File    string
	Size    int64
	Changed int64
	Inode   uint64
}

// State is the state in which a source was indexed.
type State struct {
	Files []File
	Bytes int64 // of its texts
	End   Resume
}

// Resume is where indexing resumes if a session grows: after its last block.
type Resume struct {
	Ok           bool
	Turn         int
	Seq          [Strands]int
	File         int
	Offset, Size int64
	Bare         bool
	Block        string
	Hash         uint32 // of the block's whole text
	Before       uint32 // checksum of the file before the block
}

// Encode encodes the state. Its checksum also covers the row's other columns.
func (s *State) Encode(of *Name) []byte {
	out := appendInt(nil, len(s.Files))
	for _, f := range s.Files {
		out = appendText(out, of.written(f.File))
		out = binary.AppendVarint(out, f.Size)
		out = binary.AppendVarint(out, f.Changed)
		out = binary.AppendUvarint(out, f.Inode)
	}
	out = binary.AppendVarint(out, s.Bytes)
	if !s.End.Ok {
		return sealWith(out, of.words())
	}
	e := &s.End
	for _, n := range []int{e.Turn, e.Seq[0], e.Seq[1], e.File, flagOf(e.Bare)} {
		out = appendInt(out, n)
	}
	out = binary.AppendVarint(out, e.Offset)
	out = binary.AppendVarint(out, e.Size)
	out = appendText(out, e.Block)
	out = binary.AppendUvarint(out, uint64(e.Hash))
	return sealWith(binary.AppendUvarint(out, uint64(e.Before)), of.words())
}

// Stale returns a state that makes the source be compared with its files again.
func (s *State) Stale() State {
	out := State{Files: slices.Clone(s.Files), Bytes: s.Bytes}
	for i := range out.Files {
		out.Files[i].Changed = 0
	}
	return out
}

// written returns the stored form of a file name: empty if the key contains it.
func (s *Name) written(file string) string {
	if "session/"+file == s.Key {
		return ""
	}
	return "session/" + file
}

// file is the reverse of written.
func (s *Name) file(written string) string {
	if written == "" {
		written = s.Key
	}
	return strings.TrimPrefix(written, "session/")
}

func flagOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// DecodeState decodes the result of Encode.
func DecodeState(blob []byte, of *Name) (s State, err error) {
	data, err := unsealWith(blob, of.words())
	if err != nil {
		return s, err
	}
	r := decoder{data: data}
	for range r.int() {
		s.Files = append(s.Files, File{File: of.file(r.text()), Size: r.signed(), Changed: r.signed(), Inode: r.uint()})
		if r.bad {
			return s, ErrDamaged
		}
	}
	s.Bytes = r.signed()
	if len(r.data) > 0 {
		e := &s.End
		e.Ok = true
		e.Turn, e.Seq[0], e.Seq[1], e.File, e.Bare = r.int(), r.int(), r.int(), r.int(), r.int() == 1
		e.Offset, e.Size, e.Block, e.Hash, e.Before = r.signed(), r.signed(), r.text(), r.uint32(), r.uint32()
	}
	return s, r.err()
}
