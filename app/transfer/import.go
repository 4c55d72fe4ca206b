// Package transfer takes conversations in from other assistants and out to other people.
//
// EachConversation reads what other assistants export or keep on disk: a file, a folder or a zip
// file, one conversation at a time, so that it takes only the memory of the largest one.
// HTML writes a conversation as a single file to read, send or print. Its style and its pictures
// are inside, for light and dark screens and for paper.
//
// Rules:
//   - Reading only reads. The caller writes the transcripts.
//   - What a file is follows from what is in it, not from its name: each reader (the table
//     formats) knows its conversations by their shape and makes a Conversation of them.
//   - Nothing in a file is trusted: names and IDs contain only characters that are safe in a
//     file name, and everything is marked as text from a file (transcript.FromFile), so that
//     nothing is learned from it without the user.
//   - Nothing is strict: a value of an odd type is a missing value.
//   - What a person saw comes in: messages with all their branches, thoughts, the calls of tools,
//     documents, pictures, files, sources. What can't come in is named where it stood, and
//     counted in Message.LeftOut.
//   - A written file shows what the window shows: the same messages, thoughts, calls and notes,
//     with their text as markdown parses it. All of it goes through html/template as text;
//     nothing of a conversation becomes markup. A browser only shows the file: it loads no
//     address. The only script opens the print dialogue, in a file made for printing. That
//     dialogue also saves PDFs, because a browser handles every script and font, which no small
//     library does.
//
// None of the formats is documented by its maker.
package transfer

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// The errors for a file that can't be imported.
var (
	ErrFormat  = errors.New("there are no conversations of a known kind in it")
	ErrDamaged = errors.New("the export is cut or damaged")
)

// LooksError is ErrFormat for something that is known and not read.
type LooksError struct{ What string }

func (e *LooksError) Error() string { return "this looks like " + e.What + ", which isn't read" }

// Is reports whether the target is ErrFormat.
func (e *LooksError) Is(target error) bool { return target == ErrFormat }

// Watch is told what happens while conversations are read. Its functions may be nil.
type Watch struct {
	// Bad gets the conversations that can't be read, with their place counted from 1. The files of
	// a folder that can't be read come last.
	Bad func(place int, err error)
	// Read gets how many bytes are read, of how many.
	Read func(read, of int64)
}

// EachConversation calls f for each conversation that file holds, in order, until f returns an
// error or ctx ends. Conversations that can't be read are skipped.
func EachConversation(ctx context.Context, file string, f func(Conversation) error, w Watch) error {
	c, err := openContainer(ctx, file)
	if err != nil {
		return err
	}
	defer func() { _ = c.close() }() // read only
	r := &reading{ctx: ctx, in: c, each: f, watch: w, holds: map[string]bool{}}
	for i := range c.entries {
		if c.entries[i].kind != kindOther {
			r.of += c.entries[i].size
		}
	}
	for i := range c.entries {
		e := &c.entries[i]
		err := r.entry(e)
		if stop := cmp.Or(r.stopped, context.Cause(ctx)); stop != nil {
			return stop
		}
		if err != nil && c.single {
			return err
		}
		e.err = cmp.Or(err, e.err) // it costs only itself
	}
	if !r.known {
		return r.unknown()
	}
	for i := range c.entries {
		if e := &c.entries[i]; e.err != nil && r.holds[path.Ext(e.name)] {
			r.place++
			r.bad(r.place, fmt.Errorf("%s: %w", e.name, formatError(e.err)))
		}
	}
	return nil
}

// reading is the reading of a container.
type reading struct {
	ctx   context.Context
	in    *container
	each  func(Conversation) error
	watch Watch

	place    int             // of the last conversation
	read, of int64           // bytes
	known    bool            // something in it was understood
	holds    map[string]bool // the extensions of the files that held conversations
	looks    string          // what a part that isn't understood looks like
	stopped  error           // of each
}

// unknown explains that nothing in a container can be read.
func (r *reading) unknown() error {
	if r.looks != "" {
		return &LooksError{r.looks}
	}
	return ErrFormat
}

// bad reports something that can't be read.
func (r *reading) bad(place int, err error) {
	if r.watch.Bad != nil {
		r.watch.Bad(place, err)
	}
}

// give passes a conversation on.
func (r *reading) give(c Conversation) error {
	r.known = true
	if r.stopped != nil {
		return r.stopped
	}
	if err := r.ctx.Err(); err != nil {
		return context.Cause(r.ctx)
	}
	r.stopped = r.each(c)
	return r.stopped
}

