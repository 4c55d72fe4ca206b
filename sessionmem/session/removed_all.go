package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// ExpireRemoved lets go of what was removed from sessions and not decided about for
// removedKept, also where nothing is written to them any more. To know the time, it notes
// what was removed since the journal was written last.
func (f *Folder) ExpireRemoved(ctx context.Context) error {
	names, err := f.readJournals()
	if err != nil || len(names) == 0 {
		return err
	}
	all, err := f.catalog.Entries()
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
		if len(files[name]) == 0 || transcript.CheckName(name) != nil || f.IsPrivate(name) || !f.mayLack(name, files[name]) {
			continue
		}
		if err := f.Session(name).expireRemoved(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// mayLack says cheaply whether something may be missing from a session's files: one was
// changed since the journal was, or the journal notes it.
func (f *Folder) mayLack(name string, files []string) bool {
	journal, err := f.dir.Stat(journalFile(name))
	if err != nil {
		return false
	}
	for _, file := range files {
		if fi, err := f.dir.Stat(file); err == nil && fi.ModTime().After(journal.ModTime()) {
			return true
		}
	}
	data, err := f.dir.ReadRegular(journalFile(name))
	return err == nil && bytes.Contains(data, []byte("note="+transcript.NoteRemoved))
}

// readJournals gives the names of the journals.
func (f *Folder) readJournals() ([]string, error) {
	if f.dir == nil {
		return nil, nil
	}
	names, err := f.dir.Names(transcript.JournalDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, wholefile.Wrap("reading the journals", err)
}

// clearJournals removes the journals of sessions that have had no transcript for
// removedKept.
func (f *Folder) clearJournals() error {
	names, err := f.readJournals()
	if err != nil || len(names) == 0 {
		return err
	}
	all, err := f.catalog.Entries()
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
		if fi, err := f.dir.Lstat(file); live[n] || err != nil || time.Since(fi.ModTime()) < removedKept {
			continue
		}
		if err := f.dir.RemoveIfThere(file); err != nil {
			return wholefile.Explain("removing a journal", err)
		}
	}
	return nil
}
