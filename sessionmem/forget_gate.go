package sessionmem

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// What was forgotten comes back from outside: by an editor's late save, a backup, a
// sync. So no transcript is read before it was looked through under what is forgotten
// now. One that holds something of it is cleaned on disk first; where that fails it
// isn't read. A file that was looked through is known by its stamp, also by the next
// process, and costs nothing until it changes.

// errHoldsForgotten: a transcript holds what was forgotten. Whoever may write it purges
// it and reads it again.
var errHoldsForgotten = errors.New("it holds text that was to be forgotten")

// sifted is a transcript that was looked through, as it was then. The name is a keyed
// hash of the file's path and of the forgettings it was looked through for.
type sifted struct {
	name  [8]byte
	stamp wholefile.Stamp
}

const (
	siftedSize = 32      // bytes of a line of the file
	maxSifted  = 1 << 20 // bytes from which on the file is made anew
)

// sieve knows which transcripts hold nothing of what was forgotten. The file in the
// cache folder carries that over to the next process; it may be deleted at any time.
type sieve struct {
	file string // absolute; "": only this process knows

	mu    sync.Mutex
	read  bool
	known map[[8]byte]wholefile.Stamp
}

func newSieve(cacheDir, dir string) *sieve {
	s := &sieve{known: map[[8]byte]wholefile.Stamp{}}
	if cacheDir != "" {
		sum := sha256.Sum256([]byte(dir))
		s.file = filepath.Join(cacheDir, "sifted-"+hex.EncodeToString(sum[:6]))
	}
	return s
}

func (s *sieve) has(f sifted) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	stamp, ok := s.known[f.name]
	return ok && stamp == f.stamp
}

// load takes over what earlier processes looked through. The caller holds mu.
func (s *sieve) load() {
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
		return // looked through again
	}
	for line := range slices.Chunk(data, siftedSize) {
		if len(line) < siftedSize {
			return
		}
		n := func(i int) uint64 { return binary.LittleEndian.Uint64(line[8*i:]) }
		s.known[[8]byte(line)] = wholefile.Stamp{Size: int64(n(1)), Time: int64(n(2)), Inode: n(3)} //nolint:gosec // as they were written
	}
}

// add notes a transcript that was looked through.
func (s *sieve) add(f sifted) {
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
		_ = wholefile.WriteQuick(s.file, all, 0o600) // a cache: without it files are looked through again
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
	out = binary.LittleEndian.AppendUint64(out, uint64(f.stamp.Size)) //nolint:gosec // read back as it is
	out = binary.LittleEndian.AppendUint64(out, uint64(f.stamp.Time)) //nolint:gosec // as above
	return binary.LittleEndian.AppendUint64(out, f.stamp.Inode)
}

// sift gives errHoldsForgotten for an open transcript that holds what was forgotten.
func (s *Store) sift(file string, f *os.File) error {
	t := s.forgotten.Traces()
	if t.Empty() {
		return nil
	}
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return err
	}
	mine := sifted{t.SiftName(file), wholefile.StampOf(fi)}
	if s.sieve.has(mine) {
		return nil
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, fi.Size()))
	if err != nil {
		return err
	}
	if data, _ = wholefile.Decode(data); meansIn(t, s.entryOf(file).Session, data) {
		return errHoldsForgotten
	}
	if after, err := f.Stat(); err == nil && wholefile.StampOf(after) == mine.stamp {
		s.sieve.add(mine)
	}
	return nil
}

// siftedOn notes that a transcript which was looked through grew by blocks of ours.
func (s *Store) siftedOn(file string, before, after os.FileInfo) {
	t := s.forgotten.Traces()
	if t.Empty() {
		return
	}
	name := t.SiftName(file)
	if before.Size() == 0 || s.sieve.has(sifted{name, wholefile.StampOf(before)}) {
		s.sieve.add(sifted{name, wholefile.StampOf(after)})
	}
}

// purge takes what was forgotten out of a session's files, after one of them was found
// to hold some. The caller holds the session's locks.
func (s *Store) purge(ctx context.Context, ses *session) error {
	defer ses.forgetFile()
	return s.purgeFiles(ctx, ses.name)
}

func (s *Store) purgeFiles(ctx context.Context, name string) error {
	t, only := s.forgotten.Traces(), ForgetOptions{Sessions: map[string]bool{name: true}}
	all, err := s.forgettable(only)
	if err != nil {
		return err
	}
	found, err := s.forgetAttachments(ctx, t, only, all, nil)
	if err != nil {
		return err
	}
	f := &forgetSession{s: s, t: t, name: name}
	f.erase(ctx)
	if f.midSave {
		return fmt.Errorf("cleaning the files of %s: %w", name, errMidSave)
	}
	found = append(found, f.found...)
	for _, touched := range found {
		if touched.Action == forgotten.Refused {
			return fmt.Errorf("%w, and can't be cleaned: %s", errHoldsForgotten, touched.Why)
		}
	}
	s.logger.Info("what was forgotten came back in a session's files and was taken out again", "session", name, "places", len(found))
	return nil
}

