package erase

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Eraser removes forgotten text from the files of a session folder.
type Eraser struct {
	dir     *sessiondir.Dir
	catalog *catalog.Catalog
	logger  *slog.Logger
}

// New returns the Eraser of a session folder.
func New(dir *sessiondir.Dir, all *catalog.Catalog, logger *slog.Logger) *Eraser {
	return &Eraser{dir: dir, catalog: all, logger: logger}
}

// Forgetting is one forgetting in the files of a session folder.
type Forgetting struct {
	e        *Eraser
	t        *forgotten.Traces
	dry      bool
	sessions []*Session // ordered by name
}

// Begin finds the files to look into: those of some sessions and of those that were written since
// a time, or of all if sessions is nil. A dry run changes nothing and returns the texts.
func (e *Eraser) Begin(t *forgotten.Traces, sessions map[string]bool, since time.Time, dry bool) (*Forgetting, error) {
	all, err := e.groups(sessions, since)
	if err != nil {
		return nil, err
	}
	f := &Forgetting{e: e, t: t, dry: dry}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f.sessions = append(f.sessions, &Session{Name: name, e: e, t: t, dry: dry, groups: all[name]})
	}
	return f, nil
}

// Sessions returns the sessions that have files.
func (f *Forgetting) Sessions() []*Session { return f.sessions }

// Purge removes forgotten text that came back from a session's files. The caller holds the
// session's locks.
func (e *Eraser) Purge(ctx context.Context, t *forgotten.Traces, name string) error {
	f, err := e.Begin(t, map[string]bool{name: true}, time.Time{}, false)
	if err != nil {
		return err
	}
	found, err := f.Attachments(ctx)
	if err != nil {
		return err
	}
	ses := &Session{Name: name, e: e, t: t}
	ses.Erase(ctx)
	if ses.midSave {
		return fmt.Errorf("cleaning the files of %s: %w", name, sessiondir.ErrMidSave)
	}
	found = append(found, ses.found...)
	for _, touched := range found {
		if touched.Action == forgotten.Refused {
			return fmt.Errorf("%w, and can't be cleaned: %s", sieve.ErrHoldsForgotten, touched.Why)
		}
	}
	e.logger.Info("what was forgotten came back in a session's files and was taken out again", "session", name, "places", len(found))
	return nil
}

// groups finds all transcripts, checkpoints and journals below the session folder. It
// returns them by session, in groups of files that belong together.
func (e *Eraser) groups(only map[string]bool, since time.Time) (map[string][][]catalog.Entry, error) {
	written := map[string]bool{}
	bySession := map[string]map[string][]catalog.Entry{} // by session and place
	err := e.dir.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == ".":
			return err
		case err != nil:
			e.logger.Warn("a folder can't be looked through for what is to be forgotten", "dir", p, "err", err)
			return fs.SkipDir
		case d.IsDir() && (p == transcript.LocksDir || p == transcript.FilesDir):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, transcript.FileSuffix):
			return nil
		}
		file, place := e.catalog.EntryOf(p), "live"
		top, rest, _ := strings.Cut(p, "/")
		switch {
		case top == transcript.PartialDir:
			file.Session, _, _ = strings.Cut(rest, ".")
			place = p
		case top == catalog.TrashDir:
			place = path.Dir(p)
		case strings.Contains(p, "/") && !catalog.InArchive(p):
			place = p
		}
		if only != nil && !since.IsZero() && !only[file.Session] && !written[file.Session] {
			if fi, err := d.Info(); err == nil && fi.ModTime().After(since) {
				written[file.Session] = true
			}
		}
		if bySession[file.Session] == nil {
			bySession[file.Session] = map[string][]catalog.Entry{}
		}
		bySession[file.Session][place] = append(bySession[file.Session][place], file)
		return nil
	})
	maps.DeleteFunc(bySession, func(name string, _ map[string][]catalog.Entry) bool {
		return only != nil && !only[name] && !written[name]
	})
	all := make(map[string][][]catalog.Entry, len(bySession))
	for name, places := range bySession {
		for _, place := range slices.SortedFunc(maps.Keys(places), journalLast) {
			for _, set := range catalog.Sets(places[place]) {
				all[name] = append(all[name], set.Files)
			}
		}
	}
	return all, wholefile.Wrap("looking for what is to be forgotten", err)
}
