package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mac-stats/sessionmem/linediff"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// maxOwned is the size in bytes up to which OpenOwned gives a file's text.
const maxOwned = 1 << 20

// ErrChangedOutside: the file is not any more what the edit began with.
var ErrChangedOutside = errors.New("the file was changed outside meanwhile")

// ErrNotEditable: the file is there and can't be edited from here. The wrapped text
// says why.
var ErrNotEditable = errors.New("it can't be edited here")

// Owned is a text file people own, opened to be looked at or edited.
type Owned struct {
	Path string
	Link string // where it is in truth, of a symlink; else ""
	Text string // LF, without BOM; what is no UTF-8 is U+FFFD
	Size int64  // in bytes
	// Missing: there is no such file yet. Saving makes it.
	Missing bool
	// Garbled: some of its bytes are no UTF-8. They stay as they are; a line that
	// holds some can be removed, but not edited.
	Garbled bool
	// Why says why it can't be edited; "" where it can.
	Why string

	raw []byte
}

// SameText reports whether two states of a file hold the same bytes.
func (o Owned) SameText(other Owned) bool {
	return o.Missing == other.Missing && o.Why == other.Why && bytes.Equal(o.raw, other.raw)
}

// Edits are edits of files that people own: those that are being made, and those that wait
// to be saved. It is safe for use by several goroutines.
type Edits struct{ s *store }

// OpenOwned reads a file of the data folder, through a link if it is one. A missing
// file gives Missing, one that can't be edited gives Why; neither is an error.
func (e *Edits) OpenOwned(path string) (Owned, error) {
	o := Owned{Path: path}
	if !wholefile.IsWithin(filepath.Clean(path), string(e.s.root)) {
		return o, fmt.Errorf("%w: %s is not in the data folder", ErrNotEditable, path)
	}
	if real, err := wholefile.Through(path); err == nil && real != path {
		o.Link = real
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.Missing = true
		return o, nil
	case err != nil:
		return o, wholefile.Explain("reading "+filepath.Base(path), err)
	case !fi.Mode().IsRegular():
		o.Why = "it is no file; move it away"
		return o, nil
	}
	o.Size = fi.Size()
	if fi.Size() > maxOwned {
		o.Why = fmt.Sprintf("it is %.1f MB large, more than any model reads; open it in your editor", float64(fi.Size())/(1<<20))
		return o, nil
	}
	if e.s.root.isMemory(path) {
		_, _ = e.s.files.ReadStable(context.Background(), path) // what is wrong with it is told by who reads it
	}
	if o.raw, _, err = wholefile.ReadText(path); err != nil {
		return o, wholefile.Explain("reading "+filepath.Base(path), err)
	}
	o.raw, _ = e.s.files.Purge(path, o.raw)
	o.Text = memorytext.Normalize(o.raw)
	o.Garbled = !utf8.Valid(o.raw)
	switch {
	case bytes.IndexByte(o.raw, 0) >= 0:
		o.Why = "it is not a text file"
	case fi.Mode().Perm()&0o200 == 0:
		o.Why = "it is read-only; give yourself the right to write it"
	}
	return o, nil
}

// SaveOwned writes an edited text in the place of what was opened: under the lock of
// the memory files, at once, through a link. The lines that were not edited keep
// their bytes, line ends and BOM; new ones get the file's line ends. Errors:
// ErrChangedOutside, with nothing done, where the file is not what was opened;
// ErrNotEditable; or of the disk.
func (e *Edits) SaveOwned(ctx context.Context, o Owned, text string) (Owned, error) {
	if o.Why != "" {
		return o, fmt.Errorf("%s: %w: %s", filepath.Base(o.Path), ErrNotEditable, o.Why)
	}
	unlock, err := e.s.files.Lock(ctx)
	if err != nil {
		return o, err
	}
	defer unlock()
	if now, err := e.OpenOwned(o.Path); err != nil || now.Why != "" {
		return o, errors.Join(err, notEditable(now))
	}
	for _, d := range linediff.Lines(o.Text, strings.ReplaceAll(text, "\r\n", "\n")) {
		if d.Op == linediff.Added {
			if err := e.s.sieve.forgotten.Allow(memorytext.BulletOf(d.Text).Text); err != nil {
				return o, err
			}
		}
	}
	err = e.s.files.Edit(ctx, o.Path, func(raw []byte) ([]byte, error) {
		if !bytes.Equal(raw, o.raw) {
			return nil, fmt.Errorf("%s: %w", filepath.Base(o.Path), ErrChangedOutside)
		}
		return o.rebuild(text)
	})
	if err != nil {
		return o, err
	}
	return e.OpenOwned(o.Path)
}

func notEditable(o Owned) error {
	if o.Why == "" {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", filepath.Base(o.Path), ErrNotEditable, o.Why)
}

// rebuild gives the file's bytes with the text edited.
func (o Owned) rebuild(text string) ([]byte, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	bom, body := wholefile.CutBOM(o.raw)
	lines := bytes.SplitAfter(body, []byte("\n"))
	eol := memorytext.LineEnd(body)
	out := bytes.NewBuffer(nil)
	out.Write(bom)
	end := "" // of the line before
	for _, d := range linediff.Lines(o.Text, text) {
		if d.Op == linediff.Removed {
			continue
		}
		out.WriteString(end)
		end = eol
		if d.Op == linediff.Added {
			if o.Garbled && strings.ContainsRune(d.Text, utf8.RuneError) {
				return nil, fmt.Errorf("%s: %w: line %d holds bytes that are no text (UTF-8); edit that line in your editor", filepath.Base(o.Path), ErrNotEditable, d.After)
			}
			out.WriteString(d.Text)
			continue
		}
		line := lines[d.Before-1]
		own := wholefile.LineEnd(line)
		out.Write(line[:len(line)-len(own)])
		if own != "" {
			end = own
		}
	}
	return out.Bytes(), nil
}
