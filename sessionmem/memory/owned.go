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

// maxOwned is the maximum size, in bytes, of a file that OpenOwned returns with its text.
const maxOwned = 1 << 20

// ErrChangedOutside means that the file has changed since the edit began.
var ErrChangedOutside = errors.New("the file was changed outside meanwhile")

// ErrNotEditable means that the file exists and can't be edited in the app. The error's
// text says why.
var ErrNotEditable = errors.New("it can't be edited here")

// Owned is a text file that people own, opened for reading or editing.
type Owned struct {
	Path string
	Link string // the real path if Path is a symbolic link; else ""
	Text string // LF, without BOM; invalid UTF-8 is replaced by U+FFFD
	Size int64  // in bytes
	// Missing reports whether the file doesn't exist yet. Saving creates it.
	Missing bool
	// Garbled reports whether some of its bytes aren't valid UTF-8. They stay as they are:
	// a line that holds some can be removed, but not edited.
	Garbled bool
	// Why is the reason why it can't be edited; "" if it can.
	Why string

	raw []byte
}

// SameText reports whether two states of a file hold the same bytes.
func (o Owned) SameText(other Owned) bool {
	return o.Missing == other.Missing && o.Why == other.Why && bytes.Equal(o.raw, other.raw)
}

// Edits opens and saves files that people own, and keeps edits that aren't saved yet. It is
// safe for concurrent use.
type Edits struct{ s *store }

// OpenOwned reads a file of the data folder, following a link. For a missing file it sets
// Missing, and for one that can't be edited Why; neither is an error.
func (e *Edits) OpenOwned(path string) (Owned, error) {
	if e.s.root.isMemory(path) {
		_, _ = e.s.files.ReadStable(context.Background(), path) // other readers report what is wrong with it
	}
	return e.open(path)
}

func (e *Edits) open(path string) (Owned, error) {
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

// SaveOwned replaces what was opened with the edited text: under the lock of the memory
// files, atomically, following a link. Unedited lines keep their bytes, line ends and BOM;
// new ones get the file's line ends. Errors: ErrChangedOutside if the file has changed
// since it was opened, with nothing written; ErrNotEditable; or errors of the disk.
func (e *Edits) SaveOwned(ctx context.Context, o Owned, text string) (Owned, error) {
	if o.Why != "" {
		return o, fmt.Errorf("%s: %w: %s", filepath.Base(o.Path), ErrNotEditable, o.Why)
	}
	unlock, err := e.s.files.LockStill(ctx, o.Path)
	if err != nil {
		return o, err
	}
	defer unlock()
	if now, err := e.open(o.Path); err != nil || now.Why != "" {
		return o, errors.Join(err, notEditable(now))
	}
	for _, d := range linediff.Lines(o.Text, strings.ReplaceAll(text, "\r\n", "\n")) {
		if d.Op == linediff.Added {
			if err := e.s.sieve.forgotten.Allow(memorytext.BulletOf(d.Text).Text); err != nil {
				return o, err
			}
		}
	}
	err = e.s.files.Edit(o.Path, func(raw []byte) ([]byte, error) {
		if !bytes.Equal(raw, o.raw) {
			return nil, fmt.Errorf("%s: %w", filepath.Base(o.Path), ErrChangedOutside)
		}
		return o.rebuild(text)
	})
	if err != nil {
		return o, err
	}
	return e.open(o.Path)
}

func notEditable(o Owned) error {
	if o.Why == "" {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", filepath.Base(o.Path), ErrNotEditable, o.Why)
}

// rebuild returns the file's bytes with the edited text.
func (o Owned) rebuild(text string) ([]byte, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	bom, body := wholefile.CutBOM(o.raw)
	lines := bytes.SplitAfter(body, []byte("\n"))
	eol := memorytext.LineEnd(body)
	out := bytes.NewBuffer(nil)
	out.Write(bom)
	end := "" // the previous line's end
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
