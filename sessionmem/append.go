package sessionmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Append writes b at the end of the session (which is created by its first
// block): one write, one fsync, under the session's lock. It returns b with its
// ID and Time. After an error nothing of b is in the file. A block whose ID is
// there already with the same content is not written a second time; with other
// content it is an error.
func (s *Store) Append(ctx context.Context, name string, b transcript.Block) (transcript.Block, error) {
	out, err := s.appendAll(ctx, name, b)
	if err != nil {
		return transcript.Block{}, fmt.Errorf("writing to %s: %w", name, err)
	}
	return out[0], nil
}

// AppendAll is Append for several blocks: all of them in one write, or none.
func (s *Store) AppendAll(ctx context.Context, name string, blocks ...transcript.Block) ([]transcript.Block, error) {
	out, err := s.appendAll(ctx, name, blocks...)
	if err != nil {
		return nil, fmt.Errorf("writing to %s: %w", name, err)
	}
	return out, nil
}

// appendAll appends blocks in one write: all of them or none.
func (s *Store) appendAll(ctx context.Context, name string, blocks ...transcript.Block) ([]transcript.Block, error) {
	return s.appendIf(ctx, name, nil, blocks...)
}

// appendIf appends blocks where, under the session's lock, its state allows it
// (nil: it does); else it gives none.
func (s *Store) appendIf(ctx context.Context, name string, may func(*fold) bool, blocks ...transcript.Block) ([]transcript.Block, error) {
	if err := transcript.CheckName(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ses := s.session(name)
	return outsideSaves(ctx, savePatience, func(anyway bool) ([]transcript.Block, error) {
		return s.appendOnce(ctx, ses, anyway, may, blocks)
	})
}

// outsideSaves writes to a session: again and again while write gives errMidSave, and
// anyway once patience is over. No lock is held in between.
func outsideSaves[T any](ctx context.Context, patience time.Duration, write func(anyway bool) (T, error)) (T, error) {
	for begun := time.Now(); ; {
		anyway := time.Since(begun) > patience
		out, err := write(anyway)
		if anyway || !errors.Is(err, errMidSave) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(saveLook):
		}
	}
}

// appendOnce is appendIf that gives errMidSave where it has to wait, unless it is anyway.
func (s *Store) appendOnce(ctx context.Context, ses *session, anyway bool, may func(*fold) bool, blocks []transcript.Block) ([]transcript.Block, error) {
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		if may != nil {
			return nil, err
		}
		return s.keepUnlocked(ses, blocks, err)
	}
	defer unlock()
	ses.anyway = anyway
	if ses.private.Load() {
		if may != nil && !may(&ses.fold) {
			return nil, nil
		}
		return s.appendMemory(ses, blocks)
	}
	if may != nil {
		if err := s.refreshToWrite(ctx, ses); err != nil || !may(&ses.fold) {
			return nil, err
		}
	}
	out, err := s.appendFile(ctx, ses, blocks)
	if err != nil && (anyway || !errors.Is(err, errMidSave)) {
		return s.keepUnsaved(ses, blocks, err)
	}
	return out, err
}

// errReplaced: the file was replaced between looking at it and writing to it.
var errReplaced = errors.New("another program keeps replacing it; try again")

// appendTries is how often an append is made anew because an editor saved in its
// midst.
const appendTries = 5

// appendFile appends to the session's file, behind what waits for the disk: all of
// it or nothing. An editor that renames its copy over the file while it is being
// written to leaves the blocks in a file without a name: so the name is looked at
// again, and they are written to what it means now.
func (s *Store) appendFile(ctx context.Context, ses *session, blocks []transcript.Block) ([]transcript.Block, error) {
	waiting, err := s.stillWaiting(ses)
	if err != nil {
		return nil, err
	}
	out, err := s.appendTo(ctx, ses, len(waiting), slices.Concat(waiting, blocks))
	if err != nil {
		ses.setUnsaved(waiting)
		return nil, err
	}
	if len(waiting) > 0 {
		s.logger.Info("what waited for the disk is written", "session", ses.name, "blocks", len(waiting))
		ses.unsaved = unsaved{}
		s.writeRescue(ses)
		s.tellUnsaved(ses)
	}
	return out[len(waiting):], nil
}