// entry reads a file of the container.
func (r *reading) entry(e *item) error {
	switch e.kind {
	case kindDatabase:
		return r.database(e)
	case kindJSON:
		return r.json(e)
	}
	if r.looks == "" {
		r.looks = e.looks
	}
	return nil
}

// json reads the conversations of a file of JSON: a list of them, one, one a line, or a list
// within an object.
func (r *reading) json(e *item) error {
	in, err := e.open()
	if err != nil && !r.in.single {
		e.err = err
		return nil
	}
	if err != nil {
		return formatError(err)
	}
	defer in.Close()
	type waiting struct {
		place int
		err   error
	}
	var before []waiting // what isn't understood, until something is
	known := false
	messages := &janMessages{}
	values := 0
	err = eachValue(r.ctx, &counted{in, r}, func(data []byte, err error) error {
		values++
		r.place++
		var v any
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		if err == nil && messages.add(v) {
			known = true
			return nil
		}
		var convs []Conversation
		var looks string
		if err == nil {
			if convs, looks = r.conversations(v, maxWithin); len(convs) == 0 {
				err = errors.New("it holds no messages")
			}
		}
		switch {
		case err != nil && known:
			r.bad(r.place, err)
			return nil
		case err != nil:
			if r.looks == "" {
				r.looks = looks
			}
			if before = append(before, waiting{r.place, err}); len(before) > 1000 {
				before = before[:1000]
			}
			return nil
		}
		for _, w := range before {
			r.bad(w.place, w.err)
		}
		known, before = true, nil
		for _, c := range convs {
			if err := r.give(c); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range messages.conversations(r, e) {
		if err := r.give(c); err != nil {
			return err
		}
	}
	switch {
	case known || values == 0 && err == nil && r.in.single: // an empty list is an export of nothing
		r.known, r.holds[path.Ext(e.name)] = true, true
		return formatError(err)
	case err != nil && r.in.single:
		return formatError(err)
	}
	if !errors.Is(err, ErrFormat) { // it is JSON, at least in its beginning
		e.err = err
	}
	for _, w := range before {
		if e.err == nil && errors.As(w.err, new(*json.SyntaxError)) {
			e.err = w.err
		}
	}
	return nil // another file of the container
}

// counted counts what is read.
type counted struct {
	in io.Reader
	r  *reading
}

func (c *counted) Read(p []byte) (int, error) {
	if err := c.r.ctx.Err(); err != nil {
		return 0, context.Cause(c.r.ctx)
	}
	n, err := c.in.Read(p)
	if c.r.read += int64(n); c.r.watch.Read != nil && n > 0 {
		c.r.watch.Read(min(c.r.read, c.r.of), c.r.of)
	}
	return n, err
}

// formatError explains why a file can't be read to its end.
func formatError(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrFormat), errors.Is(err, ErrDamaged):
		return err
	case errors.Is(err, io.EOF):
		return ErrFormat
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm), errors.As(err, new(*json.SyntaxError)):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// The kinds of a container's files.
const (
	kindOther    = iota // pictures and the like
	kindJSON            // also UTF-16, and one value a line
	kindDatabase        // SQLite
)

// container is what a person chose: a file, or the files of a folder or a zip file.
type container struct {
	made    time.Time // the time of messages without one
	single  bool      // a file by itself
	entries []item
	names   []int            // the entries, by their base names
	folders map[string][]int // the entries of each folder
	closers []io.Closer
}

// item is a file of a container.
type item struct {
	name  string // with slashes, from the container's root
	file  string // on disk, "" in a zip file
	size  int64  // as it is said to be
	kind  int
	looks string // what a file that isn't read is
	err   error  // why it can't be read; it is told if files with its extension hold conversations
	raw   func() (io.ReadCloser, error)
}

// base returns the entry's name without its folders.
func (e *item) base() string { return path.Base(e.name) }

func (c *container) close() error {
	var errs []error
	for _, open := range slices.Backward(c.closers) {
		errs = append(errs, open.Close())
	}
	return errors.Join(errs...)
}

// openContainer opens a file, a folder or a zip file and looks at the first bytes of each file
// in it.
func openContainer(ctx context.Context, file string) (*container, error) {
	fi, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	c := &container{made: fi.ModTime()}
	switch {
	case fi.IsDir():
		err = c.addFolder(ctx, file)
	case !fi.Mode().IsRegular():
		err = ErrFormat
	default:
		err = c.addFile(file, fi)
	}
	for i := 0; err == nil && i < len(c.entries); i++ {
		if err = ctx.Err(); err == nil {
			err = c.entries[i].sniff()
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.folders = map[string][]int{}
	for i := range c.entries {
		c.names = append(c.names, i)
		c.folders[path.Dir(c.entries[i].name)] = append(c.folders[path.Dir(c.entries[i].name)], i)
	}
	slices.SortFunc(c.names, func(a, b int) int { return strings.Compare(c.entries[a].base(), c.entries[b].base()) })
	return c, nil
}

func (c *container) addFolder(ctx context.Context, root string) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil && file == root {
			return err
		}
		if err != nil || !d.Type().IsRegular() { // a link, or a folder that may not be read
			return ctx.Err()
		}
		fi, err := d.Info()
		if err != nil {
			return ctx.Err() // it has gone
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		c.entries = append(c.entries, item{name: filepath.ToSlash(name), file: file, size: fi.Size(), raw: func() (io.ReadCloser, error) { return os.Open(file) }})
		return ctx.Err()
	})
}

func (c *container) addFile(file string, fi os.FileInfo) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	c.closers = append(c.closers, f)
	head := make([]byte, 2)
	n, _ := f.ReadAt(head, 0) // a shorter file isn't a zip
	if string(head[:n]) != "PK" {
		c.single = true
		c.entries = []item{{name: filepath.Base(file), file: file, size: fi.Size(), raw: func() (io.ReadCloser, error) { return os.Open(file) }}}
		return nil
	}
	archive, err := zip.NewReader(f, fi.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // the names in it are no paths here
		return formatError(err)
	}
	for _, inside := range archive.File {
		if !inside.FileInfo().IsDir() {
			c.entries = append(c.entries, item{name: inside.Name, size: int64(inside.UncompressedSize64), raw: inside.Open}) //nolint:gosec // as it is said to be
		}
	}
	return nil
}

// sniffBytes is how much of a file is looked at.
const sniffBytes = 4096

// sniff finds out what an entry is.
func (e *item) sniff() error {
	in, err := e.raw()
	if err != nil {
		e.err = err
		return nil
	}
	defer in.Close()
	head, err := io.ReadAll(io.LimitReader(in, sniffBytes))
	if len(head) == 0 {
		if e.err = err; err == nil {
			e.err = io.ErrUnexpectedEOF // nothing is left of it
		}
		return nil
	}
	if bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		e.kind = kindDatabase
		return nil
	}
	text, err := io.ReadAll(transform.NewReader(bytes.NewReader(head), textEncoding(head)))
	if err != nil {
		return nil //nolint:nilerr // it isn't text
	}
	switch first := bytes.TrimLeft(text, " \t\r\n"); {
	case len(first) == 0 && len(head) == sniffBytes, len(first) > 0 && (first[0] == '[' || first[0] == '{'):
		e.kind = kindJSON
	default:
		e.looks = textLooks(first)
	}
	return nil
}

