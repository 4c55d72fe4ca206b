package sessionmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

const (
	// fingerprintLen is how many bytes before the known end are compared to see
	// whether a file only grew.
	fingerprintLen = 512
)

// session is what this process knows of one session.
//
// mu is taken before the append lock of the file system and held with it: it
// orders the goroutines of this process, the lock file orders the processes.
type session struct {
	name    string
	turn    chan struct{} // 1 place: taken by the goroutine that holds (or waits for) the turn lock file
	private atomic.Bool   // asked for without mu, which an append may hold for long

	mu        sync.Mutex
	holder    Holder             // of the turn, where it is this process
	mem       []transcript.Block // blocks of an in-memory session
	files     map[string][]byte  // attachments of an in-memory session, by file name
	file      string             // name of the transcript in the session folder; "" before it is found or made
	earlier   []part             // the parts before it, oldest first; what is below is of the last one
	base      int64              // bytes of the earlier parts: a block's offset goes on from there
	stat      os.FileInfo        // of the file as it was read last; nil: not read
	size      int64
	tail      []byte // the file's last bytes, at most fingerprintLen
	bare      bool   // older form of the format
	readOnly  bool   // newer format
	index     branch.Index
	fold      branch.Fold
	texts     heldTexts
	unsaved   unsaved
	journal   journal
	inTurn    []turnBlock // written in the turn that this process holds
	anyway    bool        // what is appended now doesn't wait for a save in progress
	rewrote   bool        // the file was found changed otherwise than by growing
	dirtyCopy bool        // a copy beside it holds what was forgotten
	last      joined      // the block that joined the file last, as this process saw it
	used      time.Time
}

// joined is when a block joined the file while this process knew it.
type joined struct {
	seen time.Time // zero: none did
	time time.Time // that the block says
}

// turnBlock is a block that was written in the turn that is running.
type turnBlock struct {
	block    transcript.Block
	after    uint64 // hash of the id of the block in front of it; 0: none
	restored bool   // put back once: if it goes again, that is the user's will
}

// refresh brings the session up to what is in its file; what was forgotten and came
// back into it is taken out before.
func (s *Store) refresh(ses *session) error {
	return s.purged(context.Background(), ses, func() error { return s.refreshFile(ses) })
}

// refreshFile is refresh for a file without what was forgotten. It reads nothing where
// the file is as it was, the tail where it grew, else all of it. A session
// without a file is left empty. The caller holds ses.mu and, to be sure that no
// block is half written, the append lock.
func (s *Store) refreshFile(ses *session) error {
	ses.used = time.Now()
	ses.lift()
	defer ses.lay()
	fi, err := s.statFile(ses)
	if errors.Is(err, ErrNotFound) {
		ses.forgetFile()
		return nil
	}
	if err != nil {
		return err
	}
	stand := s.earlierStand(ses)
	if stand && ses.stat != nil && os.SameFile(ses.stat, fi) && ses.size == fi.Size() && ses.stat.ModTime().Equal(fi.ModTime()) {
		return nil
	}
	f, err := s.catalog.Open(ses.file)
	if err != nil {
		return wholefile.Explain("reading "+ses.file, err)
	}
	defer f.Close()
	if fi, err = f.Stat(); err != nil {
		return wholefile.Explain("reading "+ses.file, err)
	}
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("reading %s: it is no file", ses.file)
	}
	if stand {
		if grew, err := s.readTail(ses, f, fi); err != nil || grew {
			return err
		}
	}
	return s.readAll(ses, f, fi)
}

// statFile finds the session's files and the state of the last one. A file that was known and is
// gone may be in the middle of an editor's save or may have been renamed.
func (s *Store) statFile(ses *session) (os.FileInfo, error) {
	if s.isFresh(ses) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, ses.name)
	}
	if !s.inPlace(ses) {
		parts, err := s.catalog.Parts(ses.name)
		if err != nil {
			return nil, err
		}
		ses.takeParts(parts)
		ses.dirtyCopy = s.dirtyCopy(ses)
	}
	fi, err := s.root.Stat(ses.file)
	if err != nil {
		return nil, wholefile.Explain("reading "+ses.file, err)
	}
	return fi, nil
}

