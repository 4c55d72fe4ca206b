package catalog

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// listed holds what List knows of a file, valid as long as the file is unchanged.
type listed struct {
	Entry
	stamp wholefile.Stamp
	at    time.Time // when the file was read; not in the cache
	info  transcript.Info
	noted string // the title given by a Note
	first string // the title made from its first message
	own   bool   // info.Title comes from the text, not from the file's name
	talk  bool   // it holds other blocks than titles
	fit   nameFit
}

// fileInfo returns what the list shows of a file. It reads the file unless it is known already.
func (c *contents) fileInfo(e Entry) *listed {
	bad := func(err error) *listed {
		info := transcript.Info{Name: e.Session, Path: c.dir.Path(e.File), Archived: InArchive(e.File), Title: e.Topic, Started: e.Started(), Active: e.Started(), Err: err}
		info.Source, info.ID = transcript.SplitName(e.Session)
		return &listed{Entry: e, info: info}
	}
	c.mu.Lock()
	known := c.listed[e.File]
	c.mu.Unlock()
	now := time.Now()
	fi, err := c.dir.StatFile(e.File)
	if err != nil {
		return bad(wholefile.Explain("reading "+e.File, err))
	}
	if known != nil && known.stamp == wholefile.StampOf(fi) {
		return known
	}
	if !fi.Mode().IsRegular() {
		return bad(fmt.Errorf("reading %s: it is no file; move it out of the session folder", e.File))
	}
	l, err := c.scanFile(e, fi)
	if err != nil {
		return bad(err)
	}
	l.at = now
	c.mu.Lock()
	c.listed[e.File] = &l
	c.mu.Unlock()
	return &l
}

func (c *contents) scanFile(e Entry, fi os.FileInfo) (listed, error) {
	f, err := c.Open(e.File)
	if err != nil {
		return listed{}, wholefile.Explain("reading "+e.File, err)
	}
	defer f.Close()
	l, _, err := c.scanInfo(f, e, fi)
	return l, err
}

// scanInfo reads a file for the list: only headings, and the texts that titles come from. It
// returns the front matter too.
func (c *contents) scanInfo(from io.Reader, e Entry, fi os.FileInfo) (l listed, front string, err error) {
	r := transcript.NewSizedReader(from, fi.Size())
	r.Limit = transcript.BlockLimit
	var sum transcript.Overview
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return listed{}, "", wholefile.Explain("reading "+e.File, err)
		}
		k := raw.Heading.Kind
		if !raw.Headed || !raw.Heading.Known {
			k = transcript.KindText
		}
		if k == transcript.KindNote || k == transcript.KindUser && sum.WantsUser() {
			sum.Add(raw.Decode())
		} else {
			sum.Add(transcript.Block{Kind: k, Time: raw.Heading.Time, Agent: raw.Heading.Agent, Text: "-"})
		}
	}
	info := sum.Info(r.Front)
	out := listed{Entry: e, stamp: wholefile.StampOf(fi), info: c.complete(info, e, fi), noted: sum.Noted, first: sum.First, own: info.Title != "", talk: sum.Talk, fit: fitOf(r.Front, e.FileNameParts)}
	return out, r.Front, nil
}

// complete adds what the file's name and FileInfo say.
func (c *contents) complete(info transcript.Info, e Entry, fi os.FileInfo) transcript.Info {
	info.Name = e.Session
	info.Source, info.ID = transcript.SplitName(info.Name)
	info.Path = c.dir.Path(e.File)
	info.Archived = InArchive(e.File)
	if info.Started.IsZero() {
		info.Started = e.Started()
	}
	if info.Started.IsZero() {
		info.Started = fi.ModTime().Truncate(1e9)
	}
	if info.Active.IsZero() {
		info.Active = fi.ModTime().Truncate(1e9)
	}
	if info.Title == "" {
		info.Title = strings.ReplaceAll(e.Topic, "-", " ")
	}
	return info
}

// unchanged reports whether a file is unchanged since known was read.
func (o openFolders) unchanged(file string, known *listed) bool {
	dir, name := path.Split(file)
	folder := o[dir]
	if known == nil || folder == nil {
		return false
	}
	stamp, ok := wholefile.StampIn(folder, name)
	return ok && stamp == known.stamp
}

// copyKnown sets what is known of files, nil for the others.
func (c *contents) copyKnown(files []Entry, known []*listed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range files {
		known[i] = c.listed[e.File]
	}
}

// forgetListed drops what is known of files that are gone.
func (c *contents) forgetListed(all []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.listed) <= len(all) { // the usual case: nothing is gone
		gone := len(c.listed)
		for _, e := range all {
			if c.listed[e.File] != nil {
				gone--
			}
		}
		if gone == 0 {
			return
		}
	}
	there := make(map[string]bool, len(all))
	for _, e := range all {
		there[e.File] = true
	}
	maps.DeleteFunc(c.listed, func(file string, _ *listed) bool { return !there[file] })
	c.claiming.Lock()
	defer c.claiming.Unlock()
	maps.DeleteFunc(c.claims, func(file string, _ claim) bool { return !there[file] })
}
