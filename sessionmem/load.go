package sessionmem

import (
	"context"
	"errors"
	"fmt"
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
func (s *Store) Context(ctx context.Context, name string) (Context, error) {
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, true)
	if err != nil {
		return Context{}, fmt.Errorf("reading %s: %w", name, err)
	}
	defer unlock()
	if !ses.private.Load() {
		if err := s.awaitFile(ctx, ses); err != nil {
			return Context{}, fmt.Errorf("reading %s: %w", name, err)
		}
		if err := s.refresh(ses); err != nil && !errors.Is(err, ErrNotFound) {
			return Context{}, err
		}
	}
	return ses.fold.context(), nil
}
