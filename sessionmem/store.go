package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/trash"
)

// recentDir is a folder of mac-stats 0.1, replaced by journals.
const recentDir = ".recent"

// Config holds what a Store needs. Root is required.
type Config struct {
	Root         string // data folder, e.g. ~/.mac-stats
	InMemoryOnly bool   // write nothing to disk

	// As in session.Config.
	CacheDir     string
	Logger       *slog.Logger // nil: none
	MaxFileBytes func() int64
	OnRefused    func(session.Refused)
	Rescue       string
}

// Store holds the sessions of one data folder. It is safe for use by several
// goroutines and, through file locks, by several processes.
type Store struct{ library }

// Open creates the folders (0700) and returns the store. A read-only data folder opens
// too: sessions can be listed and loaded, and appends return the reason they fail. A Root that
// is a file is an error.
func Open(cfg Config) (*Store, error) {
	if cfg.Root == "" && !cfg.InMemoryOnly {
		panic("sessionmem: Config.Root is required")
	}
	logger := cfg.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	if cfg.InMemoryOnly {
		return open(cfg, nil, forgotten.NewRecord("", nil), logger), nil
	}
	root, err := filepath.Abs(cfg.Root)
	if err != nil {
		return nil, fmt.Errorf("opening the data folder: %w", err)
	}
	if fi, err := os.Stat(root); err == nil && !fi.IsDir() {
		return nil, fmt.Errorf("opening the data folder: %s is a file; move it away, or set MAC_STATS_HOME to a folder", root)
	}
	dir := sessiondir.New(filepath.Join(root, transcript.SessionDir), logger, transcript.PartialDir)
	if err := dir.Check(); err != nil {
		logger.Warn("the session folder can't be used; it is tried again at every use", "err", err)
	} else if err := dir.RemoveAll(recentDir); err != nil {
		logger.Warn("what mac-stats 0.1 kept for an editor's late save stays", "dir", recentDir, "err", err)
	}
	return open(cfg, dir, forgotten.NewRecord(root, logger), logger), nil
}

// open builds a Store.
func open(cfg Config, dir *sessiondir.Dir, record *forgotten.Record, logger *slog.Logger) *Store {
	sessions := session.New(session.Config{
		Dir: dir, CacheDir: cfg.CacheDir, Forgotten: record, Logger: logger,
		MaxFileBytes: cfg.MaxFileBytes, OnRefused: cfg.OnRefused, Rescue: cfg.Rescue,
	})
	all := sessions.Catalog()
	return &Store{library{
		dir: dir, sessions: sessions, catalog: all, forgotten: record, logger: logger, patience: forgotten.Patience,
		state: sessionstate.New(dir, logger, sessions.IsPrivate, all.Names), trash: trash.New(dir, all, logger),
	}}
}

// Close saves the blocks that still wait for the disk and releases the locks of this process.
// The store must not be used afterwards.
func (s *Store) Close() error {
	err := s.sessions.Close()
	if s.dir == nil {
		return err
	}
	if cerr := s.dir.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("closing the session folder: %w", cerr))
	}
	return err
}

// Sessions returns the folder of sessions, which reads and writes their messages.
func (s *Store) Sessions() *session.Folder { return s.sessions }

// Forgotten returns the record of what was forgotten in the data folder.
func (s *Store) Forgotten() *forgotten.Record { return s.forgotten }

// State returns the marks of this store's sessions.
func (s *Store) State() *sessionstate.State { return s.state }

// Catalog returns the catalog, which finds the sessions of the folder and their files.
func (s *Store) Catalog() *catalog.Catalog { return s.catalog }

// Places returns a reader of the transcripts with the positions of their blocks. What was
// forgotten is removed first.
func (s *Store) Places() *places.Places { return places.New(s.sessions.Open) }

// List returns all sessions, archived ones included, last active first. A bad file never hides the others.
func (s *Store) List(ctx context.Context) ([]transcript.Info, error) { return s.catalog.List(ctx) }

// Resolve finds the session name for what a person typed, see catalog.Catalog.Resolve.
func (s *Store) Resolve(ctx context.Context, source, name string) (string, error) {
	return s.catalog.Resolve(ctx, source, name)
}
