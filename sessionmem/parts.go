package sessionmem

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// A session whose transcript has reached Config.MaxFileBytes goes on in another
// file. The file of part 2 is named as the first one, with ".part2" before its
// end (no topic has a dot), and has a line "part: 2" in its front matter. All of
// them are one session.

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
		if catalog.InArchive(file) && s.root.Has(path.Base(file)) {
			return false
		}
	}
	return ses.file != "" && !s.root.Has(transcript.PartFile(ses.stem(), ses.number()+1))
}

// allLocated says whether each known file is there, where it was or in another folder.
func (s *Store) allLocated(ses *session) bool {
	parts, err := s.catalog.Parts(ses.name)
	return err == nil && !slices.ContainsFunc(ses.transcripts(), func(known string) bool {
		return !slices.ContainsFunc(parts, func(e catalog.Entry) bool { return path.Base(e.File) == path.Base(known) })
	})
}

// takeParts makes these the session's files. What was read of others is read anew.
func (ses *session) takeParts(parts []catalog.Entry) {
	files := make([]string, len(parts))
	for i, e := range parts {
		files[i] = e.File
	}
	if slices.Equal(files, ses.transcripts()) {
		return
	}
	ses.rewrote = ses.rewrote || ses.stat != nil
	ses.file, ses.stat, ses.earlier = files[len(files)-1], nil, nil
	for _, e := range parts[:len(parts)-1] {
		ses.earlier = append(ses.earlier, part{file: e.File})
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
		if title, own := s.catalog.Title(s.earlierEntries(ses)); own {
			info.Title = title
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
	ses.file = transcript.PartFile(ses.stem(), ses.number()+1)
	ses.base, ses.stat, ses.size, ses.tail = base+size, nil, 0, nil
	return func() {
		ses.earlier, ses.base, ses.file, ses.stat, ses.size, ses.tail, ses.bare = earlier, base, file, stat, size, tail, bare
	}
}

// readEarlier reads the parts before the last one.
func (s *Store) readEarlier(ses *session) error {
	for i := range ses.earlier {
		p := &ses.earlier[i]
		f, err := s.catalog.Open(p.file)
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

func (s *Store) earlierEntries(ses *session) []catalog.Entry {
	out := make([]catalog.Entry, len(ses.earlier))
	for i, p := range ses.earlier {
		out[i] = s.catalog.EntryOf(p.file)
	}
	return out
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
	at := ses.index.Offset(n)
	end, base := ses.index.End(n, ses.end()), int64(0)
	for _, p := range ses.earlier {
		if size := p.stat.Size(); at < base+size {
			return stretch{p, at - base, min(end, base+size) - at}
		}
		base += p.stat.Size()
	}
	return stretch{part{file: ses.file, stat: ses.stat, bare: ses.bare}, at - base, end - at}
}
