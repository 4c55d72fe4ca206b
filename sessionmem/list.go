package sessionmem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// entry is a transcript's file.
type entry struct {
	file string // relative to the session folder
	parsedName
}

// entries gives the transcripts of the session folder and of the archive, by
// their names alone. Where the archive can't be read, it gives the others along
// with the error.
func (s *Store) entries() ([]entry, error) {
	if s.root == nil {
		return nil, nil
	}
	if err := s.root.check(); err != nil {
		if s.root.never() {
			return nil, nil // it could not even be made: there is nothing, and what writes says why
		}
		return nil, err
	}
	names, err := s.readNames(".")
	if err != nil {
		return nil, explainDisk("reading the session folder", err)
	}
	out := s.appendEntries(nil, "", names)
	months, err := s.readNames(archiveDir)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	for _, m := range months {
		if !monthPattern.MatchString(m) {
			continue
		}
		if names, err = s.readNames(archiveDir + "/" + m); err != nil {
			errs = append(errs, err)
		}
		out = s.appendEntries(out, archiveDir+"/"+m+"/", names)
	}
	if err := errors.Join(errs...); err != nil {
		return out, explainDisk("reading the archive", err)
	}
	return out, nil
}

// appendEntries adds the transcripts among the names of a folder.
func (s *Store) appendEntries(out []entry, prefix string, names []string) []entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	out = slices.Grow(out, len(names))
	for _, n := range names {
		if !strings.HasSuffix(n, fileSuffix) || strings.HasPrefix(n, ".") {
			continue
		}
		if known, ok := s.listed[prefix+n]; ok {
			out = append(out, known.entry)
			continue
		}
		out = append(out, entry{prefix + n, parseFileName(n)})
	}
	return out
}

