// Package sharedfile reads and writes the text files that people and the app both write:
// memory files, the inbox, settings of agents.
//
// Rules:
//   - What people write wins: a file is read again before each write, which begins anew
//     where the file was edited meanwhile, and keeps its link, mode and encoding.
//   - What another program's save leaves in between is no decision of the user's. Readers go
//     on with what they knew, writers wait (ErrSaving).
//   - A program that goes on writing into a file that was replaced loses nothing: TakeOver.
//   - A Journal notes what the app wrote into a memory, so that a late save that drops it
//     can be told from the user's decision. It keeps nothing that was forgotten.
//   - One lock for all files (Lock), held for milliseconds, by one process at a time.
//
// The package knows lines and bullets, no lesson and no agent. Memory is built on it.
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

// Params is what Files needs; all is required.
type Params struct {
	Root   string // the data folder
	Logger *slog.Logger
	Sieve  Sieve
	// Journaled says whether a file's lines are noted in the journal: a memory's are, the
	// inbox's are not.
	Journaled func(path string) bool
	Changed   func() // called after each edit of such a file by this process
}

// Sieve takes what was forgotten out of a file's bytes.
type Sieve interface {
	Without(path string, raw []byte) []byte
	WithoutOver(path string, raw []byte) []byte // by forgettings that are over alone
	Returned(path, line string) bool            // a line that was noted elsewhere was forgotten before
}

// Files are the text files of one data folder that people and the app write. It is safe
// for use by several goroutines and, through a file lock, by several processes.
type Files struct {
	p       Params
	journal *Journal
	locked  atomic.Bool // the folder of the lock was made

	mu     sync.Mutex // guards what follows
	read   map[string]known
	sights map[string]sight           // files that may be in the middle of a save
	own    map[string]wholefile.Stamp // files as this process wrote them, by their real paths
}

// New returns the files under p.Root.
func New(p Params) *Files {
	return &Files{p: p, journal: newJournal(p), read: map[string]known{}, sights: map[string]sight{}, own: map[string]wholefile.Stamp{}}
}

// Journal is what the app has written.
func (f *Files) Journal() *Journal { return f.journal }

// memoryLock is the lock of all memory files, beside the sessions' locks; a
// session's name has no dot.
const memoryLock = "memory.lock"

// memoryTries is how often a write starts again because the file was edited
// between reading it and replacing it.
const memoryTries = 5

// Lock takes the lock of the memory files. The session folder that it is in is made
// once: where that is gone later, it was moved away and may come back.
func (f *Files) Lock(ctx context.Context) (unlock func(), err error) {
	dir := filepath.Join(f.p.Root, transcript.SessionDir, transcript.LocksDir)
	mkdir := os.MkdirAll
	if f.locked.Load() {
		mkdir = os.Mkdir
	}
	if err := mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, wholefile.Explain("locking the memory", err)
	}
	f.locked.Store(true)
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

// Rewrite replaces a file that is the app's alone by what change makes of it; the lock is
// held.
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

// ownFile is the file that is written for path: what a link there leads to, and
// where there is none the path, with its folder made.
func ownFile(path string) (string, error) {
	real, err := wholefile.Through(path)
	if err == nil {
		err = os.MkdirAll(ownFolder(real), 0o700)
	}
	return real, err
}

// ownFolder is the folder that may be made for a memory file: its own, but not an
// agent's, which would be an agent without its files.
func ownFolder(path string) string {
	dir := filepath.Dir(path)
	if strings.HasPrefix(filepath.Base(dir), "agent-") {
		return filepath.Dir(dir)
	}
	return dir
}
