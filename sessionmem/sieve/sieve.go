package sieve

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Forgotten text comes back from outside: by an editor's late save, a backup, a sync.
// Therefore no transcript is read before it has been checked against everything that is
// forgotten now. If it holds some of it, it is first cleaned on disk, and if that fails it
// isn't read. A checked file is known by its stamp, also to the next process, and costs
// nothing until it changes.

// ErrHoldsForgotten means that a transcript holds forgotten text. A caller that may write
// it purges it and reads it again.
var ErrHoldsForgotten = errors.New("it holds text that was to be forgotten")

// sifted is a transcript as it was when it was checked. Its name is a keyed hash of the
// file's path and of the forgettings it was checked against.
type sifted struct {
	name  [8]byte
	stamp wholefile.Stamp
}

const (
	siftedSize = 32      // bytes of a record in the file
	maxSifted  = 1 << 20 // the size in bytes above which the file is rewritten
)

// Sieve opens the transcripts of a session folder that hold no forgotten text. It remembers
// which files are clean. A file in the cache folder carries that over to the next process;
// it may be deleted at any time.
type Sieve struct {
	dir    *sessiondir.Dir
	record *forgotten.Record
	file   string // absolute; "" to keep the records in this process only

	mu    sync.Mutex
	read  bool
	known map[[8]byte]wholefile.Stamp
}

// New returns the sieve of a session folder. cacheDir is the folder for caches, "" for
// none.
func New(dir *sessiondir.Dir, cacheDir string, record *forgotten.Record) *Sieve {
	s := &Sieve{dir: dir, record: record, known: map[[8]byte]wholefile.Stamp{}}
	if cacheDir != "" {
		sum := sha256.Sum256([]byte(dir.Path("")))
		s.file = filepath.Join(cacheDir, "sifted-"+hex.EncodeToString(sum[:6]))
	}
	return s
}

// Open opens a file of the session folder for reading. It refuses anything but a file
// before opening it, because opening a pipe would block for ever. It returns
// ErrHoldsForgotten if the file holds forgotten text. session returns the session that a
// file belongs to.
func (s *Sieve) Open(file string, session func(file string) string) (*os.File, error) {
	if fi, err := s.dir.Stat(file); err == nil && !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: file, Err: transcript.ErrNotFile}
	}
	f, err := s.dir.Open(file)
	if err != nil {
		return nil, err
	}
	if err := s.sift(file, session, f); err != nil {
		_ = f.Close() // read only
		return nil, err
	}
	return f, nil
}

func (s *Sieve) has(f sifted) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	stamp, ok := s.known[f.name]
	return ok && stamp == f.stamp
}

// load reads the records of earlier processes. The caller holds mu.
func (s *Sieve) load() {
	if s.read {
		return
	}
	s.read = true
	fi, err := os.Stat(s.file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > 2*maxSifted {
		return
	}
	data, err := os.ReadFile(s.file)
	if err != nil {
		return // the files are checked again
	}
	for line := range slices.Chunk(data, siftedSize) {
		if len(line) < siftedSize {
			return
		}
		n := func(i int) uint64 { return binary.LittleEndian.Uint64(line[8*i:]) }
		s.known[[8]byte(line)] = wholefile.Stamp{Size: int64(n(1)), Time: int64(n(2)), Inode: n(3)} //nolint:gosec // the bits as written
	}
}

// add records that a transcript was checked.
func (s *Sieve) add(f sifted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	s.known[f.name] = f.stamp
	if s.file == "" {
		return
	}
	if fi, err := os.Stat(s.file); err == nil && fi.Size() >= maxSifted {
		var all []byte
		for name, stamp := range s.known {
			all = sifted{name, stamp}.append(all)
		}
		if len(all) >= maxSifted/2 {
			all = nil
		}
		_ = wholefile.WriteQuick(s.file, all, 0o600) // only a cache: without it files are checked again
		return
	}
	out, err := os.OpenFile(s.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = out.Write(f.append(nil)) // as above
	_ = out.Close()
}

func (f sifted) append(out []byte) []byte {
	out = append(out, f.name[:]...)
	out = binary.LittleEndian.AppendUint64(out, uint64(f.stamp.Size)) //nolint:gosec // the same bits when read
	out = binary.LittleEndian.AppendUint64(out, uint64(f.stamp.Time)) //nolint:gosec // as above
	return binary.LittleEndian.AppendUint64(out, f.stamp.Inode)
}

// sift returns ErrHoldsForgotten if an open transcript holds forgotten text.
func (s *Sieve) sift(file string, session func(string) string, f *os.File) error {
	t := s.record.Traces()
	if t.Empty() {
		return nil
	}
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return err
	}
	mine := sifted{t.SiftName(file), wholefile.StampOf(fi)}
	if s.has(mine) {
		return nil
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, fi.Size()))
	if err != nil {
		return err
	}
	if data, _ = wholefile.Decode(data); matchesIn(t, session(file), data) {
		return ErrHoldsForgotten
	}
	if after, err := f.Stat(); err == nil && wholefile.StampOf(after) == mine.stamp {
		s.add(mine)
	}
	return nil
}

// Grew records that a checked transcript grew by blocks that the app wrote.
func (s *Sieve) Grew(file string, before, after os.FileInfo) {
	t := s.record.Traces()
	if t.Empty() {
		return
	}
	name := t.SiftName(file)
	if before.Size() == 0 || s.has(sifted{name, wholefile.StampOf(before)}) {
		s.add(sifted{name, wholefile.StampOf(after)})
	}
}

// Clean removes forgotten text from a transcript from another folder after reading it: its
// file isn't the app's to change.
func (s *Sieve) Clean(t *transcript.Transcript) {
	all := s.record.Traces()
	if all.Empty() {
		return
	}
	name := t.Info.Name
	first, dirty := "", false
	for i, b := range t.Blocks {
		cleaned, _, changed := all.Clean(name, b)
		switch {
		case dirty && b.Kind == transcript.KindSummary, dirty && b.Kind == transcript.KindNote && b.Note == transcript.NoteTitle && b.By != "":
			cleaned.Text, changed = forgotten.Text, true // made from text that is gone
			if transcript.OneLine(b.Text) == t.Info.Title {
				t.Info.Title = forgotten.Text
			}
		case changed && b.Kind == transcript.KindUser && first == "":
			first = b.Text
		}
		dirty = dirty || changed
		t.Blocks[i] = cleaned
	}
	goes := func(title string) bool {
		return title != "" && (first != "" && all.MayBeMadeFrom(name, first, title) || all.HoldsIn(name, title))
	}
	if goes(t.Info.Title) {
		t.Info.Title, t.FrontMatter = forgotten.Text, ""
	}
	if goes(transcript.FrontValue(t.FrontMatter, "title")) || all.HoldsRaw([]byte(t.FrontMatter)) {
		t.FrontMatter = ""
	}
}

// matchesIn reports whether a transcript's bytes hold matching text.
func matchesIn(t *forgotten.Traces, session string, data []byte) bool {
	if !t.NeedsBlocks(session) && !t.HoldsRaw(data) {
		return false
	}
	_, changed, err := NewCleaner(t, session).File(data, nil)
	return err != nil || changed
}