// readNames gives the names in a folder of the session folder.
func (s *Store) readNames(dir string) ([]string, error) {
	d, err := s.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// entryOf is the entry of a file, by its path relative to the session folder.
func entryOf(file string) entry { return entry{file, parseFileName(path.Base(file))} }

// relative is a transcript's path below the session folder.
func (s *Store) relative(file string) string {
	rel, err := filepath.Rel(s.dir, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// Resolve turns what a person typed into a session's name: an exact name; else
// source+"-"+name when that exists; else the one session whose name ends in it.
// Otherwise ErrNotFound or ErrAmbiguous (the error lists the candidates).
func (s *Store) Resolve(ctx context.Context, source, name string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	names, err := s.names()
	if err != nil {
		return "", err
	}
	for _, exact := range []string{name, source + "-" + name} {
		if _, ok := slices.BinarySearch(names, exact); ok {
			return exact, nil
		}
	}
	var found []string
	for _, n := range names {
		if name != "" && strings.HasSuffix(n, name) {
			found = append(found, n)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w: %q; `mac-stats sessions list` shows them all", ErrNotFound, name)
	case 1:
		return found[0], nil
	default:
		return "", fmt.Errorf("%w %q: %s; give the whole name", ErrAmbiguous, name, strings.Join(found, ", "))
	}
}

// names gives the names of all sessions, in order, each once.
func (s *Store) names() ([]string, error) {
	all, err := s.entries()
	if err != nil {
		if len(all) == 0 {
			return nil, err
		}
		s.logger.Warn("not all sessions are found by name", "err", err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.session)
	}
	for _, i := range s.inMemory() {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// listed is what List found out about a file, good as long as the file is the same.
type listed struct {
	entry
	stat  os.FileInfo
	info  Info
	noted string // the title that a Note gave it
	first string // the title that its first message makes
	own   bool   // info.Title is of the text, not of the file's name
	talk  bool   // it holds another block than titles
}

// List returns all sessions, archived ones too, last active first. One bad file never hides the others.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	all, err := s.entries()
	if err != nil {
		if len(all) == 0 {
			return nil, err
		}
		s.logger.Warn("not all sessions are listed", "err", err)
	}
	infos := slices.Grow(s.inMemory(), len(all))
	for _, files := range bySession(all) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parts, older := partsOf(files)
		infos = append(infos, s.infoOf(parts))
		for _, group := range older {
			info := s.infoOf(group)
			info.ReadOnly = true
			infos = append(infos, info)
		}
	}
	s.forgetListed(all)
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Active.Compare(a.Active), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
	})
	return infos, nil
}

// bySession groups files by their session's name.
func bySession(all []entry) [][]entry {
	at := make(map[string]int, len(all))
	groups := make([][]entry, 0, len(all))
	for i, e := range all {
		n, ok := at[e.session]
		if !ok {
			at[e.session] = len(groups)
			groups = append(groups, all[i:i+1:i+1])
			continue
		}
		groups[n] = append(groups[n], e)
	}
	return groups
}

// forgetListed drops what is known of files that are gone.
func (s *Store) forgetListed(all []entry) {
	there := make(map[string]bool, len(all))
	for _, e := range all {
		there[e.file] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.listed, func(file string, _ listed) bool { return !there[file] })
}

// fileInfo reads what the list shows of a file, unless it is known already.
func (s *Store) fileInfo(e entry) listed {
	bad := func(err error) listed {
		info := Info{Name: e.session, Path: filepath.Join(s.dir, e.file), Archived: inArchive(e.file), Title: e.topic, Started: e.started, Active: e.started, Err: err}
		info.Source, info.ID = splitName(e.session)
		return listed{entry: e, info: info}
	}
	fi, err := s.root.Stat(e.file)
	if err != nil {
		return bad(explainDisk("reading "+e.file, err))
	}
	s.mu.Lock()
	known, ok := s.listed[e.file]
	s.mu.Unlock()
	if ok && os.SameFile(known.stat, fi) && known.stat.Size() == fi.Size() && known.stat.ModTime().Equal(fi.ModTime()) {
		return known
	}
	if !fi.Mode().IsRegular() {
		return bad(fmt.Errorf("reading %s: it is no file; move it out of the session folder", e.file))
	}
	l, err := s.scanFile(e, fi)
	if err != nil {
		return bad(err)
	}
	s.mu.Lock()
	s.listed[e.file] = l
	s.mu.Unlock()
	return l
}

func (s *Store) scanFile(e entry, fi os.FileInfo) (listed, error) {
	f, err := s.root.Open(e.file)
	if err != nil {
		return listed{}, explainDisk("reading "+e.file, err)
	}
	defer f.Close()
	l, _, err := s.scanInfo(f, e, fi)
	return l, err
}

// scanInfo reads a file for the list: headings, not texts, but for a title's. It
// gives its front matter too.
func (s *Store) scanInfo(from io.Reader, e entry, fi os.FileInfo) (l listed, front string, err error) {
	r := newSizedReader(from, fi.Size())
	r.limit = blockLimit
	var sum summary
	for {
		raw, err := r.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return listed{}, "", explainDisk("reading "+e.file, err)
		}
		k := raw.heading.kind
		if !raw.headed || !raw.heading.known {
			k = KindText
		}
		if k == KindNote || k == KindUser && sum.first == "" {
			sum.add(raw.decode())
		} else {
			sum.add(Block{Kind: k, Time: raw.heading.time, Text: "-"})
		}
	}
	info := sum.info(r.front)
	out := listed{entry: e, stat: fi, info: s.complete(info, e, fi), noted: sum.noted, first: sum.first, own: info.Title != "", talk: sum.talk}
	return out, r.front, nil
}

// complete adds what the file's name and its entry in the folder tell.
func (s *Store) complete(info Info, e entry, fi os.FileInfo) Info {
	info.Name = e.session
	info.Source, info.ID = splitName(info.Name)
	info.Path = filepath.Join(s.dir, e.file)
	info.Archived = inArchive(e.file)
	if info.Started.IsZero() {
		info.Started = e.started
	}
	if info.Started.IsZero() {
		info.Started = fi.ModTime().Truncate(1e9)
	}
	if info.Active.IsZero() {
		info.Active = fi.ModTime().Truncate(1e9)
	}
	if info.Title == "" {
		info.Title = strings.ReplaceAll(e.topic, "-", " ")
	}
	return info
}

// inMemory gives the sessions that are in memory alone: private ones, and those
// that the disk refused from their first block on.
func (s *Store) inMemory() []Info {
	s.mu.Lock()
	var all []*session
	for _, ses := range s.sessions {
		all = append(all, ses)
	}
	s.mu.Unlock()
	var infos []Info
	for _, ses := range all {
		if !ses.private.Load() && s.onRefused == nil {
			continue
		}
		ses.mu.Lock()
		switch {
		case len(ses.mem) > 0:
			infos = append(infos, ses.memInfo())
		case ses.file == "" && len(ses.unsaved.blocks) > 0:
			infos = append(infos, ses.withUnsaved(nil).Info)
		}
		ses.mu.Unlock()
	}
	return infos
}

// memInfo is the Info of an in-memory session.
func (ses *session) memInfo() Info {
	var sum summary
	for _, b := range ses.mem {
		sum.add(b)
	}
	info := sum.info("")
	info.Name = ses.name
	info.Source, info.ID = splitName(ses.name)
	return info
}