// textEncoding returns what makes UTF-8 of a text with this beginning.
func textEncoding(head []byte) transform.Transformer {
	plain := encoding.Nop
	if len(head) > 1 { // JSON begins with a character of ASCII
		switch {
		case head[0] == 0 && head[1] != 0:
			plain = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
		case head[0] != 0 && head[1] == 0:
			plain = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
		}
	}
	return unicode.BOMOverride(plain.NewDecoder())
}

// open opens an entry of text as UTF-8.
func (e *item) open() (io.ReadCloser, error) {
	in, err := e.raw()
	if err != nil {
		return nil, err
	}
	head := make([]byte, 2)
	n, err := io.ReadFull(in, head)
	if err != nil && n == 0 {
		return nil, errors.Join(err, in.Close())
	}
	whole := io.MultiReader(bytes.NewReader(head[:n]), in)
	return struct {
		io.Reader
		io.Closer
	}{transform.NewReader(whole, textEncoding(head[:n])), in}, nil
}

// maxAsset limits a picture or file of a message.
const maxAsset = 50 << 20

// find returns a file whose name is id, or begins with it: exports name pictures by their ID and
// their old name.
func (c *container) find(id string) (*item, bool) {
	id = path.Base(id)
	if id == "" || id == "." || id == "/" {
		return nil, false
	}
	at, _ := slices.BinarySearchFunc(c.names, id, func(i int, id string) int { return strings.Compare(c.entries[i].base(), id) })
	for ; at < len(c.names); at++ {
		e := &c.entries[c.names[at]]
		rest, ok := strings.CutPrefix(e.base(), id)
		if !ok {
			break
		}
		if rest == "" || strings.ContainsRune("-_.", rune(rest[0])) {
			return e, true
		}
	}
	return nil, false
}

// data returns the bytes of a picture or file.
func (e *item) data() ([]byte, error) {
	in, err := e.raw()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxAsset+1))
	if err == nil && len(data) > maxAsset {
		err = fmt.Errorf("it is larger than %d MB", maxAsset>>20)
	}
	return data, err
}
