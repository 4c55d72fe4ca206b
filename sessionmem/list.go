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
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// lookChunk is how many files a goroutine looks at before it takes the next ones.
const lookChunk = 256

// entry is a transcript's file.
type entry struct {
	file string // relative to the session folder
	transcript.FileNameParts
	claimed bool // the front matter names the session, the file's name doesn't
}

// entries gives the transcripts of the session folder and of the archive, by
// their names alone. Where the archive can't be read, it gives the others along
// with the error.
func (s *Store) entries() ([]entry, error) {
	all, err := s.files()
	for i := range all {
		all[i] = s.entryOf(all[i].file)
	}
	return all, err
}

// files is entries without what the names tell.
func (s *Store) files() ([]entry, error) {
	if s.root == nil {
		return nil, nil
	}
	if err := s.root.Check(); err != nil {
		if s.root.Never() {
			return nil, nil // it could not even be made: there is nothing, and what writes says why
		}
		return nil, err
	}
	names, err := s.readNames(".")
	if err != nil {
		return nil, wholefile.Explain("reading the session folder", err)
	}
	out := appendFiles(nil, "", names)
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
		out = appendFiles(out, archiveDir+"/"+m+"/", names)
	}
	if err := errors.Join(errs...); err != nil {
		return out, wholefile.Explain("reading the archive", err)
	}
	return out, nil
}

