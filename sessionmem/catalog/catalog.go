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

// ErrNotFound: there is no session of that name.
var ErrNotFound = errors.New("no such session")

// Config is what a Catalog needs.
type Config struct {
	Dir   *sessiondir.Dir // nil: there are no files
	Sieve *sieve.Sieve
	// CacheDir is the folder for caches; there is no list cache where it is empty.
	CacheDir string
	Logger   *slog.Logger

	// Held gives the sessions that are in memory alone.
	Held func() []transcript.Info
	// Private says whether a session is in memory alone, whatever file has its name.
	Private func(session string) bool
	// Clean takes what was forgotten out of a session's files.
	Clean func(ctx context.Context, session string) error
}

// Catalog is the transcripts of one session folder. It is safe for use by several
// goroutines.
type Catalog struct {
	dir     *sessiondir.Dir
	sieve   *sieve.Sieve
	logger  *slog.Logger
	held    func() []transcript.Info
	private func(session string) bool
	clean   func(ctx context.Context, session string) error

	mu     sync.Mutex         // guards what follows
	listed map[string]*listed // what List knows of each file; never changed once it is here
	claims map[string]claim   // what the front matter says of files that aren't named after a session
	cached map[string]*listed // the lines of the list cache, as this process read or wrote it last

	cache     *listCache // nil: none
	cacheRead sync.Once
}

// New gives the catalog of a session folder.
func New(cfg Config) *Catalog {
	c := &Catalog{
		dir: cfg.Dir, sieve: cfg.Sieve, logger: cfg.Logger, held: cfg.Held, private: cfg.Private, clean: cfg.Clean,
		listed: map[string]*listed{}, claims: map[string]claim{},
	}
	if cfg.Dir != nil {
		c.cache = newListCache(cfg.CacheDir, cfg.Dir.Path(""))
	}
	return c
}

// Open opens a file of the session folder to read it. One that holds what was forgotten
// gives sieve.ErrHoldsForgotten.
func (c *Catalog) Open(file string) (*os.File, error) {
	return c.sieve.Open(file, func(file string) string { return c.EntryOf(file).Session })
}
