package session

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/transcript"
)

const (
	// saveAgain is how long to wait before trying again to save.
	saveAgain = 3 * time.Second

	// unsavedLimit is how many bytes of a session are kept in memory while the disk refuses
	// them; beyond it an append is an error.
	unsavedLimit = 64 << 20
)

// Refused reports the last blocks of a session that exist only in this process's memory,
// because the disk refuses them.
type Refused struct {
	Session  string
	Blocks   int // 0: all of them are on disk again
	Messages int // among them
	Since    time.Time
	Err      error // the last error of the disk
	Rescued  bool  // another folder holds a copy, and a later start writes it where it belongs
}

// unsaved holds the blocks of a session that wait for the disk. They are stacked above the
// file's blocks in the index and the fold, and taken off whenever the file is read.
type unsaved struct {
	blocks []transcript.Block
	bytes  int
	since  time.Time
	err    error

	rescued bool // they are in the rescue folder too

	base  *branch.Fold // of the file's blocks, while these are above it; nil: they aren't
	first uint32       // number in the index of the first of them
}

// contains reports whether a block waits for the disk.
func (u *unsaved) contains(id string) bool {
	return slices.ContainsFunc(u.blocks, func(b transcript.Block) bool { return b.ID == id })
}

func (u *unsaved) refused(session string) Refused {
	r := Refused{Session: session, Blocks: len(u.blocks), Since: u.since, Err: u.err, Rescued: u.rescued}
	for _, b := range u.blocks {
		if b.IsMessage() {
			r.Messages++
		}
	}
	return r
}

// appendTo adds the waiting blocks to a transcript; t is nil if there is no file yet.
func (u *unsaved) appendTo(session string, t *transcript.Transcript) *transcript.Transcript {
	if len(u.blocks) == 0 {
		return t
	}
	if t == nil {
		_, info := newFile(session, u.blocks)
		t = &transcript.Transcript{Info: info}
	}
	for _, b := range u.blocks {
		t.Blocks = append(t.Blocks, b)
		if b.IsMessage() {
			t.Info.Messages++
		}
		t.Info.Active = b.Time
	}
	return t
}

// stackUnsaved puts the unsaved blocks above those of the file.
func (s *state) stackUnsaved() {
	u := &s.unsaved
	if u.base != nil || len(u.blocks) == 0 {
		return
	}
	base := s.fold.Clone()
	u.base, u.first = &base, uint32(s.index.Len()) //nolint:gosec // see branch.Index.Add
	at := s.end()
	for _, b := range u.blocks {
		s.follow(b, b.Checksum(), at, 0)
		at += int64(len(b.Text))
	}
}

// unstackUnsaved takes them off.
func (s *state) unstackUnsaved() {
	u := &s.unsaved
	if u.base == nil {
		return
	}
	s.index.Truncate(u.first)
	s.fold, u.base = *u.base, nil
}

// setUnsaved sets which blocks wait for the disk.
func (s *state) setUnsaved(blocks []transcript.Block) {
	s.unstackUnsaved()
	u := &s.unsaved
	u.blocks, u.bytes = blocks, 0
	for _, b := range blocks {
		u.bytes += len(b.Text) + len(b.Context) + len(b.Task)
	}
	s.stackUnsaved()
}

// isRefusal reports whether an error comes from the disk, or from something else that holds
// the files: it may be gone the next time.
func isRefusal(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &path) || errors.As(err, &number)
}

// keepUnsaved keeps blocks that could not be written, if the folder is set up to. The caller
// holds s.mu.
func (s *state) keepUnsaved(blocks []transcript.Block, cause error) ([]transcript.Block, error) {
	if s.onRefused == nil || s.private.Load() || !isRefusal(cause) || s.unsaved.bytes > unsavedLimit {
		return nil, cause
	}
	now := time.Now()
	out, fresh, err := s.completeAll(blocks, now)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	if len(s.unsaved.blocks) == 0 {
		s.unsaved.since = now
		s.logger.Warn("blocks are kept in memory until the disk takes them", "session", s.name, "err", cause)
	}
	s.unsaved.err = cause
	s.setUnsaved(slices.Concat(s.unsaved.blocks, fresh))
	s.writeRescue()
	s.notifyUnsaved()
	s.wakeRetry()
	return out, nil
}

func (s *state) wakeRetry() {
	select {
	case s.retry <- struct{}{}:
	default:
	}
}

// notifyUnsaved calls OnRefused with what waits for the disk. The caller holds s.mu.
func (s *state) notifyUnsaved() {
	if s.onRefused != nil {
		s.onRefused(s.unsaved.refused(s.name))
	}
}

// renumber gives new IDs to waiting blocks whose ID belongs to a half-written block that
// could not be removed from the file.
func (s *state) renumber(blocks []transcript.Block) error {
	for i := range blocks {
		n, taken := s.index.Find(s.index.Hash(blocks[i].ID))
		if !taken {
			continue
		}
		same, err := s.sameBlock(n, blocks[i])
		if err != nil {
			return err
		}
		if !same {
			blocks[i].ID = ""
		}
	}
	return nil
}

// stillWaiting returns the blocks that wait for the disk, without those that an earlier
// process wrote after all and the user has removed since.
func (s *state) stillWaiting() ([]transcript.Block, error) {
	waiting := s.unsaved.blocks
	if !errors.Is(s.unsaved.err, errRescued) || len(waiting) == 0 {
		return waiting, nil
	}
	s.setUnsaved(nil)
	defer func() { s.setUnsaved(waiting) }()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	removed, err := s.journal.Missing()
	if err != nil {
		return waiting, nil //nolint:nilerr // better written twice than lost
	}
	waiting = slices.DeleteFunc(slices.Clone(waiting), func(b transcript.Block) bool {
		return slices.ContainsFunc(removed, func(m journal.Block) bool { return m.ID == b.ID })
	})
	return waiting, nil
}
