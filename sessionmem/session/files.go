package session

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

// A session whose transcript has reached Config.MaxFileBytes continues in another
// file. The file of part 2 has the name of the first with ".part2" before its suffix (no
// topic has a dot), and a line "part: 2" in its front matter. Together they are one session.

// files holds the files of a session as last read.
type files struct {
	*shared
	name      string
	file      string      // name of the transcript in the session folder; "" before it is found or created
	earlier   []part      // the parts before it, oldest first; the fields below are about the last part
	base      int64       // bytes of the earlier parts: offsets of blocks continue from there
	stat      os.FileInfo // of the file as last read; nil: not read
	size      int64
	tail      []byte // the file's last bytes, at most fingerprintLen
	bare      bool   // older form of the format
	isUTF8    bool   // known since it was read whole: later reads and writes only add to it
	readOnly  bool   // newer format
	rewrote   bool   // the file changed in another way than by growing
	dirtyCopy bool   // a copy beside it holds what was forgotten
}

// part is a file of a session that another one follows.
type part struct {
	file string      // relative to the session folder
	stat os.FileInfo // as last read; nil: not read
	bare bool
}

// sameAs reports whether the file is unchanged since it was read.
func (p part) sameAs(fi os.FileInfo) bool {
	return p.stat != nil && os.SameFile(p.stat, fi) && p.stat.Size() == fi.Size() && p.stat.ModTime().Equal(fi.ModTime())
}

// stem returns what the names of the session's files have in common.
func (s *files) stem() string {
	stem, _ := transcript.CutPart(strings.TrimSuffix(path.Base(s.file), transcript.FileSuffix))
	return stem
}

// number returns the number of the part that is written to.
func (s *files) number() int {
	_, n := transcript.CutPart(strings.TrimSuffix(path.Base(s.file), transcript.FileSuffix))
	return n
}

// transcripts returns the session's known files, oldest part first.
func (s *files) transcripts() []string {
	if s.file == "" {
		return nil
	}
	files := make([]string, 0, len(s.earlier)+1)
	for _, p := range s.earlier {
		files = append(files, p.file)
	}
	return append(files, s.file)
}

// inPlace reports whether the session's files are the known ones: none is gone, none is back in
// the session folder instead of the archive (an editor's late save may have put one there,
// and that one counts), and no new part follows them.
func (s *files) inPlace() bool {
	for _, file := range s.transcripts() {
		if _, err := s.dir.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if catalog.InArchive(file) && s.dir.Has(path.Base(file)) {
			return false
		}
	}
	return s.file != "" && !s.dir.Has(transcript.PartFile(s.stem(), s.number()+1))
}

// allExist reports whether each known file exists, where it was or in another folder.
func (s *files) allExist() bool {
	parts, err := s.catalog.Parts(s.name)
	return err == nil && !slices.ContainsFunc(s.transcripts(), func(known string) bool {
		return !slices.ContainsFunc(parts, func(e catalog.Entry) bool { return path.Base(e.File) == path.Base(known) })
	})
}

// setParts sets the session's files. If they are other files, everything is read again.
func (s *files) setParts(parts []catalog.Entry) {
	files := make([]string, len(parts))
	for i, e := range parts {
		files[i] = e.File
	}
	if slices.Equal(files, s.transcripts()) {
		return
	}
	s.rewrote = s.rewrote || s.stat != nil
	s.file, s.stat, s.earlier = files[len(files)-1], nil, nil
	for _, e := range parts[:len(parts)-1] {
		s.earlier = append(s.earlier, part{file: e.File})
	}
}

// earlierUnchanged reports whether the files before the last one are unchanged since they were read.
func (s *files) earlierUnchanged() bool {
	for _, p := range s.earlier {
		if fi, err := s.dir.Stat(p.file); err != nil || !p.sameAs(fi) {
			return false
		}
	}
	return true
}

// isFull reports whether the next block starts another part.
func (s *files) isFull() bool {
	if s.maxBytes == nil || s.file == "" {
		return false
	}
	most := s.maxBytes()
	return most > 0 && s.size >= most
}

// partFront returns the front matter of a part that starts with these blocks.
func (s *files) partFront(number int, blocks []transcript.Block) string {
	info := transcript.Info{Name: s.name, Started: blocks[0].Time}
	info.Source, _ = transcript.SplitName(s.name)
	if len(s.earlier) > 0 && !transcript.IsDiscord(s.name) {
		if title, own := s.catalog.Title(s.earlierEntries()); own {
			info.Title = title
		}
	}
	return transcript.FrontMatter(info) + "part: " + strconv.Itoa(number) + "\n"
}

// beginning returns what comes before the first block of a file that is new, or that a
// crash left empty.
func (s *files) beginning(number int, blocks []transcript.Block) []byte {
	front := ""
	if number > 1 {
		front = s.partFront(number, blocks)
	} else {
		_, info := newFile(s.name, blocks)
		front = transcript.FrontMatter(info)
	}
	return []byte(transcript.Fence + "\n" + front + transcript.Fence + "\n")
}

// nextPart continues the session in another file, which doesn't exist yet, and returns a
// function that undoes this.
func (s *files) nextPart() (back func()) {
	was := *s
	s.earlier = append(slices.Clip(was.earlier), part{file: was.file, stat: was.stat, bare: was.bare})
	s.file = transcript.PartFile(s.stem(), s.number()+1)
	s.base, s.stat, s.size, s.tail = was.end(), nil, 0, nil
	return func() { *s = was }
}

// readEarlier reads the parts before the last one.
func (s *state) readEarlier() error {
	for i := range s.earlier {
		p := &s.earlier[i]
		f, err := s.catalog.Open(p.file)
		if err != nil {
			return wholefile.Explain("reading "+p.file, err)
		}
		fi, err := f.Stat()
		if err == nil {
			p.bare, err = s.readBlocks(f, fi, p.file)
		}
		_ = f.Close() // read only
		if err != nil {
			p.stat = nil
			return err
		}
		p.stat = fi
		s.base += fi.Size()
	}
	return nil
}

func (s *files) earlierEntries() []catalog.Entry {
	out := make([]catalog.Entry, len(s.earlier))
	for i, p := range s.earlier {
		out[i] = s.catalog.EntryOf(p.file)
	}
	return out
}

// end returns where the session's last file ends, in the offsets of blocks.
func (s *files) end() int64 { return s.base + s.size }

// stretch is the position of a block: its file, its first byte and its length.
type stretch struct {
	part     // the file as it was read
	at, size int64
}

// place returns where a block is, by its number.
func (s *state) place(n uint32) stretch {
	at := s.index.Offset(n)
	end, base := s.index.End(n, s.end()), int64(0)
	for _, p := range s.earlier {
		if size := p.stat.Size(); at < base+size {
			return stretch{p, at - base, min(end, base+size) - at}
		}
		base += p.stat.Size()
	}
	return stretch{part{file: s.file, stat: s.stat, bare: s.bare}, at - base, end - at}
}
