package journal

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

// Added adds the last blocks written to the session's file; data is their text there.
func (j *Journal) Added(blocks int, data []byte) {
	if j.stat != nil && !j.whole && j.held == j.ownBlocks()-blocks {
		j.whole = !slices.ContainsFunc(j.missing, func(m Block) bool { return m.noted.IsZero() || time.Since(m.noted) > RemovedKept })
	}
	err := j.append(data)
	if err != nil && !j.failed {
		j.in.Logger.Warn("the journal of a session can't be written: a message that an editor's save drops now can't be restored", "session", j.name, "err", err)
	}
	j.whole, j.failed = err == nil, err != nil // the next block makes up for it: waiting could lose what a save drops meanwhile
}

// ownBlocks counts the blocks of the files that have an ID of their own.
func (j *Journal) ownBlocks() int {
	x := j.session.Index()
	end, _ := j.session.Stored()
	n := 0
	for i := range end {
		if !x.IsDerived(uint32(i)) { //nolint:gosec // see branch.Index.Add
			n++
		}
	}
	return n
}

// Add adds a block that is in none of the session's files, so it counts as missing.
func (j *Journal) Add(b transcript.Block) error {
	if err := j.CatchUp(); err != nil {
		return err
	}
	j.whole = true
	err := j.append(transcript.AppendBlock(nil, b))
	j.stat = nil
	return err
}

// CatchUp brings the journal up to date with the session's files, and drops what was removed
// from them more than RemovedKept ago.
func (j *Journal) CatchUp() error {
	j.whole = false
	return j.catchUp()
}

func (j *Journal) append(data []byte) error {
	if j.stat == nil || !j.whole {
		return j.catchUp()
	}
	f, err := j.in.Dir.OpenFile(j.file, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return j.catchUp()
	}
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return err
	}
	if known := j.stat; !before.Mode().IsRegular() || before.Size() != known.Size() || !os.SameFile(before, known) {
		_ = f.Close() // nothing was written
		return j.catchUp()
	}
	if err := j.extend(f, before.Size(), data); err != nil {
		return err
	}
	if j.stat, err = f.Stat(); err != nil {
		return err
	}
	j.in.Sieve.Grew(j.file, before, j.stat)
	if j.stat.Size() <= maxBytes {
		return nil
	}
	return j.shorten()
}

// extend appends to an open journal, all or nothing.
func (j *Journal) extend(f *os.File, size int64, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, j.in.Dir.Truncate(f, j.file, size))
	}
	return nil
}

// catchUp brings the journal up to date with the session's files, which it may never have seen,
// and notes what they lack.
func (j *Journal) catchUp() error {
	all, err := j.read()
	if errors.Is(err, fs.ErrNotExist) {
		all, err = contents{ids: map[uint64]struct{}{}}, j.in.Dir.MkdirAll(transcript.JournalDir, 0o700)
	}
	if err != nil {
		return err
	}
	old := func(m Block) bool { return !m.noted.IsZero() && time.Since(m.noted) > RemovedKept }
	if slices.ContainsFunc(all.missing, old) {
		gone := slices.DeleteFunc(slices.Clone(all.missing), func(m Block) bool { return !old(m) })
		if err := j.rewrite(all, gone); err != nil {
			return err
		}
		if all, err = j.read(); err != nil {
			return err
		}
	}
	if err := j.write(all); err != nil {
		return err
	}
	j.missing = all.missing
	if j.stat.Size() > maxBytes {
		return j.shorten()
	}
	return nil
}

// write appends what the journal, as just read, lacks, or creates it.
func (j *Journal) write(all contents) error {
	f, err := j.in.Dir.OpenFile(j.file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = transcript.ErrNotFile
	}
	if err == nil && all.stat != nil && all.end < fi.Size() {
		err = j.in.Dir.Truncate(f, j.file, all.end)
	}
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if all.end == 0 {
		_, err = w.WriteString(front(j.name))
	}
	if err == nil {
		err = j.writeLacking(all, w)
	}
	if err == nil {
		_, err = w.Write(removalNote(all.missing))
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		return errors.Join(err, j.in.Dir.Truncate(f, j.file, min(all.end, fi.Size())))
	}
	j.stat, err = f.Stat()
	return err
}

