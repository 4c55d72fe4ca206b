package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Parse reads a transcript of any known or older form, whole or
// damaged. It never refuses content: what can't be read as a block is a block of
// KindText. The error is the reader's. Info holds what the text alone tells.
func Parse(r io.Reader) (*Transcript, error) {
	all := NewCollector()
	if err := all.Read(r); err != nil {
		return nil, fmt.Errorf("reading a transcript: %w", err)
	}
	return all.Transcript(), nil
}

// Collector puts the parts of a session together to one transcript.
type Collector struct {
	T        Transcript
	begun    bool
	sum      Overview
	ids      *IDs
	readOnly bool
}

// NewCollector is a Collector that has read nothing.
func NewCollector() *Collector { return &Collector{ids: NewIDs()} }

// Read reads the next part.
func (c *Collector) Read(r io.Reader) error {
	br := NewReader(r)
	if !c.begun {
		c.T.FrontMatter, c.begun = br.Front, true
	}
	c.readOnly = c.readOnly || ReadOnlyFormat(br.Front)
	for {
		raw, err := br.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		b := raw.Decode()
		c.ids.Identify(&b, raw.Derived)
		c.T.Blocks = append(c.T.Blocks, b)
		c.sum.Add(b)
	}
}

// Transcript gives what was read.
func (c *Collector) Transcript() *Transcript {
	c.T.Info = c.sum.Info(c.T.FrontMatter)
	c.T.Info.ReadOnly = c.readOnly
	return &c.T
}

// Path reads the file of a path as the next part. What is no file is refused before:
// opening a pipe would wait for ever.
func (c *Collector) Path(path string) (os.FileInfo, error) {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotFile}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return c.File(f)
}

// File reads an open file as the next part and closes it.
func (c *Collector) File(f *os.File) (os.FileInfo, error) {
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, ErrNotFile
	}
	return fi, c.Read(f)
}

// ErrReadOnly: a file has a newer format than this version writes.
var ErrReadOnly = errors.New("the transcript is read-only here")

// ErrNotFile: something else stands where a transcript should: a folder, a pipe.
var ErrNotFile = errors.New("it is no file; move it out of the session folder")
