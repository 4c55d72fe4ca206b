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

// recentDir is the folder of mac-stats 0.1 that journals took the place of.
const recentDir = ".recent"

// Config is what a Store needs. Root is required.
type Config struct {
	Root         string // data folder, e.g. ~/.mac-stats
	InMemoryOnly bool   // write nothing to disk
	// MaxFileBytes is how large a transcript may grow, in bytes: once it is that
	// large, the next block begins another part of the session. 0, or a nil function,
	// is no limit. It is asked at each append.
	MaxFileBytes func() int64
	// CacheDir is the folder for caches; there is no list cache where it is empty.
	CacheDir string
	Logger   *slog.Logger

	// OnRefused is told of every change of what waits for the disk, see
	// session.Config.OnRefused.
	OnRefused func(session.Refused)

	// Rescue is a folder, best on another disk, where what waits is kept as well until
	// it is written; "" for none. It belongs to this process alone.
	Rescue string
}

// Store is the sessions of one data folder. It is safe for use by several
// goroutines and, through file locks, by several processes.
type Store struct{ library }

// Open prepares the folders (0700) and returns the store. A data folder that is
// read-only opens all the same: what is there can be listed and loaded, appends
// say why they fail. A Root that is a file is an error.
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

// open puts the rooms of a store together.
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

// Close saves what still waits for the disk and releases the locks held by this process.
// The store must not be used after it.
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

// Sessions are the sessions one by one: what is said in them is read and written there.
func (s *Store) Sessions() *session.Folder { return s.sessions }

// Forgotten gives what was forgotten in the data folder.
func (s *Store) Forgotten() *forgotten.Record { return s.forgotten }

// State gives the marks of this store's sessions.
func (s *Store) State() *sessionstate.State { return s.state }

// Catalog finds the sessions of the folder and their files.
func (s *Store) Catalog() *catalog.Catalog { return s.catalog }

// Places reads the transcripts of the folder with the places of their blocks. What was
// forgotten is taken out of them before.
func (s *Store) Places() *places.Places { return places.New(s.sessions.Open) }

// List returns all sessions, archived ones too, last active first. One bad file never hides the others.
func (s *Store) List(ctx context.Context) ([]transcript.Info, error) { return s.catalog.List(ctx) }

// Resolve turns what a person typed into a session's name, see catalog.Catalog.Resolve.
func (s *Store) Resolve(ctx context.Context, source, name string) (string, error) {
	return s.catalog.Resolve(ctx, source, name)
}
