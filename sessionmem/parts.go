package sessionmem

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// A session whose transcript has reached Config.MaxFileBytes goes on in another
// file. The file of part 2 is named as the first one, with ".part2" before its
// end (no topic has a dot), and has a line "part: 2" in its front matter. All of
// them are one session.

// partFile is the file of a part, in the session folder itself.
func partFile(stem string, number int) string {
	if number < 2 {
		return stem + transcript.FileSuffix
	}
	return stem + transcript.PartMark + strconv.Itoa(number) + transcript.FileSuffix
}

// partsBeside gives the paths of a session's parts around one of them, as far as they
// lie beside it, the first in front; the path alone where it is no session's file.
func partsBeside(path string) []string {
	dir, base := filepath.Split(path)
	name, ok := strings.CutSuffix(base, transcript.FileSuffix)
	if !ok || transcript.ParseFileName(base).Stamp == "" {
		return []string{path}
	}
	stem, number := transcript.CutPart(name)
	file := func(n int) string { return dir + partFile(stem, n) }
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

// part is a file of a session that is followed by another one.
type part struct {
	file string      // relative to the session folder
	stat os.FileInfo // as it was read last; nil: not read
	bare bool
}

// sameAs says whether the file is as it was read.
func (p part) sameAs(fi os.FileInfo) bool {
	return p.stat != nil && os.SameFile(p.stat, fi) && p.stat.Size() == fi.Size() && p.stat.ModTime().Equal(fi.ModTime())
}

// locateParts finds a session's files, the oldest part first. The name is compared
// and never made a path. What isn't there is looked for once more: it may just have
// been on its way out of the archive.
func (s *Store) locateParts(name string) ([]entry, error) {
	parts, err := s.locateOnce(name)
	if errors.Is(err, ErrNotFound) {
		return s.locateOnce(name)
	}
	return parts, err
}

func (s *Store) locateOnce(name string) ([]entry, error) {
	files, err := s.filesOf(name)
	if len(files) == 0 {
		return nil, err
	}
	parts, others := s.ownedBy(files, s.deletions())
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: %s; there is only a copy of it: %s", ErrNotFound, name, filepath.Join(s.dir, others[0].files[0].file))
	}
	return parts, nil
}

// locate finds the file that a session is written to: its last part.
func (s *Store) locate(name string) (string, error) {
	parts, err := s.locateParts(name)
	if err != nil {
		return "", err
	}
	return parts[len(parts)-1].file, nil
}

