package catalog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// partsBeside returns the paths of the session's parts that lie beside one of them, the first
// part first; only path itself if it isn't a session's file.
func partsBeside(path string) []string {
	dir, base := filepath.Split(path)
	name, ok := strings.CutSuffix(base, transcript.FileSuffix)
	if !ok || transcript.ParseFileName(base).Stamp == "" {
		return []string{path}
	}
	stem, number := transcript.CutPart(name)
	file := func(n int) string { return dir + transcript.PartFile(stem, n) }
	there := func(n int) bool {
		fi, err := os.Stat(file(n))
		return err == nil && fi.Mode().IsRegular()
	}
	first, last := number, number
	for first > 1 && there(first-1) {
		first--
	}
	for there(last + 1) {
		last++
	}
	var paths []string
	for n := first; n <= last; n++ {
		paths = append(paths, file(n))
	}
	return paths
}

// Parts finds a session's files, the oldest part first. The name is only compared, never used
// as a path. Parts looks a second time for a missing session: it may have been on its way
// out of the archive.
func (c *Catalog) Parts(name string) ([]Entry, error) {
	parts, err := c.locateOnce(name)
	if errors.Is(err, ErrNotFound) {
		return c.locateOnce(name)
	}
	return parts, err
}

func (c *Catalog) locateOnce(name string) ([]Entry, error) {
	files, err := c.Of(name)
	if len(files) == 0 {
		return nil, err
	}
	parts, others := c.ownedBy(files, c.deletions())
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: %s; there is only a copy of it: %s", ErrNotFound, name, c.dir.Path(others[0].Files[0].File))
	}
	return parts, nil
}

// Locate returns the file that a session is written to: its last part.
func (c *Catalog) Locate(name string) (string, error) {
	parts, err := c.Parts(name)
	if err != nil {
		return "", err
	}
	return parts[len(parts)-1].File, nil
}

// Of returns all files of a session's name, older ones and copies included.
func (d *folder) Of(name string) ([]Entry, error) {
	all, err := d.Entries()
	var files []Entry
	for _, e := range all {
		if e.Session == name {
			files = append(files, e)
		}
	}
	if len(files) == 0 && err == nil {
		err = fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	return files, err
}

// paths returns the paths of several parts; nil for a single file.
func (d *folder) paths(parts []Entry) []string {
	if len(parts) < 2 {
		return nil
	}
	paths := make([]string, len(parts))
	for i, e := range parts {
		paths[i] = d.dir.Path(e.File)
	}
	return paths
}

// Owned returns the files of a session's name, sorted: the parts of its transcript, oldest
// first, then what isn't the session.
func (c *Catalog) Owned(name string) (parts []Entry, others []Set, err error) {
	files, err := c.Of(name)
	if len(files) > 0 {
		parts, others = c.ownedBy(files, c.deletions())
	}
	return parts, others, err
}

// OfInfo returns the current files of a list entry.
func (c *Catalog) OfInfo(info transcript.Info) ([]Entry, error) {
	files, err := c.Of(info.Name)
	if len(files) == 0 {
		return nil, err
	}
	for _, set := range Sets(files) {
		if set.Files[len(set.Files)-1].File == c.dir.Relative(info.Path) {
			return set.Files, nil
		}
	}
	return nil, fmt.Errorf("%w: its files changed meanwhile", sessiondir.ErrReplaced)
}

// Info returns the list entry for the parts of a session, oldest first: started with the
// first, active with the last, with the messages of all.
func (c *contents) Info(parts []Entry) transcript.Info { return c.listedOf(parts).info }

// Title returns the title of a session's parts; own reports whether it comes from their text
// rather than from the file's name.
func (c *contents) Title(parts []Entry) (title string, own bool) {
	l := c.listedOf(parts)
	return l.info.Title, l.own
}

func (c *contents) listedOf(parts []Entry) listed {
	if parts[0].Part > 1 { // the list cache has no title for a later part
		c.mu.Lock()
		delete(c.listed, parts[0].File)
		c.mu.Unlock()
	}
	out := *c.fileInfo(parts[0])
	for _, e := range parts[1:] {
		out.follow(c.fileInfo(e))
	}
	out.info.Parts = c.paths(parts)
	return out
}

// follow adds the next part.
func (l *listed) follow(next *listed) {
	info := &l.info
	info.Path = next.info.Path
	info.Archived = info.Archived && next.info.Archived
	info.ReadOnly = info.ReadOnly || next.info.ReadOnly
	info.Err = errors.Join(info.Err, next.info.Err)
	if next.info.Err != nil {
		return
	}
	info.Messages += next.info.Messages
	info.Agent = cmp.Or(next.info.Agent, info.Agent)
	if next.talk { // a crash may leave a part without blocks
		info.Active, info.Ended = next.info.Active, next.info.Ended
	}
	switch {
	case next.noted != "":
		info.Title, l.own = next.noted, true
	case !l.own && next.first != "":
		info.Title, l.own = next.first, true
	}
}

// Part is an opened file of a session.
type Part struct {
	Entry
	f  *os.File
	fi os.FileInfo
}

// Reader reads the file as it was when it was opened.
func (p Part) Reader() io.Reader { return io.NewSectionReader(p.f, 0, p.fi.Size()) }

// Load reads the parts of a session as one transcript.
func (c *Catalog) Load(parts []Entry) (*transcript.Transcript, error) {
	all := transcript.NewCollector()
	var last os.FileInfo
	archived := true
	for _, e := range parts {
		f, err := c.Open(e.File)
		if err != nil {
			return nil, wholefile.Explain("reading "+e.File, err)
		}
		if last, err = all.File(f); err != nil {
			return nil, wholefile.Explain("reading "+e.File, err)
		}
		archived = archived && InArchive(e.File)
	}
	t := all.Transcript()
	t.Info = c.complete(t.Info, parts[len(parts)-1], last)
	t.Info.Archived, t.Info.Parts = archived, c.paths(parts)
	return t, nil
}

// OpenParts opens the files of a session.
func (c *Catalog) OpenParts(name string) (parts []Part, err error) {
	files, err := c.Parts(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			Close(parts)
		}
	}()
	for _, e := range files {
		f, err := c.Open(e.File)
		if err != nil {
			return nil, wholefile.Explain("reading "+e.File, err)
		}
		fi, err := f.Stat()
		parts = append(parts, Part{e, f, fi})
		if err == nil && !fi.Mode().IsRegular() {
			err = transcript.ErrNotFile
		}
		if err != nil {
			return parts, wholefile.Explain("reading "+e.File, err)
		}
	}
	return parts, nil
}

