package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/transcript"
)

const (
	// saveAgain is how often what could not be saved is tried again.
	saveAgain = 3 * time.Second

	// unsavedLimit is how many bytes of a session are kept in memory for want of a
	// disk; beyond it an append is an error.
	unsavedLimit = 64 << 20
)

// Refused says that the last blocks of a session are in this process's memory
// alone, because the disk refuses them.
type Refused struct {
	Session  string
	Blocks   int // 0: all of them are on disk now
	Messages int // among them
	Since    time.Time
	Err      error // what the disk said last
	Rescued  bool  // a copy is kept elsewhere, and is written where it belongs by a later start
}

// unsaved are the blocks of a session that wait for the disk. In the index and the
// fold they stand above those of the file, and are taken off for every look at it.
type unsaved struct {
	blocks []transcript.Block
	bytes  int
	since  time.Time
	err    error

	rescued bool // they stand in the rescue folder too

	base  *branch.Fold // of the file's blocks, while these stand above it; nil: they don't
	first uint32       // number in the index of the first of these
}

// lay puts the unsaved blocks above those of the file.
func (ses *session) lay() {
	u := &ses.unsaved
	if u.base != nil || len(u.blocks) == 0 {
		return
	}
	base := ses.fold.Clone()
	u.base, u.first = &base, uint32(ses.index.Len()) //nolint:gosec // see branch.Index.Add
	at := ses.end()
	for _, b := range u.blocks {
		ses.follow(b, b.Words(), at, 0)
		at += int64(len(b.Text))
	}
}

// lift takes them off.
func (ses *session) lift() {
	u := &ses.unsaved
	if u.base == nil {
		return
	}
	ses.index.Truncate(u.first)
	ses.fold, u.base = *u.base, nil
}

// setUnsaved changes which blocks wait for the disk.
func (ses *session) setUnsaved(blocks []transcript.Block) {
	ses.lift()
	u := &ses.unsaved
	u.blocks, u.bytes = blocks, 0
	for _, b := range blocks {
		u.bytes += len(b.Text) + len(b.Context) + len(b.Task)
	}
	ses.lay()
}

// waits says whether a block waits for the disk.
func (ses *session) waits(id string) bool {
	return slices.ContainsFunc(ses.unsaved.blocks, func(b transcript.Block) bool { return b.ID == id })
}

// isRefusal says whether an error is the disk's (or that of whatever else holds the
// files): it may be gone the next time.
func isRefusal(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &path) || errors.As(err, &number)
}

// keepUnsaved keeps blocks that could not be written, where the store is to keep
// them. The caller holds ses.mu.
func (s *Store) keepUnsaved(ses *session, blocks []transcript.Block, cause error) ([]transcript.Block, error) {
	if s.onRefused == nil || ses.private.Load() || !isRefusal(cause) || ses.unsaved.bytes > unsavedLimit {
		return nil, cause
	}
	now := time.Now()
	out, fresh, err := s.completeAll(ses, blocks, now)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	if len(ses.unsaved.blocks) == 0 {
		ses.unsaved.since = now
		s.logger.Warn("blocks are kept in memory until the disk takes them", "session", ses.name, "err", cause)
	}
	ses.unsaved.err = cause
	ses.setUnsaved(slices.Concat(ses.unsaved.blocks, fresh))
	s.writeRescue(ses)
	s.tellUnsaved(ses)
	s.wakeRetry()
	return out, nil
}

func (s *Store) wakeRetry() {
	select {
	case s.retry <- struct{}{}:
	default:
	}
}

// keepUnlocked is keepUnsaved where the session's lock could not even be taken.
func (s *Store) keepUnlocked(ses *session, blocks []transcript.Block, cause error) ([]transcript.Block, error) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return s.keepUnsaved(ses, blocks, cause)
}

// tellUnsaved tells what waits for the disk now. The caller holds ses.mu.
func (s *Store) tellUnsaved(ses *session) {
	if s.onRefused != nil {
		s.onRefused(ses.unsavedNow())
	}
}

func (ses *session) unsavedNow() Refused {
	u := Refused{Session: ses.name, Blocks: len(ses.unsaved.blocks), Since: ses.unsaved.since, Err: ses.unsaved.err, Rescued: ses.unsaved.rescued}
	for _, b := range ses.unsaved.blocks {
		if b.IsMessage() {
			u.Messages++
		}
	}
	return u
}