// appendFiles adds the transcripts among the names of a folder.
func appendFiles(out []entry, prefix string, names []string) []entry {
	out = slices.Grow(out, len(names))
	for _, n := range names {
		if !strings.HasSuffix(n, transcript.FileSuffix) || strings.HasPrefix(n, ".") {
			continue
		}
		out = append(out, entry{file: prefix + n})
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

// entryOf is the entry of a file, by its path relative to the session folder, as its name
// tells.
func entryOf(file string) entry {
	return entry{file: file, FileNameParts: transcript.ParseFileName(path.Base(file))}
}

// relative is a transcript's path below the session folder.
func (s *Store) relative(file string) string {
	rel, err := filepath.Rel(s.dir, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// Resolve turns what a person typed into a session's name: source+"-"+name where that
// exists, else the session of exactly that name; capitals are taken for small letters
// where that leads to one. Otherwise ErrNotFound: the error lists similar names.
func (s *Store) Resolve(ctx context.Context, source, name string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	names, err := s.names()
	if err != nil {
		return "", err
	}
	small := strings.ToLower(name)
	for _, exact := range []string{source + "-" + name, name, source + "-" + small, small} {
		if _, ok := slices.BinarySearch(names, exact); ok {
			return exact, nil
		}
	}
	similar := slices.DeleteFunc(names, func(n string) bool { return small == "" || !strings.Contains(n, small) })
	if len(similar) == 0 {
		return "", fmt.Errorf("%w: %q; `mac-stats sessions list` shows them all", ErrNotFound, name)
	}
	more := ""
	if n := len(similar) - maxSimilar; n > 0 {
		similar, more = similar[:maxSimilar], fmt.Sprintf(" and %d more", n)
	}
	return "", fmt.Errorf("%w: %q; similar names: %s%s", ErrNotFound, name, strings.Join(similar, ", "), more)
}

// maxSimilar is how many similar names an error lists.
const maxSimilar = 5

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
		names = append(names, e.Session)
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
	stamp wholefile.Stamp
	at    time.Time // when it was asked for; not in the cache
	info  transcript.Info
	noted string // the title that a Note gave it
	first string // the title that its first message makes
	own   bool   // info.Title is of the text, not of the file's name
	talk  bool   // it holds another block than titles
	fit   nameFit
}

// List returns all sessions, archived ones too, last active first. One bad file never hides the others.
func (s *Store) List(ctx context.Context) ([]transcript.Info, error) {
	var loading sync.WaitGroup
	loading.Go(s.loadList)
	all, err := s.files()
	loading.Wait()
	if err != nil {
		if len(all) == 0 {
			return nil, err
		}
		s.logger.Warn("not all sessions are listed", "err", err)
	}
	found, err := s.lookAtAll(ctx, all)
	if err == nil && s.purgeListed(ctx, found) {
		if all, err = s.files(); err == nil {
			found, err = s.lookAtAll(ctx, all)
		}
	}
	if err != nil {
		return nil, err
	}
	var keeping sync.WaitGroup
	keeping.Go(func() {
		s.forgetListed(all)
		s.saveList(ctx, found)
	})
	defer keeping.Wait()
	held := s.inMemory()
	infos := make([]*transcript.Info, 0, len(held)+len(all))
	for i := range held {
		infos = append(infos, &held[i])
	}
	trash := s.deletions()
	for _, files := range bySession(all) {
		infos = s.infosOf(infos, files, all, found, trash)
	}
	return lastActiveFirst(infos), nil
}

// lastActiveFirst gives the list in order. It is sorted by small keys, and copied once:
// an Info is large to be moved about.
func lastActiveFirst(infos []*transcript.Info) []transcript.Info {
	type key struct {
		active int64 // seconds: blocks have no finer time
		at     int
	}
	keys := make([]key, len(infos))
	for i := range infos {
		keys[i] = key{infos[i].Active.Unix(), i}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if n := cmp.Compare(b.active, a.active); n != 0 {
			return n
		}
		return cmp.Or(cmp.Compare(infos[a.at].Name, infos[b.at].Name), cmp.Compare(infos[a.at].Path, infos[b.at].Path))
	})
	out := make([]transcript.Info, len(infos))
	for i, k := range keys {
		out[i] = *infos[k.at]
	}
	return out
}

// lookAtAll finds out about all files, and what their names tell, on several
// goroutines: to ask for thousands of files' times is most of what a list costs.
func (s *Store) lookAtAll(ctx context.Context, all []entry) ([]*listed, error) {
	found := make([]*listed, len(all))
	folders := s.openFolders(all)
	defer folders.close()
	var next atomic.Int64
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+len(all)/lookChunk) {
		work.Go(func() {
			for ctx.Err() == nil {
				from := int(next.Add(lookChunk)) - lookChunk
				if from >= len(all) {
					return
				}
				to := min(from+lookChunk, len(all))
				s.knownOf(all[from:to], found[from:to])
				for i := from; i < to; i++ {
					if folders.unchanged(all[i].file, found[i]) {
						all[i] = found[i].entry
						continue
					}
					all[i] = s.entryOf(all[i].file)
					found[i] = s.fileInfo(all[i])
				}
			}
		})
	}
	work.Wait()
	return found, ctx.Err()
}

// openFolders are folders of transcripts by their paths, "" for the session folder.
type openFolders map[string]*os.File

// openFolders opens the folders of files. One that can't be opened is left out.
func (s *Store) openFolders(all []entry) openFolders {
	folders := openFolders{}
	for _, e := range all {
		dir, _ := path.Split(e.file)
		if _, ok := folders[dir]; ok {
			continue
		}
		f, err := s.root.Open(path.Clean(dir))
		if err != nil {
			f = nil // its files are asked for one by one, and say what is wrong
		}
		folders[dir] = f
	}
	return folders
}

func (f openFolders) close() {
	for _, folder := range f {
		if folder != nil {
			_ = folder.Close() // read only
		}
	}
}

// knownOf gives what is known of files, nil where nothing is.
func (s *Store) knownOf(files []entry, known []*listed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range files {
		known[i] = s.listed[e.file]
	}
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

// sameSession is the files of one session's name, by their places in a list.
type sameSession struct {
	first int
	more  []int
}

// bySession groups files by their session's name.
func bySession(all []entry) []sameSession {
	at := make(map[string]int, len(all))
	groups := make([]sameSession, 0, len(all))
	for i, e := range all {
		n, ok := at[e.Session]
		if !ok {
			at[e.Session] = len(groups)
			groups = append(groups, sameSession{first: i})
			continue
		}
		groups[n].more = append(groups[n].more, i)
	}
	return groups
}

// infosOf gives the lines of a session: its own, and those of copies and older files.
func (s *Store) infosOf(infos []*transcript.Info, files sameSession, all []entry, found []*listed, trash deletions) []*transcript.Info {
	if first := all[files.first]; len(files.more) == 0 && first.Part == 1 && !first.MayBeCopy() && trash[first.Session] == nil {
		return append(infos, &found[files.first].info)
	}
	entries := []entry{all[files.first]}
	for _, i := range files.more {
		entries = append(entries, all[i])
	}
	parts, others := s.ownedBy(entries, trash)
	if len(parts) > 0 {
		whole := s.infoOf(parts)
		infos = append(infos, &whole)
	}
	for _, set := range others {
		info := s.infoOf(set.files)
		info.ReadOnly, info.Copy = true, set.copy
		infos = append(infos, &info)
	}
	return infos
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

// stat asks for a transcript. By its whole path that is one call of the system,
// from the root it is one for each folder; what is a link is asked for from the
// root, which no link leaves.
func (s *Store) stat(file string) (os.FileInfo, error) {
	fi, err := os.Lstat(s.dir + string(filepath.Separator) + file)
	if err == nil && fi.Mode().IsRegular() {
		return fi, nil
	}
	return s.root.Stat(file)
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

// inMemory gives the sessions that are in memory alone: private ones, and those
// that the disk refused from their first block on.
func (s *Store) inMemory() []transcript.Info {
	s.mu.Lock()
	var all []*session
	for _, ses := range s.sessions {
		all = append(all, ses)
	}
	s.mu.Unlock()
	var infos []transcript.Info
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
func (ses *session) memInfo() transcript.Info {
	var sum transcript.Overview
	for _, b := range ses.mem {
		sum.Add(b)
	}
	info := sum.Info("")
	info.Name = ses.name
	info.Source, info.ID = transcript.SplitName(ses.name)
	return info
}

// everyName gives the names of all sessions that are there or in the trash.
func (s *Store) everyName() (map[string]bool, error) {
	all, err := s.entries()
	if err != nil {
		return nil, err
	}
	trash, err := s.trash()
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(all)+len(trash))
	for _, e := range all {
		names[e.Session] = true
	}
	for _, t := range trash {
		names[t.session] = true
	}
	return names, nil
}
