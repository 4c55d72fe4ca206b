package sessionmem

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// The journal of a session holds the blocks that the app has acknowledged, as they were
// written: a file in the transcript's own format beside the transcripts. Whoever saves
// the transcript in an editor decides what is in the session. What such a save removed is
// in no list, context or search from then on, but it is still in the journal until the
// user has it put back or agrees.
//
// A block is added after it is safe in the transcript. That costs no second fsync, and
// where it fails the turn goes on: the next block makes up for it. The journal holds each
// block once. Where it grows beyond journalMost, it goes down to the newest journalKept.
// What was removed and not decided about leaves it after removedKept. It goes with the
// session: to the archive or the trash a session goes without it. In-memory sessions
// have none.
const (
	journalDir = ".journal"

	journalMost = 32 << 20 // bytes
	journalKept = 16 << 20 // bytes
	removedKept = 30 * 24 * time.Hour

	// noteRemoved is a Note that stands in a journal alone: Text names the blocks that
	// were found missing then.
	noteRemoved = "removed"
)

// journal is what this process knows of a session's journal.
type journal struct {
	stat    os.FileInfo // as it was read last; nil: it has to be read
	missing []journaled // blocks that the session's files lack
	held    int         // how many of its blocks the files hold
	whole   bool        // it holds what the files hold
	failed  bool        // the last write failed, and it was said
}

// journaled is a block in a journal.
type journaled struct {
	id      string
	at      int64
	size    int64
	kind    transcript.Kind
	message bool
	noted   time.Time // when it was first found missing; zero: it is there, or that is not noted yet
}

// isJournal says whether a file, relative to the session folder, is a journal.
func isJournal(file string) bool { return strings.HasPrefix(file, journalDir+"/") }

func journalFile(name string) string { return journalDir + "/" + name + transcript.FileSuffix }

// Removed is what the app had written to a session and a save from outside took out.
type Removed struct {
	Session  string
	Messages int
	Others   int // summaries, results of tools, resets and other notes
}

// Removed tells what is missing from a session's files. Nothing is for one that was
// never written, or is in memory alone.
func (s *Store) Removed(ctx context.Context, name string) (Removed, error) {
	out := Removed{Session: name}
	if s.root == nil || s.IsPrivate(name) || transcript.CheckName(name) != nil || !s.isThere(journalFile(name)) {
		return out, nil
	}
	err := s.look(ctx, name, func(ses *session) error {
		missing, err := s.missing(ses)
		out = removedOf(name, missing)
		return err
	})
	return out, err
}

func removedOf(name string, missing []journaled) Removed {
	out := Removed{Session: name}
	for _, m := range missing {
		if m.message {
			out.Messages++
		} else {
			out.Others++
		}
	}
	return out
}

// KeepRemoved agrees with what a save took out of a session's files: the journal lets go
// of it.
func (s *Store) KeepRemoved(ctx context.Context, name string) (Removed, error) {
	return s.decide(ctx, name, "removing", s.dropMissing)
}

// Restore puts back what a save took out of a session's files, each block where it stood.
func (s *Store) Restore(ctx context.Context, name string) (Removed, error) {
	return s.decide(ctx, name, "restoring", s.putBack)
}

// decide does something with what is missing from a session.
func (s *Store) decide(ctx context.Context, name, doing string, do func(context.Context, *session) ([]journaled, error)) (Removed, error) {
	none := Removed{Session: name}
	if s.root == nil || s.IsPrivate(name) || transcript.CheckName(name) != nil || !s.isThere(journalFile(name)) {
		return none, nil
	}
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return none, fmt.Errorf("%s in %s: %w", doing, name, err)
	}
	defer unlock()
	decided, err := do(ctx, ses)
	if err != nil {
		return none, fmt.Errorf("%s in %s: %w", doing, name, err)
	}
	return removedOf(name, decided), nil
}