func front(name string) string {
	return transcript.Fence + "\nformat: " + transcript.FormatName + "\nsession: " + name + "\n" + transcript.Fence + "\n"
}

// writeLacking writes the blocks of the session's files that its journal lacks, the newest
// keptBytes of them: all since the journal's beginning, or all there are.
func (j *Journal) writeLacking(all contents, w io.Writer) error {
	x := j.session.Index()
	stored, end := j.session.Stored()
	from := 0
	for _, b := range all.blocks {
		if n, ok := x.Find(x.Hash(b.ID)); ok {
			from = int(n)
			break
		}
	}
	var wanted []uint32
	total := int64(0)
	for i := stored - 1; i >= from; i-- {
		n := uint32(i) //nolint:gosec // see branch.Index.Add
		if _, there := all.ids[x.ID(n)]; there || x.IsDerived(n) {
			continue
		}
		if total += x.End(n, end) - x.Offset(n); total > keptBytes {
			break
		}
		wanted = append(wanted, n)
	}
	slices.Reverse(wanted)
	return j.session.Read(wanted, func(b transcript.Block) error {
		_, err := w.Write(transcript.AppendBlock(nil, b))
		return err
	})
}

// removalNote returns a Note with the blocks found missing now.
func removalNote(missing []Block) []byte {
	var ids []string
	now := time.Now()
	for i, m := range missing {
		if m.noted.IsZero() && len(strings.Fields(m.ID)) == 1 {
			ids = append(ids, m.ID)
			missing[i].noted = now
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return appendNote(nil, now, ids)
}

// appendNote appends a Note that these blocks were found missing at that time.
func appendNote(data []byte, at time.Time, ids []string) []byte {
	note := transcript.Block{ID: transcript.RandomID(8), Kind: transcript.KindNote, Time: at, Note: transcript.NoteRemoved, Text: strings.Join(ids, "\n")}
	return transcript.AppendBlock(data, note.Normalized())
}

// rewrite rewrites the journal without some of its blocks.
func (j *Journal) rewrite(all contents, without []Block) error {
	data, err := j.in.Dir.ReadRegular(j.file)
	if err != nil {
		return wholefile.Explain("reading a journal", err)
	}
	gone := make(map[int64]bool, len(without))
	for _, m := range without {
		gone[m.at] = true
	}
	noted := slices.DeleteFunc(slices.Clone(all.missing), func(m Block) bool { return gone[m.at] })
	kept := []byte(front(j.name))
	for _, b := range all.blocks {
		if !gone[b.at] && b.at+b.size <= int64(len(data)) {
			kept = append(append(kept, '\n'), bytes.TrimRight(data[b.at:b.at+b.size], "\n")...)
			kept = append(kept, '\n')
		}
	}
	times := map[time.Time][]string{}
	for _, m := range noted {
		if !m.noted.IsZero() {
			times[m.noted] = append(times[m.noted], m.ID)
		}
	}
	for at, ids := range times {
		kept = appendNote(kept, at, ids)
	}
	j.reset()
	return wholefile.Wrap("writing a journal", j.in.Dir.WriteAtomic(j.file, kept, true))
}

// shorten removes the oldest blocks from a journal that has grown too large: first those that
// are in the session.
func (j *Journal) shorten() error {
	all, err := j.read()
	if err != nil {
		return err
	}
	lacking := make(map[int64]bool, len(all.missing))
	for _, m := range all.missing {
		lacking[m.at] = true
	}
	total := all.end
	var gone []Block
	for _, removed := range []bool{false, true} {
		for _, b := range all.blocks {
			if total > keptBytes && lacking[b.at] == removed {
				gone = append(gone, b)
				total -= b.size
			}
		}
	}
	return j.rewrite(all, gone)
}
