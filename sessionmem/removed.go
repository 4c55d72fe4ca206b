package sessionmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

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
	if s.root == nil || s.IsPrivate(name) || transcript.CheckName(name) != nil || !s.root.Has(journalFile(name)) {
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
	if s.root == nil || s.IsPrivate(name) || transcript.CheckName(name) != nil || !s.root.Has(journalFile(name)) {
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

// ExpireRemoved lets go of what was removed from sessions and not decided about for
// removedKept, also where nothing is written to them any more. To know the time, it notes
// what was removed since the journal was written last.
func (s *Store) ExpireRemoved(ctx context.Context) error {
	names, err := s.readJournals()
	if err != nil || len(names) == 0 {
		return err
	}
	all, err := s.catalog.Entries()
	if err != nil {
		return err
	}
	files := map[string][]string{}
	for _, e := range all {
		files[e.Session] = append(files[e.Session], e.File)
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
	data, err := s.root.ReadRegular(journalFile(name))
	return err == nil && bytes.Contains(data, []byte("note="+transcript.NoteRemoved))
}

// readJournals gives the names of the journals.
func (s *Store) readJournals() ([]string, error) {
	if s.root == nil {
		return nil, nil
	}
	names, err := s.root.Names(transcript.JournalDir)
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
	all, err := s.catalog.Entries()
	if err != nil {
		return err
	}
	live := map[string]bool{}
	for _, e := range all {
		if !catalog.InArchive(e.File) {
			live[e.Session+transcript.FileSuffix] = true
		}
	}
	for _, n := range names {
		file := transcript.JournalDir + "/" + n
		if fi, err := s.root.Lstat(file); live[n] || err != nil || time.Since(fi.ModTime()) < removedKept {
			continue
		}
		if err := s.root.RemoveIfThere(file); err != nil {
			return wholefile.Explain("removing a journal", err)
		}
	}
	return nil
}