// missing gives the blocks of the journal that the session's files lack, in their order.
// The caller holds ses.mu and has brought the session up to date.
func (s *Store) missing(ses *session) ([]journaled, error) {
	file := journalFile(ses.name)
	fi, err := s.root.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wholefile.Explain("reading a journal", err)
	}
	if was := ses.journal.stat; was != nil && os.SameFile(was, fi) && was.Size() == fi.Size() && was.ModTime().Equal(fi.ModTime()) {
		return slices.DeleteFunc(slices.Clone(ses.journal.missing), func(m journaled) bool { return ses.taken(m.id) }), nil
	}
	all, err := s.readJournal(ses)
	if err != nil {
		return nil, err
	}
	ses.journal.stat, ses.journal.missing, ses.journal.held = all.stat, all.missing, all.held
	return all.missing, nil
}

// readout is a journal as it was read.
type readout struct {
	stat    os.FileInfo
	blocks  []journaled         // each once, in order
	ids     map[uint64]struct{} // of them
	missing []journaled
	held    int   // how many of the blocks the files hold
	end     int64 // of what is whole: a power cut may have left half a block, or zeros
}

// readJournal reads the session's journal; fs.ErrNotExist where there is none.
func (s *Store) readJournal(ses *session) (readout, error) {
	out := readout{ids: map[uint64]struct{}{}}
	f, err := s.openTranscript(journalFile(ses.name))
	if errors.Is(err, errHoldsForgotten) {
		if err = s.purgeFiles(context.Background(), ses.name); err == nil {
			f, err = s.openTranscript(journalFile(ses.name))
		}
	}
	if err != nil {
		return out, wholefile.Explain("reading a journal", err)
	}
	defer f.Close()
	if out.stat, err = f.Stat(); err != nil {
		return out, wholefile.Explain("reading a journal", err)
	}
	noted := map[string]time.Time{}
	out.end = out.stat.Size()
	r := transcript.NewSizedReader(io.NewSectionReader(f, 0, out.end), out.end)
	if transcript.ReadOnlyFormat(r.Front) {
		return out, fmt.Errorf("%w: %s has a newer format than this version writes", ErrReadOnly, journalFile(ses.name))
	}
	lacks := map[int]bool{}
	cut, err := s.cutShort(f, out.end)
	last := int64(0)
	for err == nil {
		raw, rerr := r.Read()
		if err = rerr; err != nil {
			break
		}
		last = raw.Offset
		b, whole := raw.Head()
		if !whole {
			b = raw.Decode()
		}
		if b.Kind == transcript.KindNote && b.Note == noteRemoved {
			for id := range strings.FieldsSeq(b.Text) {
				if _, ok := noted[id]; !ok {
					noted[id] = b.Time
				}
			}
			continue
		}
		hash := ses.index.hash(b.ID)
		if _, twice := out.ids[hash]; b.ID == "" || !raw.Headed || twice {
			continue
		}
		out.ids[hash] = struct{}{}
		if ses.taken(b.ID) {
			out.held++
		} else if ses.lacks(raw.Decode()) {
			lacks[len(out.blocks)] = true
		}
		out.blocks = append(out.blocks, journaled{id: b.ID, at: raw.Offset, size: raw.Size, kind: b.Kind, message: b.IsMessage()})
	}
	if !errors.Is(err, io.EOF) {
		return out, wholefile.Explain("reading a journal", err)
	}
	if cut {
		out.end = last
		if n := len(out.blocks); n > 0 && out.blocks[n-1].at == last {
			out.held = -1 // it is brought up to date
			delete(out.ids, ses.index.hash(out.blocks[n-1].id))
			out.blocks = out.blocks[:n-1]
		}
	}
	for i, b := range out.blocks {
		if lacks[i] {
			b.noted = noted[b.id]
			out.missing = append(out.missing, b)
		}
	}
	return out, nil
}

// lacks says whether a block of the journal, whose id no block has, is missing: its
// comment alone may be gone, and what is forgotten is not missed.
func (ses *session) lacks(b transcript.Block) bool {
	if b.Text == forgotten.Text || b.Kind == transcript.KindNote && b.Note == transcript.NoteRestored {
		return false
	}
	return !ses.taken(transcript.DeriveID(b.Kind, b.Text))
}

// cutShort says whether a journal of that size ends within a block.
func (s *Store) cutShort(f *os.File, size int64) (bool, error) {
	end := []byte{'\n'}
	if size == 0 {
		return false, nil
	}
	_, err := f.ReadAt(end, size-1)
	return end[0] != '\n', err
}