// Close closes what OpenParts opened.
func Close(parts []Part) {
	for _, p := range parts {
		_ = p.f.Close() // read only
	}
}

// Scan returns what the list shows of a session, and its front matter.
func (c *Catalog) Scan(parts []Part) (transcript.Info, string, error) {
	out, front, err := c.scanInfo(parts[0].Reader(), parts[0].Entry, parts[0].fi)
	files := []Entry{parts[0].Entry}
	for _, p := range parts[1:] {
		if err != nil {
			break
		}
		var next listed
		next, _, err = c.scanInfo(p.Reader(), p.Entry, p.fi)
		out.follow(&next)
		files = append(files, p.Entry)
	}
	out.info.Parts = c.paths(files)
	return out.info, front, err
}

// ReadPath reads any transcript by absolute path, in any known or older form. If it is part of
// a session, the parts beside it are read too: Info.Parts lists them all, and Info.Path is
// path. clean is called for each file before it is read.
func (c *Catalog) ReadPath(path string, clean func(path string) error) (*transcript.Transcript, error) {
	all, parts := transcript.NewCollector(), partsBeside(path)
	var stat os.FileInfo
	for _, p := range parts {
		if err := clean(p); err != nil {
			return nil, wholefile.Explain("reading a transcript", err)
		}
		fi, err := all.Path(p)
		if err != nil {
			return nil, wholefile.Explain("reading a transcript", err)
		}
		stat = fi
	}
	t := all.Transcript()
	e := parseEntry(filepath.Base(path))
	if name := claimIn(t.FrontMatter).session; e.Stamp == "" && name != "" {
		e.Session = name
	}
	t.Info = c.complete(t.Info, e, stat)
	t.Info.Path = path
	if len(parts) > 1 {
		t.Info.Parts = parts
	}
	return t, nil
}

// Titles returns the titles in the front matter of a session's files.
func (d *folder) Titles(name string) []string {
	if d.dir == nil {
		return nil
	}
	files, _ := d.Of(name) // Forget reports what can't be listed
	var titles []string
	for _, e := range files {
		data, err := d.dir.ReadRegular(e.File)
		if err != nil {
			continue
		}
		front, _ := transcript.CutFrontMatter(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
		if title := transcript.FrontValue(front, "title"); title != "" {
			titles = append(titles, title)
		}
	}
	return titles
}
