package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
)

// Refused returns the sessions whose last blocks wait for the disk.
func (f *Folder) Refused() []Refused {
	var all []Refused
	for _, s := range f.all() {
		if r := s.refused(); r.Blocks > 0 {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Refused) int { return a.Since.Compare(b.Since) })
	return all
}

// Save tries once to write what waits for the disk, in order and with one write per session.
// The error says what could not be written.
func (f *Folder) Save(ctx context.Context) error {
	var errs []error
	for _, u := range f.Refused() {
		if err := f.Session(u.Session).save(ctx); err != nil {
			errs = append(errs, fmt.Errorf("writing to %s: %w", u.Session, err))
		}
	}
	return errors.Join(errs...)
}

// lastWait is how long Close waits for a session's lock to save what is left.
const lastWait = 2 * time.Second

// lastSave tries once more and reports what is lost.
func (f *Folder) lastSave() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastWait)
	defer cancel()
	if f.Save(ctx) == nil {
		return nil
	}
	var errs []error
	for _, u := range f.Refused() {
		what := "are lost"
		if u.Rescued {
			what = "wait in " + f.rescueFile(u.Session) + " for the next start"
		}
		errs = append(errs, fmt.Errorf("the last messages of %s (%d) could not be saved and %s: %w", u.Session, u.Messages, what, u.Err))
	}
	return errors.Join(errs...)
}

// KeepSaving writes what waits for the disk as soon as the disk takes it, until ctx ends.
// It does nothing while nothing waits.
func (f *Folder) KeepSaving(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.retry:
		}
		for f.Save(ctx) != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(saveAgain):
			}
		}
	}
}

func (s *Session) save(ctx context.Context) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	s.ignoreSaves = true // it has waited already, and this may be the last try
	_, err = s.appendFile(ctx, nil)
	if err != nil && len(s.unsaved.blocks) > 0 && isRefusal(err) {
		s.unsaved.err = err
	}
	return err
}

// keepUnlocked is keepUnsaved if the session's lock could not even be taken.
func (s *Session) keepUnlocked(blocks []transcript.Block, cause error) ([]transcript.Block, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keepUnsaved(blocks, cause)
}

// refused reports what waits for the disk.
func (s *Session) refused() Refused {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsaved.refused(s.name)
}
