package sessionmem

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// listed is what List found out about a file, good as long as the file is the same.
type listed struct {
	entry
	stamp wholefile.Stamp
	at    time.Time // when it was asked for; not in the cache
	info  transcript.Info
	noted string // the title that a Note gave it
	first string // the title that its first message makes
	own   bool   // info.Title is of the text, not of the file's name
	talk  bool   // it holds another block than titles
	fit   nameFit
}

// fileInfo reads what the list shows of a file, unless it is known already.
func (s *Store) fileInfo(e entry) *listed {
	bad := func(err error) *listed {
		info := transcript.Info{Name: e.Session, Path: filepath.Join(s.dir, e.file), Archived: inArchive(e.file), Title: e.Topic, Started: e.Started(), Active: e.Started(), Err: err}
		info.Source, info.ID = transcript.SplitName(e.Session)
		return &listed{entry: e, info: info}
	}
	s.mu.Lock()
	known := s.listed[e.file]
	s.mu.Unlock()
	now := time.Now()
	fi, err := s.stat(e.file)
	if err != nil {
		return bad(wholefile.Explain("reading "+e.file, err))
	}
	if known != nil && known.stamp == wholefile.StampOf(fi) {
		return known
	}
	if !fi.Mode().IsRegular() {
		return bad(fmt.Errorf("reading %s: it is no file; move it out of the session folder", e.file))
	}
	l, err := s.scanFile(e, fi)
	if err != nil {
		return bad(err)
	}
	l.at = now
	s.mu.Lock()
	s.listed[e.file] = &l
	s.mu.Unlock()
	return &l
}

func (s *Store) scanFile(e entry, fi os.FileInfo) (listed, error) {
	f, err := s.openTranscript(e.file)
	if err != nil {
		return listed{}, wholefile.Explain("reading "+e.file, err)
	}
	defer f.Close()
	l, _, err := s.scanInfo(f, e, fi)
	return l, err
}

// scanInfo reads a file for the list: headings, not texts, but for a title's. It
// gives its front matter too.
func (s *Store) scanInfo(from io.Reader, e entry, fi os.FileInfo) (l listed, front string, err error) {
	r := transcript.NewSizedReader(from, fi.Size())
	r.Limit = transcript.BlockLimit
	var sum transcript.Overview
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return listed{}, "", wholefile.Explain("reading "+e.file, err)
		}
		k := raw.Heading.Kind
		if !raw.Headed || !raw.Heading.Known {
			k = transcript.KindText
		}
		if k == transcript.KindNote || k == transcript.KindUser && sum.First == "" {
			sum.Add(raw.Decode())
		} else {
			sum.Add(transcript.Block{Kind: k, Time: raw.Heading.Time, Agent: raw.Heading.Agent, Text: "-"})
		}
	}
	info := sum.Info(r.Front)
	out := listed{entry: e, stamp: wholefile.StampOf(fi), info: s.complete(info, e, fi), noted: sum.Noted, first: sum.First, own: info.Title != "", talk: sum.Talk, fit: fitOf(r.Front, e.FileNameParts)}
	return out, r.Front, nil
}

// complete adds what the file's name and its entry in the folder tell.
func (s *Store) complete(info transcript.Info, e entry, fi os.FileInfo) transcript.Info {
	info.Name = e.Session
	info.Source, info.ID = transcript.SplitName(info.Name)
	info.Path = filepath.Join(s.dir, e.file)
	info.Archived = inArchive(e.file)
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

// unchanged says whether a file is as it was when that became known of it.
func (o openFolders) unchanged(file string, known *listed) bool {
	dir, name := path.Split(file)
	folder := o[dir]
	if known == nil || folder == nil {
		return false
	}
	stamp, ok := wholefile.StampIn(folder, name)
	return ok && stamp == known.stamp
}

// knownOf gives what is known of files, nil where nothing is.
func (s *Store) knownOf(files []entry, known []*listed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range files {
		known[i] = s.listed[e.file]
	}
}

// forgetListed drops what is known of files that are gone.
func (s *Store) forgetListed(all []entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listed) <= len(all) { // mostly: nothing is gone
		gone := len(s.listed)
		for _, e := range all {
			if s.listed[e.file] != nil {
				gone--
			}
		}
		if gone == 0 {
			return
		}
	}
	there := make(map[string]bool, len(all))
	for _, e := range all {
		there[e.file] = true
	}
	maps.DeleteFunc(s.listed, func(file string, _ *listed) bool { return !there[file] })
	maps.DeleteFunc(s.claims, func(file string, _ claim) bool { return !there[file] })
}