// forgetFile leaves nothing known of a file that is gone.
func (ses *session) forgetFile() {
	if ses.file != "" {
		ses.inTurn, ses.last = nil, joined{}
	}
	ses.file, ses.stat, ses.size, ses.tail = "", nil, 0, nil
	ses.earlier, ses.base = nil, 0
	ses.bare, ses.readOnly, ses.rewrote = false, false, false
	ses.forgetBlocks()
	ses.lay()
}

// forgetBlocks leaves nothing known of the blocks.
func (ses *session) forgetBlocks() {
	ses.index.Reset()
	ses.fold, ses.texts = branch.Fold{}, heldTexts{}
	ses.unsaved.base = nil
	ses.journal.stat, ses.journal.whole = nil, false // what the files lack may be something else now
}

// follow takes a block that was read or written into the index and the context.
// words is the sum of what a message says.
func (ses *session) follow(b transcript.Block, words uint32, offset int64, number int) uint32 {
	n := ses.index.Add(b, offset, number)
	ses.fold.Add(&ses.index, n, b, words)
	return n
}

// read takes a block that was read from the file. Its text is decoded only where
// something depends on it.
func (ses *session) read(raw transcript.RawBlock) {
	b, ok := raw.Head()
	if !ok {
		b = raw.Decode()
	}
	number := ses.index.Identify(&b, raw.Derived)
	words := uint32(0)
	if b.IsMessage() {
		words = raw.Words()
	}
	ses.follow(b, words, ses.base+raw.Offset, number)
}

// readTail reads what was appended since. It reports false where the file changed
// in another way.
func (s *Store) readTail(ses *session, f *os.File, fi os.FileInfo) (bool, error) {
	if ses.stat == nil || !os.SameFile(ses.stat, fi) || fi.Size() <= ses.size || len(ses.tail) == 0 {
		return false, nil
	}
	was := make([]byte, len(ses.tail))
	if _, err := f.ReadAt(was, ses.size-int64(len(was))); err != nil || !bytes.Equal(was, ses.tail) {
		return false, nil //nolint:nilerr // reading it whole tells what is wrong
	}
	r := transcript.NewTailReader(io.NewSectionReader(f, ses.size, fi.Size()-ses.size), ses.size, ses.bare)
	r.Limit = transcript.BlockLimit
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			if err := ses.setEnd(f, fi); err != nil {
				return false, nil //nolint:nilerr // as above
			}
			return true, nil
		}
		if err != nil {
			ses.stat = nil // a part of it is known already
			return false, wholefile.Explain("reading "+ses.file, err)
		}
		if !raw.Headed {
			return false, nil // text was added to the last block
		}
		b := raw.Decode()
		n := ses.follow(b, b.Words(), ses.base+raw.Offset, ses.index.Identify(&b, raw.Derived))
		if raw.Size <= transcript.BlockLimit {
			ses.texts.put(n, b, int(raw.Size))
		}
		ses.last = joined{time.Now(), b.Time}
	}
}

// readAll reads the session whole: the parts before the last file, and that one.
func (s *Store) readAll(ses *session, f *os.File, fi os.FileInfo) error {
	ses.rewrote = ses.rewrote || ses.stat != nil
	var err error
	for range mostReads {
		ses.readOnly, ses.base = false, 0
		ses.forgetBlocks()
		if err = s.readEarlier(ses); err == nil {
			ses.bare, err = s.readBlocks(ses, f, fi, ses.file)
		}
		if err != nil {
			ses.stat = nil
			return err
		}
		if err = ses.setEnd(f, fi); !errors.Is(err, io.EOF) {
			return err
		}
		var statErr error // an editor has just cut it short
		if fi, statErr = f.Stat(); statErr != nil {
			return wholefile.Explain("reading "+ses.file, statErr)
		}
	}
	return err
}

