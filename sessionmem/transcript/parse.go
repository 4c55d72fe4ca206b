package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Parse reads a transcript of any known or older form, complete or damaged. It never rejects
// content: what can't be read as a block becomes a block of KindText. An error comes from the
// reader. Info holds only what the text says.
func Parse(r io.Reader) (*Transcript, error) {
	all := NewCollector()
	if err := all.Read(r); err != nil {
		return nil, fmt.Errorf("reading a transcript: %w", err)
	}
	return all.Transcript(), nil
}

// Collector combines the parts of a session into one transcript.
type Collector struct {
	T        Transcript
	begun    bool
	sum      Overview
	ids      *IDs
	readOnly bool
}

// NewCollector returns a Collector that has read nothing.
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

// Transcript returns what was read.
func (c *Collector) Transcript() *Transcript {
	c.T.Info = c.sum.Info(c.T.FrontMatter)
	c.T.Info.ReadOnly = c.readOnly
	return &c.T
}

// Path reads the file at path as the next part. It refuses anything but a regular file before
// opening it: opening a pipe would wait forever.
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

// ErrReadOnly means that a file has a newer format than this version writes.
var ErrReadOnly = errors.New("the transcript is read-only here")

// ErrNotFile means that something else is in place of a transcript: a folder or a pipe.
var ErrNotFile = errors.New("it is no file; move it out of the session folder")
