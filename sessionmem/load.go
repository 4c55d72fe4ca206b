package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

var errNoFile = errors.New("it is no file; move it out of the session folder")

// Load reads a whole session. A session never written gives ErrNotFound.
func (s *Store) Load(ctx context.Context, name string) (*Transcript, error) {
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, true)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	defer unlock()
	if ses.private.Load() {
		if len(ses.mem) == 0 {
			return nil, fmt.Errorf("%w: %s", ErrNotFound, name)
		}
		return &Transcript{Info: ses.memInfo(), Blocks: slices.Clone(ses.mem)}, nil
	}
	file, err := s.locate(name)
	if err != nil {
		return nil, err
	}
	f, err := s.openTranscript(file)
	if err != nil {
		return nil, explainDisk("reading "+file, err)
	}
	return s.readTranscript(f, entryOf(file))
}

// Each reads a whole session block by block, in the memory that its largest block
// takes: for those of any size. begin (may be nil) is told what the list shows of it
// and its front matter, then each every block, in order. The session may grow
// meanwhile; what comes is not part of it. An error of theirs ends the reading.
func (s *Store) Each(ctx context.Context, name string, begin func(info Info, front string) error, each func(Block) error) error {
	if begin == nil {
		begin = func(Info, string) error { return nil }
	}
	if s.IsPrivate(name) {
		t, err := s.Load(ctx, name)
		if err == nil {
			err = begin(t.Info, t.FrontMatter)
		}
		for i := 0; err == nil && i < len(t.Blocks); i++ {
			err = each(t.Blocks[i])
		}
		return err
	}
	f, size, file, err := s.openWhole(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return explainDisk("reading "+file, err)
	}
	whole := func() io.Reader { return io.NewSectionReader(f, 0, size) }
	info, front, err := s.scanInfo(whole(), entryOf(file), fi)
	if err != nil {
		return err
	}
	if err := begin(info, front); err != nil {
		return err
	}
	return s.eachBlock(ctx, whole(), file, each)
}

// openWhole opens a session's file and tells its size at a moment when no block is
// half written.
func (s *Store) openWhole(ctx context.Context, name string) (f *os.File, size int64, file string, err error) {
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, true)
	if err != nil {
		return nil, 0, "", fmt.Errorf("reading %s: %w", name, err)
	}
	defer unlock()
	if file, err = s.locate(name); err != nil {
		return nil, 0, "", err
	}
	if f, err = s.openTranscript(file); err != nil {
		return nil, 0, "", explainDisk("reading "+file, err)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		return nil, 0, "", errors.Join(explainDisk("reading "+file, err), f.Close())
	}
	return f, fi.Size(), file, nil
}

func (s *Store) eachBlock(ctx context.Context, from io.Reader, file string, each func(Block) error) error {
	r, seen := newBlockReader(from), newIndex(s.seed)
	for {
		raw, err := r.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return explainDisk("reading "+file, err)
		}
		b := raw.decode()
		number := seen.copies.identify(&b, raw.derived, seen.has)
		seen.add(b, raw.offset, number)
		if err := errors.Join(ctx.Err(), each(b)); err != nil {
			return err
		}
	}
}

// openTranscript opens a file of the session folder to read it. What is no file is
// refused before: opening a pipe would wait for ever.
func (s *Store) openTranscript(file string) (*os.File, error) {
	if fi, err := s.root.Stat(file); err == nil && !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: file, Err: errNoFile}
	}
	return s.root.Open(file)
}

// LoadFile reads any transcript by path, of any known or older form.
func (s *Store) LoadFile(path string) (*Transcript, error) {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("reading a transcript: %w", &fs.PathError{Op: "open", Path: path, Err: errNoFile})
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, explainDisk("reading a transcript", err)
	}
	t, err := s.readTranscript(f, entry{filepath.Base(path), parseFileName(filepath.Base(path))})
	if err != nil {
		return nil, err
	}
	if t.Info.Path, err = filepath.Abs(path); err != nil {
		t.Info.Path = path
	}
	return t, nil
}

// readTranscript reads an open file and closes it.
func (s *Store) readTranscript(f *os.File, e entry) (*Transcript, error) {
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, explainDisk("reading "+e.file, err)
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("reading %s: it is no file", e.file)
	}
	t, err := ParseTranscript(f)
	if err != nil {
		return nil, explainDisk("reading "+e.file, err)
	}
	t.Info = s.complete(t.Info, e, fi)
	return t, nil
}

// Context gives what a model is told of the session. A session never written
// gives an empty Context and no error.
func (s *Store) Context(ctx context.Context, name string) (out Context, err error) {
	err = s.look(ctx, name, func(ses *session) error {
		out, err = s.contextNow(ses)
		return err
	})
	return out, err
}

// Message gives a message that the conversation stands on (of this branch, since
// the last reset), however long ago it was said, and the id of the message after
// it, "" where it is the last. ErrNotFound where it isn't part of it.
func (s *Store) Message(ctx context.Context, name, id string) (b Block, next string, err error) {
	err = s.look(ctx, name, func(ses *session) error {
		f, x := &ses.fold, &ses.index
		i := f.at(x, x.hash(id))
		if i < 0 || !x.blocks[f.active[i].block].isMessage() {
			return fmt.Errorf("%w in its context: the message %q", ErrNotFound, id)
		}
		r := s.source(ses)
		defer r.close()
		if b, err = r.block(f.active[i].block); err != nil {
			return err
		}
		for _, after := range f.active[i+1:] {
			if x.blocks[after.block].isMessage() {
				message, err := r.block(after.block)
				next = message.ID
				return err
			}
		}
		return nil
	})
	return b, next, err
}

// look brings the session up to date and looks at it, under its locks.
func (s *Store) look(ctx context.Context, name string, at func(*session) error) error {
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, true)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	defer unlock()
	if !ses.private.Load() {
		if err := s.awaitFile(ctx, ses); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		if err := s.refresh(ses); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	for try := 1; ; try++ {
		err := at(ses)
		if !errors.Is(err, errReplaced) || try == appendTries {
			return err
		}
		ses.stat = nil // an editor saved in the midst of it
		if err := s.refresh(ses); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
}