// Refused gives the sessions whose last blocks wait for the disk.
func (s *Store) Refused() []Refused {
	var all []Refused
	for _, ses := range s.all() {
		ses.mu.Lock()
		if len(ses.unsaved.blocks) > 0 {
			all = append(all, ses.unsavedNow())
		}
		ses.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b Refused) int { return a.Since.Compare(b.Since) })
	return all
}

// all gives the sessions this process knows.
func (s *Store) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*session, 0, len(s.sessions))
	for _, ses := range s.sessions {
		out = append(out, ses)
	}
	return out
}

// Save tries once to write what waits for the disk, each session's blocks in their
// order and in one write. The error says what could not be written.
func (s *Store) Save(ctx context.Context) error {
	var errs []error
	for _, u := range s.Refused() {
		if err := s.save(ctx, s.session(u.Session)); err != nil {
			errs = append(errs, fmt.Errorf("writing to %s: %w", u.Session, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Store) save(ctx context.Context, ses *session) error {
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	ses.anyway = true // it waited already, and may be the last try
	_, err = s.appendFile(ctx, ses, nil)
	if err != nil && len(ses.unsaved.blocks) > 0 && isRefusal(err) {
		ses.unsaved.err = err
	}
	return err
}

// lastWait is how long Close waits for a session's lock to save what is left.
const lastWait = 2 * time.Second

// lastSave tries once more and says what is lost.
func (s *Store) lastSave() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastWait)
	defer cancel()
	if s.Save(ctx) == nil {
		return nil
	}
	var errs []error
	for _, u := range s.Refused() {
		what := "are lost"
		if u.Rescued {
			what = "wait in " + s.rescueFile(u.Session) + " for the next start"
		}
		errs = append(errs, fmt.Errorf("the last messages of %s (%d) could not be saved and %s: %w", u.Session, u.Messages, what, u.Err))
	}
	return errors.Join(errs...)
}

// KeepSaving writes what waits for the disk as soon as it takes it, until ctx ends.
// It does nothing while nothing waits.
func (s *Store) KeepSaving(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.retry:
		}
		for s.Save(ctx) != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(saveAgain):
			}
		}
	}
}

// renumber gives new ids to waiting blocks whose id a half block has that could not
// be taken back from the file.
func (s *Store) renumber(ses *session, blocks []transcript.Block) error {
	for i := range blocks {
		n, taken := ses.index.Find(ses.index.Hash(blocks[i].ID))
		if !taken {
			continue
		}
		same, err := s.sameBlock(ses, n, blocks[i])
		if err != nil {
			return err
		}
		if !same {
			blocks[i].ID = ""
		}
	}
	return nil
}

// stillWaiting gives the blocks that wait for the disk. Those that an earlier process
// could write after all, and that the user took out since, wait no more.
func (s *Store) stillWaiting(ses *session) ([]transcript.Block, error) {
	waiting := ses.unsaved.blocks
	if !errors.Is(ses.unsaved.err, errRescued) || len(waiting) == 0 {
		return waiting, nil
	}
	ses.setUnsaved(nil)
	defer func() { ses.setUnsaved(waiting) }()
	if err := s.refresh(ses); err != nil {
		return nil, err
	}
	removed, err := s.missing(ses)
	if err != nil {
		return waiting, nil //nolint:nilerr // rather twice than not at all
	}
	waiting = slices.DeleteFunc(slices.Clone(waiting), func(b transcript.Block) bool {
		return slices.ContainsFunc(removed, func(m journaled) bool { return m.id == b.ID })
	})
	return waiting, nil
}

// withUnsaved adds what waits for the disk to a transcript; t is nil where there is
// no file yet.
func (ses *session) withUnsaved(t *transcript.Transcript) *transcript.Transcript {
	if len(ses.unsaved.blocks) == 0 {
		return t
	}
	if t == nil {
		_, info := newFile(ses.name, ses.unsaved.blocks)
		t = &transcript.Transcript{Info: info}
	}
	for _, b := range ses.unsaved.blocks {
		t.Blocks = append(t.Blocks, b)
		if b.IsMessage() {
			t.Info.Messages++
		}
		t.Info.Active = b.Time
	}
	return t
}