// purgeSession is purge for those who hold no lock.
func (s *Store) purgeSession(ctx context.Context, name string) error {
	if transcript.CheckName(name) != nil { // a file with a name of its own: nobody writes to it
		return s.purgeFiles(ctx, name)
	}
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	return s.purge(ctx, ses)
}

// purged reads under a session's locks; where that finds what was forgotten, it is taken
// out, and read again.
func (s *Store) purged(ctx context.Context, ses *session, read func() error) error {
	err := read()
	if err == nil && ses.dirtyCopy {
		ses.dirtyCopy = false
		if err := s.purge(ctx, ses); err != nil { // it isn't the session's file: that goes on
			s.logger.Warn("a copy of a transcript holds what was forgotten and can't be cleaned", "session", ses.name, "err", err)
		}
		err = read()
		ses.dirtyCopy = false
	}
	if !errors.Is(err, errHoldsForgotten) {
		return err
	}
	if err := s.purge(ctx, ses); err != nil {
		return err
	}
	return read()
}

// dirtyCopy reports whether a file that has the session's name and isn't the session holds
// what was forgotten: an editor's save under the name before, or a copy.
func (s *Store) dirtyCopy(ses *session) bool {
	if s.forgotten.Traces().Empty() {
		return false
	}
	files, err := s.filesOf(ses.name)
	if err != nil {
		return false
	}
	for _, e := range files {
		if slices.Contains(ses.transcripts(), e.file) {
			continue
		}
		f, err := s.openTranscript(e.file)
		if errors.Is(err, errHoldsForgotten) {
			return true
		}
		if err == nil {
			_ = f.Close() // read only
		}
	}
	return false
}

// openPurged is openTranscript for those who hold no lock.
func (s *Store) openPurged(ctx context.Context, file string) (*os.File, error) {
	f, err := s.openTranscript(file)
	if !errors.Is(err, errHoldsForgotten) {
		return f, err
	}
	if err := s.purgeSession(ctx, s.entryOf(file).Session); err != nil {
		return nil, err
	}
	return s.openTranscript(file)
}

// OpenPart opens a file of a transcript, one of its Info's, to be read. What was forgotten
// is taken out of it before.
func (s *Store) OpenPart(ctx context.Context, path string) (*os.File, error) {
	return s.openPurged(ctx, s.relative(path))
}

// purgeListed cleans the sessions of files that a list could not read for what they
// hold. It reports whether there was one.
func (s *Store) purgeListed(ctx context.Context, found []*listed) bool {
	names := map[string]bool{}
	for _, l := range found {
		if errors.Is(l.info.Err, errHoldsForgotten) {
			names[l.Session] = true
		}
	}
	for name := range names {
		if err := s.purgeSession(ctx, name); err != nil {
			s.logger.Warn("what was forgotten came back in a session's files and can't be taken out", "session", name, "err", err)
		}
	}
	return len(names) > 0
}

// cleanTranscript takes what was forgotten out of a transcript of elsewhere that was
// read: its file is not ours to change.
func (s *Store) cleanTranscript(t *transcript.Transcript) {
	all := s.forgotten.Traces()
	if all.Empty() {
		return
	}
	name := t.Info.Name
	first, dirty := "", false
	for i, b := range t.Blocks {
		cleaned, _, changed := all.Clean(name, b)
		switch {
		case dirty && b.Kind == transcript.KindSummary, dirty && b.Kind == transcript.KindNote && b.Note == transcript.NoteTitle && b.By != "":
			cleaned.Text, changed = forgotten.Text, true // made of what is gone
		case changed && b.Kind == transcript.KindUser && first == "":
			first = b.Text
		}
		dirty = dirty || changed
		t.Blocks[i] = cleaned
	}
	if title := t.Info.Title; first != "" && all.MadeOf(name, first, title) || all.HoldsIn(name, title) {
		t.Info.Title, t.FrontMatter = forgotten.Text, ""
	}
	if all.HoldsRaw([]byte(t.FrontMatter)) {
		t.FrontMatter = ""
	}
}

// purgePath takes what was forgotten out of a transcript that is named by its path, where
// that leads into the session folder.
func (s *Store) purgePath(path string) error {
	if s.root == nil || !wholefile.IsWithin(path, s.dir) {
		return nil
	}
	f, err := s.openPurged(context.Background(), s.relative(path))
	if errors.Is(err, errHoldsForgotten) {
		return err
	}
	if err == nil {
		_ = f.Close() // read only
	}
	return nil
}

// meansIn says whether something in a transcript's bytes is meant.
func meansIn(t *forgotten.Traces, session string, data []byte) bool {
	if !t.NeedsBlocks(session) && !t.HoldsRaw(data) {
		return false
	}
	seen := newIndex(maphash.MakeSeed())
	c := &cleaner{t: t, session: session, ids: map[string]string{}, seen: &seen, found: func(forgotten.Touched) {}}
	return c.file(data) != nil || c.changed
}