// mostReads is how often a file is read that others cut short meanwhile.
const mostReads = 20

// readBlocks reads a file of the session from its beginning.
func (s *Store) readBlocks(ses *session, f *os.File, fi os.FileInfo, file string) (bare bool, err error) {
	r := transcript.NewReader(io.NewSectionReader(f, 0, fi.Size()))
	r.Limit = transcript.BlockLimit
	ses.readOnly = ses.readOnly || transcript.ReadOnlyFormat(r.Front)
	for {
		raw, err := r.Read()
		if errors.Is(err, io.EOF) {
			return r.Bare, nil
		}
		if err != nil {
			ses.forgetBlocks()
			return false, wholefile.Explain("reading "+file, err)
		}
		ses.read(raw)
	}
}

// setEnd notes where the file ends and what its last bytes are.
func (ses *session) setEnd(f *os.File, fi os.FileInfo) error {
	tail := make([]byte, min(fi.Size(), fingerprintLen))
	if len(tail) > 0 {
		if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil {
			ses.stat = nil
			return wholefile.Explain("reading "+ses.file, err)
		}
	}
	ses.stat, ses.size, ses.tail = fi, fi.Size(), tail
	return nil
}

func (ses *session) taken(id string) bool { return ses.index.Has(id) }

// remember notes a block that was just written.
func (ses *session) remember(b transcript.Block, now time.Time) {
	ses.last = joined{now, b.Time}
	if ses.holder.Who == "" {
		return
	}
	t := turnBlock{block: b}
	if n := ses.index.Len(); n > 1 {
		t.after = ses.index.ID(uint32(n - 2)) //nolint:gosec // see branch.Index.Add
	}
	ses.inTurn = append(ses.inTurn, t)
}

// isLast says whether the session ends with the block of this hash; 0: it is empty.
func (ses *session) isLast(id uint64) bool {
	n := ses.index.Len()
	return n == 0 && id == 0 || n > 0 && ses.index.ID(uint32(n-1)) == id //nolint:gosec // see branch.Index.Add
}

// droppedInTurn gives the blocks of the running turn that a save dropped: its editor had
// read the file before they were written. Whatever else a save removes is the user's
// decision. What steers the context is put back only where nothing stands behind its
// place by now: at the end, a reset or a rewind would cut off what others said meanwhile.
func (ses *session) droppedInTurn() []transcript.Block {
	if !ses.rewrote {
		return nil
	}
	ses.rewrote = false
	var lost []transcript.Block
	atEnd := false // what is dropped stood at the end as it is now
	for i, t := range ses.inTurn {
		if t.restored || ses.taken(t.block.ID) {
			continue
		}
		ses.inTurn[i].restored = true
		atEnd = atEnd || len(lost) == 0 && ses.isLast(t.after)
		if atEnd || !t.block.Steers() {
			lost = append(lost, t.block)
		}
	}
	return lost
}

// lock takes ses.mu and the append lock of the file system. For reading, a lock
// that can't be had (a read-only folder) is done without.
func (s *Store) lock(ctx context.Context, ses *session, reading bool) (unlock func(), err error) {
	ses.mu.Lock()
	if ses.private.Load() {
		return ses.mu.Unlock, nil
	}
	if reading && ses.file == "" {
		if _, err := s.catalog.Locate(ses.name); err != nil {
			return ses.mu.Unlock, nil //nolint:nilerr // nothing to lock: reading it says why
		}
	}
	release, err := s.lockFile(ctx, ses.name)
	if err != nil && (!reading || ctx.Err() != nil) {
		ses.mu.Unlock()
		return nil, err
	}
	return func() {
		if release != nil {
			release()
		}
		ses.mu.Unlock()
	}, nil
}
