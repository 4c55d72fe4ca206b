package catalog

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
)

// ErrNotFound means that there is no session of that name.
var ErrNotFound = errors.New("no such session")

// Config holds what a Catalog needs.
type Config struct {
	Dir   *sessiondir.Dir // nil: there are no files
	Sieve *sieve.Sieve
	// CacheDir is the folder for caches; if empty, there is no list cache.
	CacheDir string
	Logger   *slog.Logger

	// Held returns the sessions that exist only in memory.
	Held func() []transcript.Info
	// Private reports whether a session exists only in memory, whatever file has its name.
	Private func(session string) bool
	// Clean removes what was forgotten from a session's files.
	Clean func(ctx context.Context, session string) error
}

// Catalog finds the sessions of one session folder. It is safe for use by several
// goroutines.
type Catalog struct {
	contents
	held    func() []transcript.Info
	private func(session string) bool
	clean   func(ctx context.Context, session string) error
}

// contents holds what a list shows of each file, and reads it from the files and the list
// cache.
type contents struct {
	folder
	sieve *sieve.Sieve

	mu     sync.Mutex         // guards the maps
	listed map[string]*listed // by file; an entry never changes
	cached map[string]*listed // the lines of the list cache, as this process last read or wrote it

	cache     *listCache // nil: none
	cacheRead sync.Once
}

// folder knows which files there are and whose they are, by their names and front matter.
type folder struct {
	dir    *sessiondir.Dir // nil: there are no files
	logger *slog.Logger

	claiming sync.Mutex
	claims   map[string]claim // the front matter of files that aren't named after a session; guarded by claiming
}

// New returns the catalog of a session folder.
func New(cfg Config) *Catalog {
	c := &Catalog{held: cfg.Held, private: cfg.Private, clean: cfg.Clean}
	c.dir, c.logger, c.claims = cfg.Dir, cfg.Logger, map[string]claim{}
	c.sieve, c.listed = cfg.Sieve, map[string]*listed{}
	if cfg.Dir != nil {
		c.cache = newListCache(cfg.CacheDir, cfg.Dir.Path(""))
	}
	return c
}

// Open opens a file of the session folder for reading. A file that holds what was forgotten
// returns sieve.ErrHoldsForgotten.
func (c *contents) Open(file string) (*os.File, error) {
	return c.sieve.Open(file, func(file string) string { return c.EntryOf(file).Session })
}