// appendTo appends blocks, the first of which have waited for the disk.
func (s *Store) appendTo(ctx context.Context, ses *session, waiting int, blocks []transcript.Block) ([]transcript.Block, error) {
	for try := 1; ; try++ {
		if err := s.refreshToWrite(ctx, ses); err != nil {
			return nil, err
		}
		if s.midSave(ses) {
			return nil, fmt.Errorf("writing to %s: %w", ses.name, errMidSave)
		}
		ses.setUnsaved(nil)
		if err := s.renumber(ses, blocks[:waiting]); err != nil {
			return nil, err
		}
		out, err := s.write(ses, blocks)
		switch {
		case err == nil && s.isCurrent(ses):
			return out, nil
		case err == nil:
			blocks, err = out, fmt.Errorf("writing %s: %w", ses.file, errReplaced)
		case !errors.Is(err, errReplaced):
			return nil, err
		}
		if try == appendTries {
			return nil, err
		}
	}
}

// isCurrent says whether the session's file is still the one that was written to.
func (s *Store) isCurrent(ses *session) bool {
	if ses.stat == nil {
		return true // it could not be asked for: the next refresh reads the file whole
	}
	fi, err := s.root.Stat(ses.file)
	return err == nil && os.SameFile(ses.stat, fi)
}

// appendMemory appends to an in-memory session.
func (s *Store) appendMemory(ses *session, blocks []transcript.Block) ([]transcript.Block, error) {
	out, fresh, err := s.completeAll(ses, blocks, time.Now())
	if err != nil {
		return nil, err
	}
	for _, b := range fresh {
		ses.mem = append(ses.mem, b)
		ses.follow(b, b.Words(), ses.size, 0)
		ses.size += int64(len(b.Text)) // as if it were a file
	}
	return out, nil
}

// completeAll completes blocks and tells which of them are not there yet.
func (s *Store) completeAll(ses *session, blocks []transcript.Block, now time.Time) (all, fresh []transcript.Block, err error) {
	for _, b := range blocks {
		b = s.guard(ses, ses.complete(b, now), b.ID == "")
		all = append(all, b)
		n, taken := ses.index.find(ses.index.hash(b.ID))
		if !taken {
			fresh = append(fresh, b)
			continue
		}
		if same, err := s.sameBlock(ses, n, b); err != nil {
			return nil, nil, err
		} else if !same {
			return nil, nil, fmt.Errorf("the id %s is taken by another block of the session; leave it empty to get a new one", b.ID)
		}
	}
	return all, fresh, nil
}

