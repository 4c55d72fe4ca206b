package session

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// addToJournal adds the last blocks, so many, that were just written to the session's
// file; data is how they stand there.
func (s *state) addToJournal(blocks int, data []byte) {
	j := &s.journal
	if j.stat != nil && !j.whole && j.held == s.ownBlocks()-blocks {
		j.whole = !slices.ContainsFunc(j.missing, func(m journaled) bool { return m.noted.IsZero() || time.Since(m.noted) > removedKept })
	}
	err := s.appendJournal(data)
	if err != nil && !j.failed {
		s.logger.Warn("the journal of a session can't be written: a message that an editor's save drops now can't be restored", "session", s.name, "err", err)
	}
	j.whole, j.failed = err == nil, err != nil // the next block makes up for it: who waited could lose what a save drops meanwhile
}

// ownBlocks counts the blocks of the files that have an id of their own.
func (s *state) ownBlocks() int {
	end := s.index.Len()
	if s.unsaved.base != nil {
		end = int(s.unsaved.first)
	}
	n := 0
	for i := range end {
		if !s.index.IsDerived(uint32(i)) { //nolint:gosec // see branch.Index.Add
			n++
		}
	}
	return n
}

// beginJournal makes the journal of a session that came back without one.
func (s *state) beginJournal() {
	if err := s.refresh(); err != nil {
		s.logger.Debug("a session that came back has no journal before its next block", "session", s.name, "err", err)
		return
	}
	s.addToJournal(0, nil)
}

func (s *state) appendJournal(data []byte) error {
	if s.journal.stat == nil || !s.journal.whole {
		return s.catchUp()
	}
	f, err := s.dir.OpenFile(journalFile(s.name), os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return s.catchUp()
	}
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return err
	}
	if known := s.journal.stat; !before.Mode().IsRegular() || before.Size() != known.Size() || !os.SameFile(before, known) {
		_ = f.Close() // nothing was written
		return s.catchUp()
	}
	if err := s.extend(f, s.name, before.Size(), data); err != nil {
		return err
	}
	if s.journal.stat, err = f.Stat(); err != nil {
		return err
	}
	s.sieve.Grew(journalFile(s.name), before, s.journal.stat)
	if s.journal.stat.Size() <= journalMost {
		return nil
	}
	return s.shortenJournal()
}

// extend adds to an open journal, all of it or nothing.
func (s *state) extend(f *os.File, name string, size int64, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, s.truncate(f, journalFile(name), size))
	}
	return nil
}

// catchUp brings the journal up to the session's files, which it may never have seen,
// and notes what they lack.
func (s *state) catchUp() error {
	all, err := s.readJournal()
	if errors.Is(err, fs.ErrNotExist) {
		all, err = readout{ids: map[uint64]struct{}{}}, s.dir.MkdirAll(transcript.JournalDir, 0o700)
	}
	if err != nil {
		return err
	}
	old := func(m journaled) bool { return !m.noted.IsZero() && time.Since(m.noted) > removedKept }
	if slices.ContainsFunc(all.missing, old) {
		gone := slices.DeleteFunc(slices.Clone(all.missing), func(m journaled) bool { return !old(m) })
		if err := s.rewriteJournal(all, gone); err != nil {
			return err
		}
		if all, err = s.readJournal(); err != nil {
			return err
		}
	}
	if err := s.writeJournal(all); err != nil {
		return err
	}
	s.journal.missing = all.missing
	if s.journal.stat.Size() > journalMost {
		return s.shortenJournal()
	}
	return nil
}

// writeJournal adds what a journal lacks that was just read, or begins it.
func (s *state) writeJournal(all readout) error {
	file := journalFile(s.name)
	f, err := s.dir.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
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
		_, err = w.WriteString(journalFront(s.name))
	}
	if err == nil {
		err = s.writeUnjournaled(all, w)
	}
	if err == nil {
		_, err = w.Write(s.removalNote(all.missing))
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		return errors.Join(err, s.truncate(f, file, min(all.end, fi.Size())))
	}
	s.journal.stat, err = f.Stat()
	return err
}

func journalFront(name string) string {
	return transcript.Fence + "\nformat: " + transcript.FormatName + "\nsession: " + name + "\n" + transcript.Fence + "\n"
}

// writeUnjournaled writes the blocks of the session's files that are not in its journal,
// the newest journalKept bytes of them: all since the journal's beginning, or all there are.
func (s *state) writeUnjournaled(all readout, w io.Writer) error {
	x := &s.index
	end := x.Len()
	if s.unsaved.base != nil {
		end = int(s.unsaved.first)
	}
	from := 0
	for _, b := range all.blocks {
		if n, ok := x.Find(x.Hash(b.id)); ok {
			from = int(n)
			break
		}
	}
	var wanted []uint32
	total := int64(0)
	for i := end - 1; i >= from; i-- {
		n := uint32(i) //nolint:gosec // see branch.Index.Add
		if _, there := all.ids[x.ID(n)]; there || x.IsDerived(n) {
			continue
		}
		if total += x.End(n, s.end()) - x.Offset(n); total > journalKept {
			break
		}
		wanted = append(wanted, n)
	}
	r := s.source()
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
func (s *state) removalNote(missing []journaled) []byte {
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
	return transcript.AppendBlock(nil, s.complete(transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRemoved, Text: strings.Join(ids, "\n")}, now))
}

// rewriteJournal writes the journal anew without some of its blocks.
func (s *state) rewriteJournal(all readout, without []journaled) error {
	file := journalFile(s.name)
	data, err := s.dir.ReadRegular(file)
	if err != nil {
		return wholefile.Explain("reading a journal", err)
	}
	gone := make(map[int64]bool, len(without))
	for _, m := range without {
		gone[m.at] = true
	}
	noted := slices.DeleteFunc(slices.Clone(all.missing), func(m journaled) bool { return gone[m.at] })
	kept := []byte(journalFront(s.name))
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
		kept = transcript.AppendBlock(kept, s.complete(transcript.Block{Kind: transcript.KindNote, Time: at, Note: transcript.NoteRemoved, Text: strings.Join(ids, "\n")}, at))
	}
	s.journal = journal{}
	return wholefile.Wrap("writing a journal", s.dir.WriteAtomic(file, kept, true))
}

// shortenJournal takes the oldest blocks out of a journal that has grown too large:
// those that stand in the session first.
func (s *state) shortenJournal() error {
	all, err := s.readJournal()
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
	return s.rewriteJournal(all, gone)
}

// dropJournal removes the journal of a session that is deleted or archived.
func (s *state) dropJournal() error {
	s.journal = journal{}
	return s.dir.RemoveIfThere(journalFile(s.name))
}
