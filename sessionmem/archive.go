package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// endedAfter is how long a session that was reset is left where it is: its next
// message usually comes soon.
const endedAfter = 24 * time.Hour

// justNow is how long a session is in use after its last block, whatever the clock says.
const justNow = 30 * time.Minute

// ErrBusy: a turn of the session is running.
var ErrBusy = errors.New("a turn of the session is running")

// ArchiveRule says which transcripts are finished.
type ArchiveRule struct {
	// After is how long a session has to be untouched; nothing is archived where it
	// is zero or less. One that ended (its last block is a reset) is finished after a
	// day, or after After where that is shorter.
	After time.Duration
	// Keep says whether a session stays where it is (pinned, open); may be nil.
	Keep func(name string) bool
}

// finished says whether the session of this list entry goes to the archive.
func (r ArchiveRule) finished(info transcript.Info, now time.Time) bool {
	if r.After <= 0 || info.Err != nil || info.Path == "" || transcript.CheckName(info.Name) != nil {
		return false
	}
	after := r.After
	if info.Ended {
		after = min(after, endedAfter)
	}
	return now.Sub(info.Active) >= after && (r.Keep == nil || !r.Keep(info.Name))
}

// running says whether this process saw the session's last block being written a
// moment ago, which no clock that jumps ahead since makes long ago.
func (r ArchiveRule) running(ses *session, now time.Time) bool {
	last := ses.last
	written := last.seen.Round(0).Sub(last.time).Abs() < time.Minute // it isn't an older one that was brought in
	return !last.seen.IsZero() && written && now.Sub(last.seen) < min(r.After, justNow)
}

// Archive moves finished transcripts to archive/<YYYY-MM>/, by the month of their
// last block, and returns their sessions' names. Each is copied, synced and
// compared before the original goes. One whose turn is running stays. They are
// listed and loaded from there as before; the next block brings one back. A
// transcript that can't be moved stays, and the errors of all of them are
// returned together.
func (s *Store) Archive(ctx context.Context, rule ArchiveRule) (moved []string, err error) {
	list, err := s.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("archiving: %w", err)
	}
	var errs []error
	for _, info := range list {
		if ctx.Err() != nil {
			return moved, errors.Join(append(errs, ctx.Err())...)
		}
		if info.Archived || !rule.finished(info, time.Now()) {
			continue
		}
		switch err := s.archive(ctx, info, rule); {
		case err == nil:
			moved = append(moved, info.Name)
		case errors.Is(err, ErrBusy), errors.Is(err, sessiondir.ErrReplaced):
			s.logger.Debug("a session is in use and not archived", "session", info.Name, "err", err)
		default:
			errs = append(errs, fmt.Errorf("archiving %s: %w", info.Name, err))
		}
	}
	return moved, errors.Join(errs...)
}

// archive moves the files of one list entry, looking again under the locks whether it is finished.
func (s *Store) archive(ctx context.Context, info transcript.Info, rule ArchiveRule) error {
	turn, err := s.tryTurn(ctx, info.Name, "archive")
	if err != nil {
		return err
	}
	defer turn.Unlock()
	ses := s.session(info.Name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	if rule.running(ses, time.Now()) {
		return fmt.Errorf("%w: something was said in it just now, whatever the clock says", ErrBusy)
	}
	if len(ses.unsaved.blocks) > 0 {
		return fmt.Errorf("%w: its last blocks wait for the disk", ErrBusy)
	}
	parts, err := s.catalog.OfInfo(info)
	if err != nil {
		return err
	}
	now := s.catalog.Info(parts)
	if now.Err != nil || !rule.finished(now, time.Now()) {
		return fmt.Errorf("%w: it changed meanwhile", sessiondir.ErrReplaced)
	}
	own := !now.ReadOnly && !now.Copy
	if own {
		if err := s.mayLeaveJournal(ses, rule); err != nil {
			return err
		}
	}
	known := slices.Contains(ses.transcripts(), parts[len(parts)-1].File)
	for _, e := range parts {
		if catalog.InArchive(e.File) {
			continue // moved before a crash
		}
		if err := s.root.Move(e.File, path.Join(catalog.ArchiveDir, now.Active.Format("2006-01"), e.File), s.catalog.Open); err != nil {
			return err
		}
	}
	if known {
		ses.forgetFile()
	}
	if own {
		return wholefile.Wrap("removing its journal", s.dropJournal(ses))
	}
	return nil
}

// mayLeaveJournal gives ErrBusy where a save removed something less than rule.After ago
// and the user has not decided about it: until then the session is not untouched.
func (s *Store) mayLeaveJournal(ses *session, rule ArchiveRule) error {
	if !s.root.Has(journalFile(ses.name)) {
		return nil
	}
	if err := s.refresh(ses); err != nil {
		return err
	}
	missing, err := s.missing(ses)
	if err != nil || len(missing) == 0 || ses.stat == nil || time.Since(ses.stat.ModTime()) >= rule.After {
		return nil //nolint:nilerr // a journal that can't be read keeps nothing
	}
	return fmt.Errorf("%w: it is not decided what becomes of what a save removed", ErrBusy)
}

// tryTurn takes the session's turn if it is free, else gives ErrBusy and who
// holds it.
func (s *Store) tryTurn(ctx context.Context, name, who string) (*TurnLock, error) {
	try, cancel := context.WithCancel(ctx)
	defer cancel()
	var held *Holder
	lock, err := s.LockTurn(try, name, who, func(h Holder) {
		held = &h
		cancel()
	})
	if err != nil && held != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %s (held by the %s)", ErrBusy, name, held.Who)
	}
	return lock, err
}

// bringBack moves an archived transcript, all parts of it, to the session folder to be written to.
// The caller holds the append lock.
func (s *Store) bringBack(ses *session) error {
	for _, file := range ses.transcripts() {
		if !catalog.InArchive(file) {
			continue
		}
		if err := s.root.Move(file, path.Base(file), s.catalog.Open); err != nil {
			return err
		}
	}
	return s.refresh(ses)
}