// awaitFile gives files that are known and gone a moment to come back: it may be
// an editor's save between its two steps.
func (s *Store) awaitFile(ctx context.Context, ses *session) error {
	for try := 0; ses.file != "" && try < 10; try++ {
		if s.inPlace(ses) || s.allLocated(ses) {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// refreshToWrite brings the session up to date and says why it can't be written to.
func (s *Store) refreshToWrite(ctx context.Context, ses *session) error {
	if err := s.awaitFile(ctx, ses); err != nil {
		return err
	}
	if err := s.refresh(ses); err != nil {
		return err
	}
	if converted, err := s.toUTF8(ses); err != nil {
		return err
	} else if converted {
		if err := s.refresh(ses); err != nil {
			return err
		}
	}
	if ses.readOnly {
		return fmt.Errorf("%w: %s has a newer format than this version writes; update mac-stats, or start a new session", ErrReadOnly, ses.file)
	}
	if slices.ContainsFunc(ses.transcripts(), inArchive) {
		return s.bringBack(ses)
	}
	return nil
}

// toUTF8 writes a file that an editor saved in another encoding anew: what is appended is
// UTF-8.
func (s *Store) toUTF8(ses *session) (converted bool, err error) {
	if ses.file == "" || ses.size == 0 {
		return false, nil
	}
	f, err := s.root.Open(ses.file)
	if err != nil {
		return false, wholefile.Explain("reading "+ses.file, err)
	}
	defer f.Close()
	was, err := f.Stat()
	if err != nil {
		return false, wholefile.Explain("reading "+ses.file, err)
	}
	head := make([]byte, 64)
	n, _ := f.ReadAt(head, 0) // what is wrong with it was told before
	if text, _ := wholefile.Decode(head[:n]); bytes.Equal(text, head[:n]) {
		return false, nil
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, 0, was.Size()))
	if err != nil {
		return false, wholefile.Explain("reading "+ses.file, err)
	}
	text, _ := wholefile.Decode(raw)
	if bytes.Equal(text, raw) {
		return false, nil
	}
	if err := s.replaceWith(ses.file, was, text); err != nil {
		return false, err
	}
	s.logger.Info("a transcript was saved in another encoding and is UTF-8 again", "file", ses.file)
	return true, nil
}

// How long a file that lacks blocks has to be left alone before it is written to: an
// editor that writes in place may be in the midst of it. What it leaves empty, or within
// a line, it has to leave for longer.
const (
	saveTakes     = time.Second
	halfSaveTakes = 3 * saveTakes
	savePatience  = 15 * saveTakes
	saveLook      = 50 * time.Millisecond
)

// errMidSave: another program seems to be saving the file just now.
var errMidSave = errors.New("another program is saving it; try again")

// midSave says whether the file looks as if a save were in progress. The caller has
// brought the session up to date.
func (s *Store) midSave(ses *session) bool {
	if ses.file == "" {
		return s.comesBack(ses)
	}
	if ses.journal.whole || s.trustSaves || ses.anyway || ses.stat == nil {
		return false // mostly: nothing but what joined the file
	}
	takes := saveTakes
	if len(ses.tail) == 0 || ses.tail[len(ses.tail)-1] != '\n' {
		takes = halfSaveTakes
	}
	if age := time.Since(ses.stat.ModTime()); age < 0 || age >= takes {
		return false
	}
	missing, err := s.missing(ses)
	return err == nil && len(missing) > 0
}

// comesBack says whether a session without a file may have one again in a moment: it has
// a journal, and something was just done in the folder. An editor that moves the file away
// before it writes it anew leaves it so; a file that is begun meanwhile would be a second one.
func (s *Store) comesBack(ses *session) bool {
	if s.trustSaves || ses.anyway || !s.isThere(journalFile(ses.name)) {
		return false
	}
	fi, err := s.root.Stat(".")
	if err != nil {
		return false
	}
	age := time.Since(fi.ModTime())
	return age >= 0 && age < halfSaveTakes
}

// complete gives a block what Append promises: normalized, with time and ID.
func (ses *session) complete(b transcript.Block, now time.Time) transcript.Block {
	if b.Time.IsZero() {
		b.Time = now
	}
	if b.ID == "" {
		for b.ID = transcript.RandomID(8); ses.taken(b.ID); {
			b.ID = transcript.RandomID(8)
		}
	}
	return b.Normalized()
}

// write completes the blocks and puts them at the end of the file, after those of
// this turn that an editor's save dropped.
func (s *Store) write(ses *session, blocks []transcript.Block) ([]transcript.Block, error) {
	now := time.Now()
	out, fresh, err := s.completeAll(ses, blocks, now)
	if err != nil {
		return nil, err
	}
	inTurn, rewrote := slices.Clone(ses.inTurn), ses.rewrote
	lost := ses.droppedInTurn()
	if len(lost) > 0 {
		s.logger.Warn("an editor's save dropped blocks, they are appended again", "session", ses.name, "blocks", len(lost))
		note := ses.complete(transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRestored, Text: restoredText(len(lost))}, now)
		again := func(b transcript.Block) bool {
			return slices.ContainsFunc(lost, func(l transcript.Block) bool { return l.ID == b.ID })
		}
		for i := range lost {
			lost[i] = s.guard(ses, lost[i], false)
		}
		fresh = slices.Concat(lost, []transcript.Block{note}, slices.DeleteFunc(fresh, again))
	}
	if len(fresh) == 0 {
		return out, nil
	}
	offsets, text, err := s.writeOut(ses, fresh)
	if err != nil {
		ses.inTurn, ses.rewrote = inTurn, rewrote
		return nil, err
	}
	for i, b := range fresh {
		n := ses.follow(b, b.Words(), offsets[i], 0)
		ses.texts.put(n, b, int(ses.index.end(n, offsets[len(fresh)])-offsets[i]))
		if i >= len(lost) {
			ses.remember(b, now)
		}
	}
	s.addToJournal(ses, len(fresh)-len(lost), text[offsets[len(lost)]-offsets[0]:])
	return out, nil
}

func restoredText(n int) string {
	if n == 1 {
		return "The block above was written after an editor had read this file, and its save dropped it. It stands here again."
	}
	return fmt.Sprintf("The %d blocks above were written after an editor had read this file, and its save dropped them. They stand here again.", n)
}

// writeOut renders the blocks and writes them with one write and one fsync. It
// gives where each begins in the session's files, and where the last ends, and how they
// stand there.
func (s *Store) writeOut(ses *session, blocks []transcript.Block) ([]int64, []byte, error) {
	var data []byte
	created, back := ses.file == "", func() {}
	if created {
		ses.file, _ = newFile(ses.name, blocks)
		back = func() { ses.file = "" }
	} else if s.isFull(ses) {
		created, back = true, ses.nextPart()
	}
	switch {
	case created, ses.size == 0: // a crash may have left an empty file
		ses.bare = false
		data = s.beginning(ses, ses.number(), blocks)
	case len(ses.tail) > 0 && ses.tail[len(ses.tail)-1] != '\n':
		data = append(data, '\n') // the file ends within a line: a crash, or an editor
	}
	from := len(data)
	offsets := make([]int64, 0, len(blocks)+1)
	for _, b := range blocks {
		offsets = append(offsets, ses.base+ses.size+int64(len(data))+1) // behind the blank line
		data = transcript.AppendBlock(data, b)
	}
	offsets = append(offsets, ses.base+ses.size+int64(len(data)))
	if err := s.writeData(ses, ses.file, created, data); err != nil {
		back()
		return nil, nil, err
	}
	return offsets, data[from:], nil
}

// newFile gives the name and the front matter's fields of a session that begins
// with these blocks.
func newFile(name string, blocks []transcript.Block) (string, transcript.Info) {
	info := transcript.Info{Name: name, Started: blocks[0].Time}
	info.Source, _ = transcript.SplitName(name)
	topic := "chat"
	for _, b := range blocks {
		if b.Kind == transcript.KindUser {
			info.Title, topic = transcript.TitleOf(transcript.TitleText(b.Text)), transcript.TopicOf(transcript.TitleText(b.Text))
			break
		}
	}
	return transcript.FileName(name, info.Started, topic), info
}

// writeData appends data to the file, all of it or nothing.
func (s *Store) writeData(ses *session, file string, created bool, data []byte) error {
	flags := os.O_RDWR | os.O_APPEND
	if created {
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err := s.root.OpenFile(file, flags, 0o600)
	if err != nil {
		return wholefile.Explain("opening "+file, err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return wholefile.Explain("opening "+file, err)
	}
	if !created && (before.Size() != ses.size || !os.SameFile(before, ses.stat)) {
		return fmt.Errorf("writing %s: %w", file, errReplaced) // the next refresh sees what else it is now
	}
	if s.opened != nil {
		s.opened()
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return s.takeBack(ses, f, file, created, before.Size(), err)
	}
	if created {
		if err := wholefile.SyncFolder(s.dir); err != nil {
			s.logger.Warn("the session folder could not be synced: after a power cut the new file may be missing", "file", file, "err", err)
		}
	}
	after, err := f.Stat()
	if err != nil || after.Size() != before.Size()+int64(len(data)) {
		ses.stat = nil // written: only what is known of the file is lost
		return nil     //nolint:nilerr // see above
	}
	s.siftedOn(file, before, after)
	ses.tail = append(ses.tail, data...)
	ses.tail = append([]byte(nil), ses.tail[max(0, len(ses.tail)-fingerprintLen):]...)
	ses.stat, ses.size = after, after.Size()
	return nil
}

// takeBack makes a failed write undone, so that no half of a block stays.
func (s *Store) takeBack(ses *session, f *os.File, file string, created bool, size int64, cause error) error {
	ses.stat = nil
	if terr := s.truncate(f, file, size); terr != nil {
		return wholefile.Explain("writing "+file, errors.Join(cause, fmt.Errorf("taking back a part of it: %w", terr)))
	}
	if created {
		if rerr := s.root.Remove(file); rerr != nil {
			return wholefile.Explain("writing "+file, errors.Join(cause, fmt.Errorf("removing the empty file: %w", rerr)))
		}
	}
	return wholefile.Explain("writing "+file, cause)
}

// truncate cuts an open file back. Some systems don't let a file that is open
// for appending be cut: it is opened once more for that.
func (s *Store) truncate(f *os.File, file string, size int64) error {
	if f.Truncate(size) == nil {
		return nil
	}
	again, err := s.root.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(again.Truncate(size), again.Close())
}
