package journal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Folder holds the journals of the sessions of one folder, with what they need.
type Folder struct {
	Dir     *sessiondir.Dir // nil in memory: there are none
	Catalog *catalog.Catalog
	Sieve   *sieve.Sieve
	Logger  *slog.Logger

	// Purge removes what was forgotten from a session's files.
	Purge func(ctx context.Context, session string) error
}

// Due returns the sessions with a transcript and a journal that may be missing something.
func (f *Folder) Due() ([]string, error) {
	files, err := f.files()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	all, err := f.Catalog.Entries()
	if err != nil {
		return nil, err
	}
	of := map[string][]string{}
	for _, e := range all {
		of[e.Session] = append(of[e.Session], e.File)
	}
	var due []string
	for _, file := range files {
		name := strings.TrimSuffix(file, transcript.FileSuffix)
		if transcript.CheckName(name) == nil && len(of[name]) > 0 && f.mayLack(name, of[name]) {
			due = append(due, name)
		}
	}
	return due, nil
}

// mayLack reports, cheaply, whether a session's files may be missing something: one of them
// changed after the journal did, or the journal says so.
func (f *Folder) mayLack(name string, files []string) bool {
	journal, err := f.Dir.Stat(fileOf(name))
	if err != nil {
		return false
	}
	for _, file := range files {
		if fi, err := f.Dir.Stat(file); err == nil && fi.ModTime().After(journal.ModTime()) {
			return true
		}
	}
	data, err := f.Dir.ReadRegular(fileOf(name))
	return err == nil && bytes.Contains(data, []byte("note="+transcript.NoteRemoved))
}

// Clear removes the journals of sessions that have had no transcript for RemovedKept.
func (f *Folder) Clear() error {
	files, err := f.files()
	if err != nil || len(files) == 0 {
		return err
	}
	all, err := f.Catalog.Entries()
	if err != nil {
		return err
	}
	live := map[string]bool{}
	for _, e := range all {
		if !catalog.InArchive(e.File) {
			live[e.Session+transcript.FileSuffix] = true
		}
	}
	for _, n := range files {
		if live[n] {
			continue
		}
		file := transcript.JournalDir + "/" + n
		if fi, err := f.Dir.Lstat(file); err != nil || time.Since(fi.ModTime()) < RemovedKept {
			continue
		}
		if err := f.Dir.RemoveIfThere(file); err != nil {
			return wholefile.Explain("removing a journal", err)
		}
	}
	return nil
}

// files returns the names of the journals.
func (f *Folder) files() ([]string, error) {
	if f.Dir == nil {
		return nil, nil
	}
	names, err := f.Dir.Names(transcript.JournalDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, wholefile.Wrap("reading the journals", err)
}
