package session

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// write completes the blocks and puts them at the end of the file, after those of this turn
// that an editor's save dropped.
func (s *state) write(blocks []transcript.Block) ([]transcript.Block, error) {
	now := time.Now()
	out, fresh, err := s.completeAll(blocks, now)
	if err != nil {
		return nil, err
	}
	inTurn, rewrote := slices.Clone(s.inTurn), s.rewrote
	lost := s.droppedInTurn()
	if len(lost) > 0 {
		s.logger.Warn("an editor's save dropped blocks, they are appended again", "session", s.name, "blocks", len(lost))
		note := s.complete(transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRestored, Text: restoredText(len(lost))}, now)
		again := func(b transcript.Block) bool {
			return slices.ContainsFunc(lost, func(l transcript.Block) bool { return l.ID == b.ID })
		}
		for i := range lost {
			lost[i] = s.guard(lost[i], false)
		}
		fresh = slices.Concat(lost, []transcript.Block{note}, slices.DeleteFunc(fresh, again))
	}
	if len(fresh) == 0 {
		return out, nil
	}
	r := s.render(fresh)
	if err := s.writeData(s.file, r.created, r.data); err != nil {
		r.back()
		s.inTurn, s.rewrote = inTurn, rewrote
		return nil, err
	}
	for i, b := range fresh {
		n := s.follow(b, b.Checksum(), r.offsets[i], 0)
		s.texts.put(n, b, int(s.index.End(n, r.offsets[len(fresh)])-r.offsets[i]))
		if i >= len(lost) {
			s.remember(b, now)
		}
	}
	s.journal.Added(len(fresh)-len(lost), r.text[r.offsets[len(lost)]-r.offsets[0]:])
	return out, nil
}

func restoredText(n int) string {
	if n == 1 {
		return "The block above was written after an editor had read this file, and its save dropped it. It stands here again."
	}
	return fmt.Sprintf("The %d blocks above were written after an editor had read this file, and its save dropped them. They stand here again.", n)
}

// rendered holds what will be written.
type rendered struct {
	data    []byte
	text    []byte  // the blocks in data
	offsets []int64 // where each starts in the session's files, and where the last ends
	created bool    // the file is new
	back    func()  // undoes the choice of another file
}

// render returns the blocks as they will be in the file. It chooses another file if the
// session has none or it is full.
func (s *files) render(blocks []transcript.Block) rendered {
	r := rendered{created: s.file == "", back: func() {}, offsets: make([]int64, 0, len(blocks)+1)}
	if r.created {
		s.file, _ = newFile(s.name, blocks)
		r.back = func() { s.file = "" }
	} else if s.isFull() {
		r.created, r.back = true, s.nextPart()
	}
	switch {
	case r.created, s.size == 0: // a crash may have left an empty file
		s.bare = false
		r.data = s.beginning(s.number(), blocks)
	case len(s.tail) > 0 && s.tail[len(s.tail)-1] != '\n':
		r.data = append(r.data, '\n') // the file ends within a line: a crash, or an editor
	}
	from := len(r.data)
	for _, b := range blocks {
		r.offsets = append(r.offsets, s.base+s.size+int64(len(r.data))+1) // after the blank line
		r.data = transcript.AppendBlock(r.data, b)
	}
	r.offsets = append(r.offsets, s.base+s.size+int64(len(r.data)))
	r.text = r.data[from:]
	return r
}

// newFile returns the file name and the front matter of a session that starts with these
// blocks. What people said on Discord names nothing, because they may edit or delete it there.
func newFile(name string, blocks []transcript.Block) (string, transcript.Info) {
	info := transcript.Info{Name: name, Started: blocks[0].Time}
	info.Source, _ = transcript.SplitName(name)
	topic := "chat"
	for _, b := range blocks {
		if b.Kind == transcript.KindUser && !transcript.IsDiscord(name) {
			info.Title, topic = transcript.TitleOf(transcript.TitleText(b.Text)), transcript.TopicOf(transcript.TitleText(b.Text))
			break
		}
	}
	return transcript.FileName(name, info.Started, topic), info
}

// writeData appends data to the file, all or nothing.
func (s *files) writeData(file string, created bool, data []byte) error {
	flags := os.O_RDWR | os.O_APPEND
	if created {
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err := s.dir.OpenFile(file, flags, 0o600)
	if err != nil {
		return wholefile.Explain("opening "+file, err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return wholefile.Explain("opening "+file, err)
	}
	if !created && (before.Size() != s.size || !os.SameFile(before, s.stat)) {
		return fmt.Errorf("writing %s: %w", file, sessiondir.ErrReplaced) // the next refresh reads what it is now
	}
	if s.opened != nil {
		s.opened()
	}
	n, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return s.takeBack(f, file, created, before.Size(), data[:n], err)
	}
	if created {
		if err := wholefile.SyncFolder(s.dir.Path("")); err != nil {
			s.logger.Warn("the session folder could not be synced: after a power cut the new file may be missing", "file", file, "err", err)
		}
	}
	after, err := f.Stat()
	if err != nil || after.Size() != before.Size()+int64(len(data)) {
		s.stat = nil // the data is written; only what is known of the file is lost
		return nil   //nolint:nilerr // see above
	}
	s.sieve.Grew(file, before, after)
	s.tail = append(s.tail, data...)
	s.tail = append([]byte(nil), s.tail[max(0, len(s.tail)-fingerprintLen):]...)
	s.stat, s.size = after, after.Size()
	return nil
}

// takeBack undoes a failed write so that no half block stays. It cuts only what was written.
func (s *files) takeBack(f *os.File, file string, created bool, size int64, written []byte, cause error) error {
	s.stat = nil
	if terr := wholefile.TakeBack(f, size, written, func() error { return s.dir.Truncate(f, file, size) }); terr != nil {
		return wholefile.Explain("writing "+file, errors.Join(cause, fmt.Errorf("taking back a part of it: %w", terr)))
	}
	if created {
		if rerr := s.dir.Remove(file); rerr != nil {
			return wholefile.Explain("writing "+file, errors.Join(cause, fmt.Errorf("removing the empty file: %w", rerr)))
		}
	}
	return wholefile.Explain("writing "+file, cause)
}