// addToJournal adds the last blocks, so many, that were just written to the session's
// file; data is how they stand there.
func (s *Store) addToJournal(ses *session, blocks int, data []byte) {
	j := &ses.journal
	if j.stat != nil && !j.whole && j.held == ses.ownBlocks()-blocks {
		j.whole = !slices.ContainsFunc(j.missing, func(m journaled) bool { return m.noted.IsZero() || time.Since(m.noted) > removedKept })
	}
	err := s.appendJournal(ses, data)
	if err != nil && !j.failed {
		s.logger.Warn("the journal of a session can't be written: a message that an editor's save drops now can't be restored", "session", ses.name, "err", err)
	}
	j.whole, j.failed = err == nil, err != nil // the next block makes up for it: who waited could lose what a save drops meanwhile
}

// journalAlone puts a block into the session's journal that is in none of its files.
func (s *Store) journalAlone(ctx context.Context, ses *session, b transcript.Block) error {
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.refresh(ses); err != nil {
		return err
	}
	ses.journal.whole = false
	if err := s.catchUp(ses); err != nil {
		return err
	}
	ses.journal.whole = true
	err = s.appendJournal(ses, transcript.AppendBlock(nil, s.guard(ses, b, false)))
	ses.journal.stat = nil // it is missing
	return err
}

// ownBlocks counts the blocks of the files that have an id of their own.
func (ses *session) ownBlocks() int {
	end := len(ses.index.blocks)
	if ses.unsaved.base != nil {
		end = int(ses.unsaved.first)
	}
	n := 0
	for _, b := range ses.index.blocks[:end] {
		if !b.derived() {
			n++
		}
	}
	return n
}

// beginJournal makes the journal of a session that came back without one.
func (s *Store) beginJournal(ses *session) {
	if err := s.refresh(ses); err != nil {
		s.logger.Debug("a session that came back has no journal before its next block", "session", ses.name, "err", err)
		return
	}
	s.addToJournal(ses, 0, nil)
}

func (s *Store) appendJournal(ses *session, data []byte) error {
	if ses.journal.stat == nil || !ses.journal.whole {
		return s.catchUp(ses)
	}
	f, err := s.root.OpenFile(journalFile(ses.name), os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return s.catchUp(ses)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return err
	}
	if known := ses.journal.stat; !before.Mode().IsRegular() || before.Size() != known.Size() || !os.SameFile(before, known) {
		_ = f.Close() // nothing was written
		return s.catchUp(ses)
	}
	if err := s.extend(f, ses.name, before.Size(), data); err != nil {
		return err
	}
	if ses.journal.stat, err = f.Stat(); err != nil {
		return err
	}
	s.siftedOn(journalFile(ses.name), before, ses.journal.stat)
	if ses.journal.stat.Size() <= journalMost {
		return nil
	}
	return s.shortenJournal(ses)
}

// extend adds to an open journal, all of it or nothing.
func (s *Store) extend(f *os.File, name string, size int64, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, s.truncate(f, journalFile(name), size))
	}
	return nil
}

// catchUp brings the journal up to the session's files, which it may never have seen,
// and notes what they lack.
func (s *Store) catchUp(ses *session) error {
	all, err := s.readJournal(ses)
	if errors.Is(err, fs.ErrNotExist) {
		all, err = readout{ids: map[uint64]struct{}{}}, s.root.MkdirAll(journalDir, 0o700)
	}
	if err != nil {
		return err
	}
	old := func(m journaled) bool { return !m.noted.IsZero() && time.Since(m.noted) > removedKept }
	if slices.ContainsFunc(all.missing, old) {
		gone := slices.DeleteFunc(slices.Clone(all.missing), func(m journaled) bool { return !old(m) })
		if err := s.rewriteJournal(ses, all, gone); err != nil {
			return err
		}
		if all, err = s.readJournal(ses); err != nil {
			return err
		}
	}
	if err := s.writeJournal(ses, all); err != nil {
		return err
	}
	ses.journal.missing = all.missing
	if ses.journal.stat.Size() > journalMost {
		return s.shortenJournal(ses)
	}
	return nil
}

