package session

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
)

// justNow is how long a session counts as in use after its last block, whatever the clock says.
const justNow = 30 * time.Minute

// Moves moves a session's files while nobody writes to them: to the archive, to the trash and
// back.
type Moves struct{ ses *Session }

// Moves returns a Moves for the session's files.
func (s *Session) Moves() Moves { return Moves{s} }

// lock takes the session's turn if it is free, and its lock.
func (s Moves) lock(ctx context.Context, who string) (release func(), err error) {
	turn, err := s.ses.TryTurn(ctx, who)
	if err != nil {
		return nil, err
	}
	unlock, err := s.ses.lock(ctx, false)
	if err != nil {
		turn.Unlock()
		return nil, err
	}
	return func() {
		unlock()
		turn.Unlock()
	}, nil
}

// Archive moves the files of a list entry of the session to archive/<YYYY-MM>/, by the month
// of its last block, if the session has been untouched for after and finished still reports
// true under its locks. It returns ErrBusy or sessiondir.ErrReplaced if the session stays.
func (s Moves) Archive(ctx context.Context, info transcript.Info, after time.Duration, finished func(transcript.Info) bool) error {
	release, err := s.lock(ctx, "archive")
	if err != nil {
		return err
	}
	defer release()
	if s.ses.last.isWithin(min(after, justNow), time.Now()) {
		return fmt.Errorf("%w: something was said in it just now, whatever the clock says", ErrBusy)
	}
	if len(s.ses.unsaved.blocks) > 0 {
		return fmt.Errorf("%w: its last blocks wait for the disk", ErrBusy)
	}
	parts, err := s.ses.catalog.OfInfo(info)
	if err != nil {
		return err
	}
	now := s.ses.catalog.Info(parts)
	if now.Err != nil || !finished(now) {
		return fmt.Errorf("%w: it changed meanwhile", sessiondir.ErrReplaced)
	}
	own := !now.ReadOnly && !now.Copy
	if own {
		if err := s.mayLeaveJournal(after); err != nil {
			return err
		}
	}
	known := slices.Contains(s.ses.transcripts(), parts[len(parts)-1].File)
	for _, e := range parts {
		if catalog.InArchive(e.File) {
			continue // it was moved before a crash
		}
		if err := s.ses.dir.Move(e.File, path.Join(catalog.ArchiveDir, now.Active.Format("2006-01"), e.File), s.ses.catalog.Open); err != nil {
			return err
		}
	}
	if known {
		s.ses.forgetFile()
	}
	if own {
		return s.ses.journal.Remove()
	}
	return nil
}

// mayLeaveJournal returns ErrBusy if a save removed something less than after ago and the
// user hasn't decided about it: until then the session doesn't count as untouched.
func (s Moves) mayLeaveJournal(after time.Duration) error {
	if !s.ses.journal.Exists() {
		return nil
	}
	if err := s.ses.refresh(); err != nil {
		return err
	}
	missing, err := s.ses.journal.Missing()
	if err != nil || len(missing) == 0 || s.ses.stat == nil || time.Since(s.ses.stat.ModTime()) >= after {
		return nil //nolint:nilerr // a journal that can't be read prevents nothing
	}
	return fmt.Errorf("%w: it is not decided what becomes of what a save removed", ErrBusy)
}

// Delete calls put for the session's files if still (it may be nil) returns no error under its
// locks. A session in memory is gone for good. A running turn returns ErrBusy.
func (s Moves) Delete(ctx context.Context, still func() error, put func(ctx context.Context, name string) error) error {
	if err := transcript.CheckName(s.ses.name); err != nil {
		return err
	}
	if err := s.ses.Exists(ctx); err != nil {
		return err
	}
	release, err := s.lock(ctx, "delete")
	if err != nil {
		return err
	}
	defer release()
	if still != nil {
		if err := still(); err != nil {
			return err
		}
	}
	if s.ses.private.Load() {
		s.ses.mem, s.ses.attached, s.ses.size = nil, nil, 0
		s.ses.forgetBlocks()
		return nil
	}
	if len(s.ses.unsaved.blocks) > 0 { // what is deleted can be brought back
		s.ses.ignoreSaves = true
		if _, err := s.ses.appendFile(ctx, nil); err != nil {
			return err
		}
	}
	if err := put(ctx, s.ses.name); err != nil {
		return err
	}
	s.ses.forgetFile()
	return s.ses.journal.Remove()
}

// BringBack calls bring, which puts the session's files back, and with journal set creates a
// journal for them.
func (s Moves) BringBack(ctx context.Context, bring func() error, journal bool) error {
	unlock, err := s.ses.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := bring(); err != nil || !journal {
		return err
	}
	if err := s.ses.refresh(); err != nil {
		s.ses.logger.Debug("a session that came back has no journal before its next block", "session", s.ses.name, "err", err)
		return nil
	}
	s.ses.journal.Added(0, nil)
	return nil
}

// RunExclusively calls work while it holds the session's turn and its lock; it waits for
// them up to patience. ErrBusy says who holds the turn.
func (s Moves) RunExclusively(ctx context.Context, patience time.Duration, who string, work func()) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	holder := ""
	turn, err := s.ses.lockTurn(ctx, wait, who, func(h Holder) { holder = h.Who })
	if err != nil {
		if holder != "" && ctx.Err() == nil {
			return fmt.Errorf("%w: the %s is at it; it goes when that ends", ErrBusy, holder)
		}
		return err
	}
	defer turn.Unlock()
	unlock, err := s.ses.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	work()
	s.ses.forgetFile()
	return nil
}
