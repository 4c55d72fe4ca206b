package recall

import (
	"encoding/binary"
	"slices"
	"strings"

	"mac-stats/sessionmem"
)

// sourceState is how a source was indexed.
type sourceState struct {
	files []sessionmem.FileState
	bytes int64 // of its texts
	end   resume
}

// resume is where indexing of a session that grew goes on: behind its last block.
type resume struct {
	ok           bool
	turn         int
	seq          [strands]int
	file         int
	offset, size int64
	bare         bool
	block        string
	hash         uint32 // of the block's whole text
	before       uint32 // check sum of the file before the block
}

// encode writes the state. Its check sum is of the row's other columns too.
func (s *sourceState) encode(of *source) []byte {
	out := appendInt(nil, len(s.files))
	for _, f := range s.files {
		out = appendText(out, of.written(f.File))
		out = binary.AppendVarint(out, f.Size)
		out = binary.AppendVarint(out, f.Changed)
		out = binary.AppendUvarint(out, f.Inode)
	}
	out = binary.AppendVarint(out, s.bytes)
	if !s.end.ok {
		return sealedWith(out, of.words())
	}
	e := &s.end
	for _, n := range []int{e.turn, e.seq[0], e.seq[1], e.file, flagOf(e.bare)} {
		out = appendInt(out, n)
	}
	out = binary.AppendVarint(out, e.offset)
	out = binary.AppendVarint(out, e.size)
	out = appendText(out, e.block)
	out = binary.AppendUvarint(out, uint64(e.hash))
	return sealedWith(binary.AppendUvarint(out, uint64(e.before)), of.words())
}

// doubtful is the state of a source that has to be compared with its files again.
func (s *sourceState) doubtful() sourceState {
	out := sourceState{files: slices.Clone(s.files), bytes: s.bytes}
	for i := range out.files {
		out.files[i].Changed = 0
	}
	return out
}

// written is how a file's name is kept: mostly the key says it.
func (s *source) written(file string) string {
	if "session/"+file == s.key {
		return ""
	}
	return "session/" + file
}

// file gives the name again.
func (s *source) file(written string) string {
	if written == "" {
		written = s.key
	}
	return strings.TrimPrefix(written, "session/")
}

func flagOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func decodeState(blob []byte, of *source) (s sourceState, err error) {
	data, err := unsealWith(blob, of.words())
	if err != nil {
		return s, err
	}
	r := decoder{data: data}
	for range r.int() {
		s.files = append(s.files, sessionmem.FileState{File: of.file(r.text()), Size: r.signed(), Changed: r.signed(), Inode: r.uint()})
		if r.bad {
			return s, errDamaged
		}
	}
	s.bytes = r.signed()
	if len(r.data) > 0 {
		e := &s.end
		e.ok = true
		e.turn, e.seq[0], e.seq[1], e.file, e.bare = r.int(), r.int(), r.int(), r.int(), r.int() == 1
		e.offset, e.size, e.block, e.hash, e.before = r.signed(), r.signed(), r.text(), r.uint32(), r.uint32()
	}
	return s, r.err()
}