// filesOf gives all files of a session's name, older ones and copies too.
func (s *Store) filesOf(name string) ([]entry, error) {
	all, err := s.entries()
	var files []entry
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

// stem is what the names of the session's files have in common.
func (ses *session) stem() string {
	stem, _ := transcript.CutPart(strings.TrimSuffix(path.Base(ses.file), transcript.FileSuffix))
	return stem
}

// number is the number of the part that is written to.
func (ses *session) number() int {
	_, n := transcript.CutPart(strings.TrimSuffix(path.Base(ses.file), transcript.FileSuffix))
	return n
}

// transcripts gives the session's known files, oldest part first.
func (ses *session) transcripts() []string {
	if ses.file == "" {
		return nil
	}
	files := make([]string, 0, len(ses.earlier)+1)
	for _, p := range ses.earlier {
		files = append(files, p.file)
	}
	return append(files, ses.file)
}

// inPlace says whether the session's files are the known ones: none gone, none in
// the session folder instead of the archive (an editor's late save may have put one
// into its old place: that one counts), and no new part behind them.
func (s *Store) inPlace(ses *session) bool {
	for _, file := range ses.transcripts() {
		if _, err := s.root.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if inArchive(file) && s.isThere(path.Base(file)) {
			return false
		}
	}
	return ses.file != "" && !s.isThere(partFile(ses.stem(), ses.number()+1))
}

// allLocated says whether each known file is there, where it was or in another folder.
func (s *Store) allLocated(ses *session) bool {
	parts, err := s.locateParts(ses.name)
	return err == nil && !slices.ContainsFunc(ses.transcripts(), func(known string) bool {
		return !slices.ContainsFunc(parts, func(e entry) bool { return path.Base(e.file) == path.Base(known) })
	})
}

func (s *Store) isThere(file string) bool {
	_, err := s.root.Lstat(file)
	return err == nil
}

// takeParts makes these the session's files. What was read of others is read anew.
func (ses *session) takeParts(parts []entry) {
	files := make([]string, len(parts))
	for i, e := range parts {
		files[i] = e.file
	}
	if slices.Equal(files, ses.transcripts()) {
		return
	}
	ses.rewrote = ses.rewrote || ses.stat != nil
	ses.file, ses.stat, ses.earlier = files[len(files)-1], nil, nil
	for _, e := range parts[:len(parts)-1] {
		ses.earlier = append(ses.earlier, part{file: e.file})
	}
}

// earlierStand says whether the files before the last one are as they were read.
func (s *Store) earlierStand(ses *session) bool {
	for _, p := range ses.earlier {
		if fi, err := s.root.Stat(p.file); err != nil || !p.sameAs(fi) {
			return false
		}
	}
	return true
}

// isFull says whether the next block begins another part.
func (s *Store) isFull(ses *session) bool {
	if s.maxBytes == nil || ses.file == "" {
		return false
	}
	most := s.maxBytes()
	return most > 0 && ses.size >= most
}

// partFront is the front matter of a part of the session that begins with these
// blocks.
func (s *Store) partFront(ses *session, number int, blocks []transcript.Block) string {
	info := transcript.Info{Name: ses.name, Started: blocks[0].Time}
	info.Source, _ = transcript.SplitName(ses.name)
	if len(ses.earlier) > 0 {
		if l := s.listedOf(s.earlierEntries(ses)); l.own {
			info.Title = l.info.Title
		}
	}
	return transcript.FrontMatter(info) + "part: " + strconv.Itoa(number) + "\n"
}

// beginning gives what stands before the first block of a file that is new, or that
// a crash left empty.
func (s *Store) beginning(ses *session, number int, blocks []transcript.Block) []byte {
	front := ""
	if number > 1 {
		front = s.partFront(ses, number, blocks)
	} else {
		_, info := newFile(ses.name, blocks)
		front = transcript.FrontMatter(info)
	}
	return []byte(transcript.Fence + "\n" + front + transcript.Fence + "\n")
}

// nextPart makes the session go on in another file, which is still to be made, and
// gives what takes that back.
func (ses *session) nextPart() (back func()) {
	earlier, base, file, stat, size, tail, bare := ses.earlier, ses.base, ses.file, ses.stat, ses.size, ses.tail, ses.bare
	ses.earlier = append(slices.Clip(earlier), part{file: file, stat: stat, bare: bare})
	ses.file = partFile(ses.stem(), ses.number()+1)
	ses.base, ses.stat, ses.size, ses.tail = base+size, nil, 0, nil
	return func() {
		ses.earlier, ses.base, ses.file, ses.stat, ses.size, ses.tail, ses.bare = earlier, base, file, stat, size, tail, bare
	}
}

// absolute gives the paths of several parts; nil for a single file.
func (s *Store) absolute(parts []entry) []string {
	if len(parts) < 2 {
		return nil
	}
	paths := make([]string, len(parts))
	for i, e := range parts {
		paths[i] = filepath.Join(s.dir, e.file)
	}
	return paths
}

// readEarlier reads the parts before the last one.
func (s *Store) readEarlier(ses *session) error {
	for i := range ses.earlier {
		p := &ses.earlier[i]
		f, err := s.openTranscript(p.file)
		if err != nil {
			return wholefile.Explain("reading "+p.file, err)
		}
		fi, err := f.Stat()
		if err == nil {
			p.bare, err = s.readBlocks(ses, f, fi, p.file)
		}
		_ = f.Close() // read only
		if err != nil {
			p.stat = nil
			return err
		}
		p.stat = fi
		ses.base += fi.Size()
	}
	return nil
}

func (s *Store) earlierEntries(ses *session) []entry {
	out := make([]entry, len(ses.earlier))
	for i, p := range ses.earlier {
		out[i] = s.entryOf(p.file)
	}
	return out
}

// filesOfInfo gives the files that a list entry stands for, as they are now.
func (s *Store) filesOfInfo(info transcript.Info) ([]entry, error) {
	files, err := s.filesOf(info.Name)
	if len(files) == 0 {
		return nil, err
	}
	for _, set := range fileSets(files) {
		if set.files[len(set.files)-1].file == s.relative(info.Path) {
			return set.files, nil
		}
	}
	return nil, fmt.Errorf("%w: its files changed meanwhile", errReplaced)
}

// infoOf is the list's line for the parts of a session, oldest first: started with
// the first, active with the last, the messages of all.
func (s *Store) infoOf(parts []entry) transcript.Info { return s.listedOf(parts).info }

func (s *Store) listedOf(parts []entry) listed {
	if parts[0].Part > 1 { // the list cache does not know the title of a later part
		s.mu.Lock()
		delete(s.listed, parts[0].file)
		s.mu.Unlock()
	}
	out := *s.fileInfo(parts[0])
	for _, e := range parts[1:] {
		out.follow(s.fileInfo(e))
	}
	out.info.Parts = s.absolute(parts)
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
	if next.talk { // a crash may leave a part without a block
		info.Active, info.Ended = next.info.Active, next.info.Ended
	}
	switch {
	case next.noted != "":
		info.Title, l.own = next.noted, true
	case !l.own && next.first != "":
		info.Title, l.own = next.first, true
	}
}

// end is where the session's last file ends, as blocks' offsets count.
func (ses *session) end() int64 { return ses.base + ses.size }

// stretch is where a block stands: in which file, from which byte on, how many.
type stretch struct {
	part     // the file as it was read
	at, size int64
}

// place finds a block by its number.
func (ses *session) place(n uint32) stretch {
	at := ses.index.blocks[n].offset()
	end, base := ses.index.end(n, ses.end()), int64(0)
	for _, p := range ses.earlier {
		if size := p.stat.Size(); at < base+size {
			return stretch{p, at - base, min(end, base+size) - at}
		}
		base += p.stat.Size()
	}
	return stretch{part{file: ses.file, stat: ses.stat, bare: ses.bare}, at - base, end - at}
}