// writeJournal adds what a journal lacks that was just read, or begins it.
func (s *Store) writeJournal(ses *session, all readout) error {
	file := journalFile(ses.name)
	f, err := s.root.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = transcript.ErrNotFile
	}
	if err == nil && all.stat != nil && all.end < fi.Size() {
		err = s.truncate(f, file, all.end)
	}
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if all.end == 0 {
		_, err = w.WriteString(journalFront(ses.name))
	}
	if err == nil {
		err = s.writeUnjournaled(ses, all, w)
	}
	if err == nil {
		_, err = w.Write(removalNote(ses, all.missing))
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		return errors.Join(err, s.truncate(f, file, min(all.end, fi.Size())))
	}
	ses.journal.stat, err = f.Stat()
	return err
}

func journalFront(name string) string {
	return transcript.Fence + "\nformat: " + transcript.FormatName + "\nsession: " + name + "\n" + transcript.Fence + "\n"
}

// writeUnjournaled writes the blocks of the session's files that are not in its journal,
// the newest journalKept bytes of them: all since the journal's beginning, or all there are.
func (s *Store) writeUnjournaled(ses *session, all readout, w io.Writer) error {
	x := &ses.index
	end := len(x.blocks)
	if ses.unsaved.base != nil {
		end = int(ses.unsaved.first)
	}
	from := 0
	for _, b := range all.blocks {
		if n, ok := x.find(x.hash(b.id)); ok {
			from = int(n)
			break
		}
	}
	var wanted []uint32
	total := int64(0)
	for n := end - 1; n >= from; n-- {
		if _, there := all.ids[x.blocks[n].id]; there || x.blocks[n].derived() {
			continue
		}
		if total += x.end(uint32(n), ses.end()) - x.blocks[n].offset(); total > journalKept { //nolint:gosec // see index.add
			break
		}
		wanted = append(wanted, uint32(n)) //nolint:gosec // see index.add
	}
	r := s.source(ses)
	defer r.close()
	for _, n := range slices.Backward(wanted) {
		raw, err := r.read(n, 0)
		if err == nil {
			_, err = w.Write(transcript.AppendBlock(nil, raw.Decode()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removalNote notes which blocks are found missing now.
func removalNote(ses *session, missing []journaled) []byte {
	var ids []string
	now := time.Now()
	for i, m := range missing {
		if m.noted.IsZero() && len(strings.Fields(m.id)) == 1 {
			ids = append(ids, m.id)
			missing[i].noted = now
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return transcript.AppendBlock(nil, ses.complete(transcript.Block{Kind: transcript.KindNote, Note: noteRemoved, Text: strings.Join(ids, "\n")}, now))
}

// rewriteJournal writes the journal anew without some of its blocks.
func (s *Store) rewriteJournal(ses *session, all readout, without []journaled) error {
	file := journalFile(ses.name)
	data, err := s.readRegular(file)
	if err != nil {
		return wholefile.Explain("reading a journal", err)
	}
	gone := make(map[int64]bool, len(without))
	for _, m := range without {
		gone[m.at] = true
	}
	noted := slices.DeleteFunc(slices.Clone(all.missing), func(m journaled) bool { return gone[m.at] })
	kept := []byte(journalFront(ses.name))
	for _, b := range all.blocks {
		if !gone[b.at] && b.at+b.size <= int64(len(data)) {
			kept = append(append(kept, '\n'), bytes.TrimRight(data[b.at:b.at+b.size], "\n")...)
			kept = append(kept, '\n')
		}
	}
	times := map[time.Time][]string{}
	for _, m := range noted {
		if !m.noted.IsZero() {
			times[m.noted] = append(times[m.noted], m.id)
		}
	}
	for at, ids := range times {
		kept = transcript.AppendBlock(kept, ses.complete(transcript.Block{Kind: transcript.KindNote, Time: at, Note: noteRemoved, Text: strings.Join(ids, "\n")}, at))
	}
	ses.journal = journal{}
	return wholefile.Wrap("writing a journal", s.root.WriteAtomic(file, kept, true))
}

// shortenJournal takes the oldest blocks out of a journal that has grown too large:
// those that stand in the session first.
func (s *Store) shortenJournal(ses *session) error {
	all, err := s.readJournal(ses)
	if err != nil {
		return err
	}
	lacking := make(map[int64]bool, len(all.missing))
	for _, m := range all.missing {
		lacking[m.at] = true
	}
	total := all.end
	var gone []journaled
	for _, removed := range []bool{false, true} {
		for _, b := range all.blocks {
			if total > journalKept && lacking[b.at] == removed {
				gone = append(gone, b)
				total -= b.size
			}
		}
	}
	return s.rewriteJournal(ses, all, gone)
}

// dropMissing lets go of what the session's files lack.
func (s *Store) dropMissing(_ context.Context, ses *session) ([]journaled, error) {
	if err := s.refresh(ses); err != nil {
		return nil, err
	}
	all, err := s.readJournal(ses)
	if err != nil || len(all.missing) == 0 {
		return nil, err
	}
	return all.missing, s.rewriteJournal(ses, all, all.missing)
}

// acknowledged says whether a block was written to the session before. It may have been
// removed since.
func (s *Store) acknowledged(ses *session, id string) (bool, error) {
	if ses.taken(id) {
		return true, nil
	}
	missing, err := s.missing(ses)
	return slices.ContainsFunc(missing, func(m journaled) bool { return m.id == id }), err
}

// dropJournal removes the journal of a session that is deleted or archived.
func (s *Store) dropJournal(ses *session) error {
	ses.journal = journal{}
	return s.removeIfThere(journalFile(ses.name))
}

// ExpireRemoved lets go of what was removed from sessions and not decided about for
// removedKept, also where nothing is written to them any more. To know the time, it notes
// what was removed since the journal was written last.
func (s *Store) ExpireRemoved(ctx context.Context) error {
	names, err := s.readJournals()
	if err != nil || len(names) == 0 {
		return err
	}
	all, err := s.entries()
	if err != nil {
		return err
	}
	files := map[string][]string{}
	for _, e := range all {
		files[e.Session] = append(files[e.Session], e.file)
	}
	var errs []error
	for _, n := range names {
		name := strings.TrimSuffix(n, transcript.FileSuffix)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(files[name]) == 0 || transcript.CheckName(name) != nil || s.IsPrivate(name) || !s.mayLack(name, files[name]) {
			continue
		}
		if err := s.expireRemoved(ctx, s.session(name)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Store) expireRemoved(ctx context.Context, ses *session) error {
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.refresh(ses); err != nil {
		return err
	}
	ses.journal.whole = false // whoever writes next looks at it again
	return s.catchUp(ses)
}

// mayLack says cheaply whether something may be missing from a session's files: one was
// changed since the journal was, or the journal notes it.
func (s *Store) mayLack(name string, files []string) bool {
	journal, err := s.root.Stat(journalFile(name))
	if err != nil {
		return false
	}
	for _, f := range files {
		if fi, err := s.root.Stat(f); err == nil && fi.ModTime().After(journal.ModTime()) {
			return true
		}
	}
	data, err := s.readRegular(journalFile(name))
	return err == nil && bytes.Contains(data, []byte("note="+noteRemoved))
}

// readJournals gives the names of the journals.
func (s *Store) readJournals() ([]string, error) {
	if s.root == nil {
		return nil, nil
	}
	names, err := s.readNames(journalDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, wholefile.Wrap("reading the journals", err)
}

// clearJournals removes the journals of sessions that have had no transcript for
// removedKept.
func (s *Store) clearJournals() error {
	names, err := s.readJournals()
	if err != nil || len(names) == 0 {
		return err
	}
	all, err := s.entries()
	if err != nil {
		return err
	}
	live := map[string]bool{}
	for _, e := range all {
		if !inArchive(e.file) {
			live[e.Session+transcript.FileSuffix] = true
		}
	}
	for _, n := range names {
		file := journalDir + "/" + n
		if fi, err := s.root.Lstat(file); live[n] || err != nil || time.Since(fi.ModTime()) < removedKept {
			continue
		}
		if err := s.removeIfThere(file); err != nil {
			return wholefile.Explain("removing a journal", err)
		}
	}
	return nil
}
