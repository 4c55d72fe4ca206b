package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

const (
	// fingerprintLen is how many bytes before the known end are compared to see
	// whether a file only grew.
	fingerprintLen = 512
)

// refresh reads what changed in the session's file, after removing what was forgotten and
// came back.
func (s *state) refresh() error {
	return s.purged(context.Background(), func() error { return s.refreshFile() })
}

// refreshFile is refresh for a file without forgotten text. It reads nothing if the file is
// unchanged, the tail if it grew, otherwise all of it. A session without a file becomes
// empty. The caller holds s.mu and, so that no block is half written, the append lock.
func (s *state) refreshFile() error {
	s.used = time.Now()
	s.unstackUnsaved()
	defer s.stackUnsaved()
	fi, err := s.statFile()
	if errors.Is(err, ErrNotFound) {
		s.forgetFile()
		return nil
	}
	if err != nil {
		return err
	}
	stand := s.earlierUnchanged()
	if stand && s.stat != nil && os.SameFile(s.stat, fi) && s.size == fi.Size() && s.stat.ModTime().Equal(fi.ModTime()) {
		return nil
	}
	f, err := s.catalog.Open(s.file)
	if err != nil {
		return wholefile.Explain("reading "+s.file, err)
	}
	defer f.Close()
	if fi, err = f.Stat(); err != nil {
		return wholefile.Explain("reading "+s.file, err)
	}
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("reading %s: it is no file", s.file)
	}
	if stand {
		if grew, err := s.readTail(f, fi); err != nil || grew {
			return err
		}
	}
	return s.readAll(f, fi)
}

// statFile finds the session's files and returns the FileInfo of the last one. A known file
// that is gone may be in the middle of an editor's save, or renamed.
func (s *state) statFile() (os.FileInfo, error) {
	if s.isFresh() {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, s.name)
	}
	if !s.inPlace() {
		parts, err := s.catalog.Parts(s.name)
		if err != nil {
			return nil, err
		}
		s.setParts(parts)
		s.dirtyCopy = s.holdsDirtyCopy()
	}
	fi, err := s.dir.Stat(s.file)
	if err != nil {
		return nil, wholefile.Explain("reading "+s.file, err)
	}
	return fi, nil
}

// forgetFile drops everything known of a file that is gone.
func (s *state) forgetFile() {
	if s.file != "" {
		s.inTurn, s.last, s.fresh = nil, joined{}, time.Time{}
	}
	s.file, s.stat, s.size, s.tail = "", nil, 0, nil
	s.earlier, s.base = nil, 0
	s.bare, s.readOnly, s.rewrote = false, false, false
	s.forgetBlocks()
	s.stackUnsaved()
}

// forgetBlocks drops everything known of the blocks.
func (s *state) forgetBlocks() {
	s.reset()
	s.unsaved.base = nil
	s.journal.Forget()
}

// read adds a block that was read from the file. Its text is decoded only if something depends
// on it.
func (s *state) read(raw transcript.RawBlock) {
	b, ok := raw.Head()
	if !ok {
		b = raw.Decode()
	}
	number := s.index.Identify(&b, raw.Derived)
	words := uint32(0)
	if b.IsMessage() {
		words = raw.Checksum()
	}
	s.follow(b, words, s.base+raw.Offset, number)
}

// readTail reads what was appended since. It reports false if the file changed in another
// way.
func (s *state) readTail(f *os.File, fi os.FileInfo) (bool, error) {
	if s.stat == nil || !os.SameFile(s.stat, fi) || fi.Size() <= s.size || len(s.tail) == 0 {
		return false, nil
	}
	was := make([]byte, len(s.tail))
	if _, err := f.ReadAt(was, s.size-int64(len(was))); err != nil || !bytes.Equal(was, s.tail) {
		return false, nil //nolint:nilerr // reading the whole file returns the reason
	}
	r := transcript.NewTailReader(io.NewSectionReader(f, s.size, fi.Size()-s.size), s.size, s.bare)
	r.Limit = transcript.BlockLimit
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			if err := s.setEnd(f, fi); err != nil {
				return false, nil //nolint:nilerr // as above
			}
			return true, nil
		}
		if err != nil {
			s.stat = nil // part of it is already known
			return false, wholefile.Explain("reading "+s.file, err)
		}
		if !raw.Headed {
			return false, nil // text was added to the last block
		}
		b := raw.Decode()
		n := s.follow(b, b.Checksum(), s.base+raw.Offset, s.index.Identify(&b, raw.Derived))
		if raw.Size <= transcript.BlockLimit {
			s.texts.put(n, b, int(raw.Size))
		}
		s.last = joined{time.Now(), b.Time}
	}
}

// readAll reads the whole session: the parts before the last file, and that file.
func (s *state) readAll(f *os.File, fi os.FileInfo) error {
	s.rewrote = s.rewrote || s.stat != nil
	var err error
	for range maxReads {
		s.isUTF8, s.readOnly, s.base = false, false, 0
		s.forgetBlocks()
		if err = s.readEarlier(); err == nil {
			s.bare, err = s.readBlocks(f, fi, s.file)
		}
		if err != nil {
			s.stat = nil
			return err
		}
		if err = s.setEnd(f, fi); !errors.Is(err, io.EOF) {
			return err
		}
		var statErr error // an editor has just cut the file short
		if fi, statErr = f.Stat(); statErr != nil {
			return wholefile.Explain("reading "+s.file, statErr)
		}
	}
	return err
}

// maxReads is how often a file is read while others cut it short.
const maxReads = 20

// readBlocks reads a file of the session from its beginning.
func (s *state) readBlocks(f *os.File, fi os.FileInfo, file string) (bare bool, err error) {
	r := transcript.NewReader(io.NewSectionReader(f, 0, fi.Size()))
	r.Limit = transcript.BlockLimit
	s.readOnly = s.readOnly || transcript.ReadOnlyFormat(r.Front)
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			return r.Bare, nil
		}
		if err != nil {
			s.forgetBlocks()
			return false, wholefile.Explain("reading "+file, err)
		}
		s.read(raw)
	}
}

// setEnd records where the file ends and its last bytes.
func (s *files) setEnd(f *os.File, fi os.FileInfo) error {
	tail := make([]byte, min(fi.Size(), fingerprintLen))
	if len(tail) > 0 {
		if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil {
			s.stat = nil
			return wholefile.Explain("reading "+s.file, err)
		}
	}
	s.stat, s.size, s.tail = fi, fi.Size(), tail
	return nil
}
