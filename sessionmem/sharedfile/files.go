// Package sharedfile reads and writes the text files that both people and the app write:
// memory files, the inbox, and settings of agents.
//
// Rules:
//   - What people write wins. A file is read again before each write, and the write starts
//     again if the file was edited meanwhile. It keeps the file's link, mode and encoding.
//   - An intermediate state of another program's save isn't the user's decision. Readers
//     continue with the previous state, writers wait (ErrSaving).
//   - A program that continues to write into a replaced file loses nothing; see TakeOver.
//   - A Journal records what the app wrote into a memory. If a late save drops a line, that
//     can be distinguished from the user's decision. The journal keeps nothing forgotten.
//   - All files share one lock (Lock), held for milliseconds, by one process at a time.
//
// The package knows lines and bullets, but no lessons or agents. Memory is built on it.
package sharedfile

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Params holds the dependencies of Files; all are required.
type Params struct {
	Root   string // the data folder
	Logger *slog.Logger
	Sieve  Sieve
	// Journaled reports whether the journal records a file's lines: those of a memory, but
	// not those of the inbox.
	Journaled func(path string) bool
	Changed   func() // called after each edit of such a file by this process
	// Ships reports whether an agent's folder, such as agent-002, came with the product: it
	// may be created for the agent's memory. Another one would be an agent without its files.
	// May be nil: none.
	Ships func(folder string) bool
}

// Sieve removes forgotten text from a file's bytes.
type Sieve interface {
	Without(path string, raw []byte) []byte
	WithoutOver(path string, raw []byte) []byte // considers only completed forgettings
	Returned(path, line string) bool            // whether a line recorded elsewhere was forgotten before
}

// Files reads and writes the text files of one data folder that both people and the app
// write. It is safe for concurrent use by several goroutines and, with a file lock, by
// several processes.
type Files struct {
	p       Params
	journal *Journal
	had     atomic.Bool // there was a session folder

	mu        sync.Mutex // guards the fields below
	read      map[string]known
	sightings map[string]sight           // files that may be in the middle of a save
	own       map[string]wholefile.Stamp // files as this process wrote them, by real path
}

// New returns the files under p.Root.
func New(p Params) *Files {
	f := &Files{p: p, journal: newJournal(p), read: map[string]known{}, sightings: map[string]sight{}, own: map[string]wholefile.Stamp{}}
	_, err := os.Stat(filepath.Join(p.Root, transcript.SessionDir))
	f.had.Store(err == nil)
	return f
}

// Journal returns the record of what the app wrote.
func (f *Files) Journal() *Journal { return f.journal }

// memoryLock is the lock of all memory files. It is beside the locks of sessions, whose
// names have no dot.
const memoryLock = "memory.lock"

// memoryTries is how often a write tries again after the file was edited between reading
// and replacing it.
const memoryTries = 5

// Lock takes the lock of the memory files. It creates the session folder only if it never
// saw one: a folder that is gone was moved away and may come back.
func (f *Files) Lock(ctx context.Context) (unlock func(), err error) {
	dir := filepath.Join(f.p.Root, transcript.SessionDir, transcript.LocksDir)
	mkdir := os.MkdirAll
	if f.had.Load() {
		mkdir = os.Mkdir
	}
	if err := mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, wholefile.Explain("locking the memory", err)
	}
	f.had.Store(true)
	l := wholefile.NewLock(filepath.Join(dir, memoryLock))
	if err := wholefile.TakeLock(ctx, l); err != nil {
		return nil, wholefile.Explain("locking the memory", err)
	}
	return func() {
		if err := l.Unlock(); err != nil {
			f.p.Logger.Warn("the memory's lock was not given back: others wait until this process ends", "err", err)
		}
	}, nil
}

// Rewrite replaces the content of a file that only the app writes with the result of
// change. The caller holds the lock.
func (f *Files) Rewrite(path string, change func(raw []byte) ([]byte, error)) error {
	raw, _, err := wholefile.ReadText(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wholefile.Explain("reading "+filepath.Base(path), err)
	}
	out, err := change(raw)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return wholefile.Explain("writing "+filepath.Base(path), err)
	}
	return wholefile.Wrap("writing "+filepath.Base(path), wholefile.Write(path, out, 0o600))
}

// ownFile returns the file to write for path: the target of a link, or the path itself. It
// creates the folder, but not that of a link's target: what is mounted there may be away.
func (f *Files) ownFile(path string) (string, error) {
	real, err := wholefile.Through(path)
	if err == nil && real == path {
		dir := filepath.Dir(real)
		if strings.HasPrefix(filepath.Base(dir), "agent-") && (f.p.Ships == nil || !f.p.Ships(filepath.Base(dir))) {
			dir = filepath.Dir(dir)
		}
		err = os.MkdirAll(dir, 0o700)
	}
	return real, err
}
