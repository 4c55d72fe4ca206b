package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// What derives from transcripts (an index) needs to know which files there are, to
// read them with the places of their blocks, and to read single blocks again.

// FileState tells whether a file is as it was.
type FileState struct {
	File    string // relative to the session folder, with slashes
	Size    int64
	Changed int64  // time of the last change, ns since 1970
	Inode   uint64 // 0 where the system has none
}

// SessionFiles is the transcript files of one conversation.
type SessionFiles struct {
	Session string
	Source  string
	Older   bool        // another file of a session's name, not one of its parts: read-only
	Copy    bool        // such a file that is a copy
	Files   []FileState // the parts, oldest first
}

// Files gives the files of all sessions on disk, archived ones too, in the order of
// their names. It looks at their entries in the folders alone and reads none, so that
// it is cheap enough to be asked often. Sessions in memory have none.
func (s *Store) Files(ctx context.Context) ([]SessionFiles, error) {
	all, err := s.entries()
	if err != nil {
		if len(all) == 0 {
			return nil, err
		}
		s.logger.Warn("not all transcripts are found", "err", err)
	}
	folders := s.openFolders(all)
	defer folders.close()
	trash := s.deletions()
	var out []SessionFiles
	for _, same := range bySession(all) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.IsPrivate(all[same.first].Session) {
			continue
		}
		files := []entry{all[same.first]}
		for _, i := range same.more {
			files = append(files, all[i])
		}
		parts, others := s.ownedBy(files, trash)
		if f := s.sessionFiles(parts, folders); len(f.Files) > 0 {
			out = append(out, f)
		}
		for _, set := range others {
			if f := s.sessionFiles(set.files, folders); len(f.Files) > 0 {
				f.Older, f.Copy = true, set.copy
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// sessionFiles asks for the files of a group; those gone meanwhile are left out.
func (s *Store) sessionFiles(group []entry, folders openFolders) SessionFiles {
	if len(group) == 0 {
		return SessionFiles{}
	}
	out := SessionFiles{Session: group[0].Session}
	out.Source, _ = transcript.SplitName(out.Session)
	for _, e := range group {
		if stamp, ok := folders.stamp(s, e.file); ok {
			out.Files = append(out.Files, FileState{e.file, stamp.Size, stamp.Time, stamp.Inode})
		}
	}
	return out
}

// FileState gives the state of a file that Files told of before; ok is false for what is
// gone or no regular file.
func (s *Store) FileState(file string) (state FileState, ok bool) {
	if s.root == nil {
		return FileState{}, false
	}
	stamp, ok := openFolders{}.stamp(s, file)
	return FileState{file, stamp.Size, stamp.Time, stamp.Inode}, ok
}

// stamp asks for a file; ok is false for what is gone or no regular file.
func (o openFolders) stamp(s *Store, file string) (wholefile.Stamp, bool) {
	dir, name := path.Split(file)
	if folder := o[dir]; folder != nil {
		if stamp, ok := wholefile.StampIn(folder, name); ok {
			return stamp, true
		}
	}
	fi, err := s.stat(file) // a link, or a folder that can't be opened
	if err != nil || !fi.Mode().IsRegular() {
		return wholefile.Stamp{}, false
	}
	return wholefile.StampOf(fi), true
}

// BlockPlace is where a block stands in a transcript's file.
type BlockPlace struct {
	File   string // relative to the session folder, with slashes
	Offset int64
	Size   int64 // with what follows it up to the next block
	Bare   bool  // the file has the older form, see transcript.Parse
}

// EachPlaced reads the files of a session, its parts in order, block by block, in the
// memory that the largest block takes (4 MB of it: longer ones are cut). It gives the files as they were read: what is
// written meanwhile is not part of it. An error of each ends the reading.
func (s *Store) EachPlaced(ctx context.Context, files []string, each func(transcript.Block, BlockPlace) error) ([]FileState, error) {
	seen := newIndex(s.seed)
	states := make([]FileState, 0, len(files))
	for _, file := range files {
		state, err := s.eachIn(ctx, file, nil, &seen, each)
		if err != nil {
			return nil, err
		}
		states = append(states, state)
	}
	return states, nil
}

// Holds reports whether a Summary in the files of a session, its parts in order, is there
// and tells nothing that was taken out of them since.
func (s *Store) Holds(ctx context.Context, files []string, id string) (holds bool, err error) {
	var said transcript.Sayings
	_, err = s.EachPlaced(ctx, files, func(b transcript.Block, _ BlockPlace) error {
		if still := said.Follow(b); b.Kind == transcript.KindSummary && b.ID == id {
			holds = still
			return io.EOF
		}
		return nil
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return holds, err
}

// EachFrom reads the block at a place and those after it in its file. The caller sees
// from the first one whether the file is still the one it knows. A block without an id
// gets the one derived from its text, whatever else the session holds.
func (s *Store) EachFrom(ctx context.Context, from BlockPlace, each func(transcript.Block, BlockPlace) error) (FileState, error) {
	seen := newIndex(s.seed)
	return s.eachIn(ctx, from.File, &from, &seen, each)
}

// eachIn reads a file, or what is behind a place in it.
func (s *Store) eachIn(ctx context.Context, file string, from *BlockPlace, seen *index, each func(transcript.Block, BlockPlace) error) (FileState, error) {
	f, err := s.openPurged(ctx, file)
	if err != nil {
		return FileState{}, wholefile.Explain("reading "+file, err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return FileState{}, wholefile.Explain("reading "+file, err)
	}
	r := placedReader(f, fi, from)
	r.Limit = transcript.BlockLimit
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			stamp := wholefile.StampOf(fi)
			return FileState{file, stamp.Size, stamp.Time, stamp.Inode}, nil
		}
		if err != nil {
			return FileState{}, wholefile.Explain("reading "+file, err)
		}
		b := raw.Decode()
		number := seen.copies.Identify(&b, raw.Derived, seen.has)
		seen.add(b, raw.Offset, number)
		if err := errors.Join(ctx.Err(), each(b, BlockPlace{file, raw.Offset, raw.Size, r.Bare})); err != nil {
			return FileState{}, err
		}
	}
}

// SumBefore gives a check sum of what stands before an offset in a transcript's file: it
// tells cheaply whether the file only grew.
func (s *Store) SumBefore(file string, offset int64) (uint32, error) {
	f, err := s.openPurged(context.Background(), file)
	if err != nil {
		return 0, wholefile.Explain("reading "+file, err)
	}
	defer f.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(f, 0, offset), make([]byte, min(max(offset, 1), sumBuffer))); err != nil {
		return 0, wholefile.Explain("reading "+file, err)
	}
	return sum.Sum32(), nil
}

// sumBuffer is how much of a file is summed up at a time, in bytes.
const sumBuffer = 256 << 10

func placedReader(f *os.File, fi os.FileInfo, from *BlockPlace) *transcript.Reader {
	if from == nil {
		return transcript.NewSizedReader(io.NewSectionReader(f, 0, fi.Size()), fi.Size())
	}
	behind := max(0, fi.Size()-from.Offset)
	return transcript.NewTailReader(io.NewSectionReader(f, from.Offset, behind), from.Offset, from.Bare)
}

// BlockReader reads single blocks again by their places. It keeps the file open that it
// read last. It is for one goroutine; Close lets the file go.
type BlockReader struct {
	store *Store
	of    string
	file  *os.File
	raw   []byte
}

// Blocks gives a reader of single blocks.
func (s *Store) Blocks() *BlockReader { return &BlockReader{store: s} }

// Close lets the file go.
func (r *BlockReader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file, r.of = nil, ""
	return err
}

// Block reads the block at a place. It is up to the caller to see whether it is the one
// that was there; what is no block any more, or a file that is gone, is an error that
// is fs.ErrNotExist. A block without an id has none here.
func (r *BlockReader) Block(p BlockPlace) (transcript.Block, error) {
	if r.of != p.File || r.file == nil {
		_ = r.Close() // read only
		f, err := r.store.openPurged(context.Background(), p.File)
		if err != nil {
			return transcript.Block{}, wholefile.Explain("reading "+p.File, err)
		}
		r.file, r.of = f, p.File
	}
	if p.Size < 0 || p.Offset < 0 || p.Size > transcript.BlockLimit {
		p.Size = transcript.BlockLimit
	}
	if int64(cap(r.raw)) < p.Size {
		r.raw = make([]byte, p.Size)
	}
	n, err := r.file.ReadAt(r.raw[:p.Size], p.Offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return transcript.Block{}, wholefile.Explain("reading "+p.File, err)
	}
	raw := parseBlock(r.raw[:n], p.Offset, int64(n), p.Bare)
	if n == 0 || !raw.Headed && p.Offset > 0 {
		return transcript.Block{}, fmt.Errorf("%w: no block stands at byte %d of %s", fs.ErrNotExist, p.Offset, p.File)
	}
	return raw.Decode(), nil
}
