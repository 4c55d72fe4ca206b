package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/erase"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/trash"
)

// Errors callers decide on.
var (
	ErrNotFound = catalog.ErrNotFound
	ErrReadOnly = errors.New("the transcript is read-only here")
)

// The folders of the store below its root, and below the session folder.
const (
	sessionDir = transcript.SessionDir
	locksDir   = transcript.LocksDir
	recentDir  = ".recent" // of mac-stats 0.1: journals took its place
)

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

	// OnRefused is told of every change of what waits for the disk. Where it is set,
	// an append that the disk refuses (full, gone, not permitted, failing) succeeds all
	// the same: its blocks are kept in memory, are part of the context, and are written
	// in order before anything new, see Store.KeepSaving. Without it, such an append is
	// an error. It is called while the session is locked: it must not use the store.
	OnRefused func(Refused)

	// Rescue is a folder, best on another disk, where what waits is kept as well until
	// it is written; "" for none. It belongs to this process alone.
	Rescue string
}

// Store is the sessions of one data folder. It is safe for use by several
// goroutines and, through file locks, by several processes.
type Store struct {
	dir    string          // absolute session folder
	root   *sessiondir.Dir // confined to dir; nil in memory
	memory bool            // Config.InMemoryOnly

	maxBytes func() int64 // Config.MaxFileBytes

	logger *slog.Logger
	seed   maphash.Seed // of the hashes of ids: of this process alone
	opened func()       // tests: called between opening a transcript and writing to it
	// tests: what is in a file is what was saved, see midSave
	trustSaves bool
	state      *sessionstate.State

	forgotten *forgotten.Record
	sieve     *sieve.Sieve
	catalog   *catalog.Catalog
	eraser    *erase.Eraser
	trash     *trash.Trash
	patience  time.Duration // how long Forget waits for a session's turn

	onRefused func(Refused)
	rescue    string
	retry     chan struct{} // 1 place: something waits for the disk since

	mu       sync.Mutex // guards what follows; never held while a session's lock is taken
	sessions map[string]*session
	turns    map[*TurnLock]struct{}
	fresh    map[string]time.Time // names that NewName gave out, until when they are known to have no file
}

// Open prepares the folders (0700) and returns the store. A data folder that is
// read-only opens all the same: what is there can be listed and loaded, appends
// say why they fail. A Root that is a file is an error.
func Open(cfg Config) (*Store, error) {
	if cfg.Root == "" && !cfg.InMemoryOnly {
		panic("sessionmem: Config.Root is required")
	}
	s := &Store{
		memory:   cfg.InMemoryOnly,
		maxBytes: cfg.MaxFileBytes,
		logger:   cfg.Logger,

		onRefused: cfg.OnRefused, rescue: cfg.Rescue, retry: make(chan struct{}, 1),

		seed:     maphash.MakeSeed(),
		sessions: map[string]*session{},
		turns:    map[*TurnLock]struct{}{},
		fresh:    map[string]time.Time{},
	}
	s.forgotten, s.patience = forgotten.NewRecord("", nil), forgotten.Patience
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if cfg.InMemoryOnly {
		s.openCatalog("")
		return s, nil
	}
	root, err := filepath.Abs(cfg.Root)
	if err != nil {
		return nil, fmt.Errorf("opening the data folder: %w", err)
	}
	if fi, err := os.Stat(root); err == nil && !fi.IsDir() {
		return nil, fmt.Errorf("opening the data folder: %s is a file; move it away, or set MAC_STATS_HOME to a folder", root)
	}
	s.dir = filepath.Join(root, sessionDir)
	s.forgotten = forgotten.NewRecord(root, s.logger)
	s.root = sessiondir.New(s.dir, s.logger, transcript.PartialDir)
	s.openCatalog(cfg.CacheDir)
	if err := s.root.Check(); err != nil {
		s.logger.Warn("the session folder can't be used; it is tried again at every use", "err", err)
	} else if err := s.root.RemoveAll(recentDir); err != nil {
		s.logger.Warn("what mac-stats 0.1 kept for an editor's late save stays", "dir", recentDir, "err", err)
	}
	s.takeRescued()
	return s, nil
}

// openCatalog makes what finds the sessions and opens their files.
func (s *Store) openCatalog(cacheDir string) {
	s.sieve = sieve.New(s.root, cacheDir, s.forgotten)
	s.catalog = catalog.New(catalog.Config{Dir: s.root, Sieve: s.sieve, CacheDir: cacheDir, Logger: s.logger, Held: s.inMemory, Private: s.IsPrivate, Clean: s.purgeSession})
	s.eraser, s.trash = erase.New(s.root, s.catalog, s.logger), trash.New(s.root, s.catalog, s.logger)
	s.state = sessionstate.New(s.root, s.logger, s.IsPrivate, s.catalog.Names)
}

// Close releases locks held by this process. The store must not be used after it.
func (s *Store) Close() error {
	s.mu.Lock()
	var held []*TurnLock
	for l := range s.turns {
		held = append(held, l)
	}
	s.mu.Unlock()
	err := s.lastSave()
	for _, l := range held {
		l.Unlock()
	}
	if s.root == nil {
		return nil
	}
	if cerr := s.root.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("closing the session folder: %w", cerr))
	}
	return err
}

// Forgotten gives what was forgotten in the data folder.
func (s *Store) Forgotten() *forgotten.Record { return s.forgotten }

// State gives the marks of this store's sessions.
func (s *Store) State() *sessionstate.State { return s.state }

// NewName makes an unused session name for a source: "cpu" → "cpu-k3x9qa".
func (s *Store) NewName(source string) string {
	for {
		name := source + "-" + transcript.RandomID(6)
		if _, err := s.catalog.Locate(name); errors.Is(err, ErrNotFound) && !s.known(name) {
			s.setFresh(name)
			return name
		} else if err != nil && !errors.Is(err, ErrNotFound) {
			return name // an unreadable folder: the first append says so
		}
	}
}

// freshFor is how long a new name needs no look for its files: the first message is on
// its way, and each look reads the whole folder.
const freshFor = 2 * time.Second

// setFresh notes that a name was made now and looked for.
func (s *Store) setFresh(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.fresh, func(_ string, until time.Time) bool { return time.Now().After(until) })
	s.fresh[name] = time.Now().Add(freshFor)
}

// isFresh reports whether a session was made just now and nothing is written to it yet.
func (s *Store) isFresh(ses *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ses.file != "" {
		delete(s.fresh, ses.name)
	}
	return time.Now().Before(s.fresh[ses.name])
}

// SetPrivate makes a session in-memory only: nothing of it is ever written.
// Call it before the first block.
func (s *Store) SetPrivate(name string) {
	s.session(name).private.Store(true)
}

// IsPrivate reports whether the session is kept in memory only.
func (s *Store) IsPrivate(name string) bool {
	if s.memory {
		return true
	}
	s.mu.Lock()
	ses := s.sessions[name]
	s.mu.Unlock()
	return ses != nil && ses.private.Load()
}

// session gives what this process knows of a session, made where it is new.
func (s *Store) session(name string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.sessions[name]
	if ses == nil {
		ses = &session{name: name, turn: make(chan struct{}, 1), index: branch.NewIndex(s.seed)}
		ses.private.Store(s.memory)
		s.sessions[name] = ses
	}
	return ses
}

// known says whether this process holds blocks of an in-memory session.
func (s *Store) known(name string) bool {
	s.mu.Lock()
	ses := s.sessions[name]
	s.mu.Unlock()
	return ses != nil && ses.private.Load()
}

// Reset writes a Note "ended": the context starts anew after it. A session never
// written needs none.
func (s *Store) Reset(ctx context.Context, name string) error {
	if err := s.mustExist(ctx, name); errors.Is(err, ErrNotFound) {
		return nil
	} else if err != nil {
		return fmt.Errorf("resetting %s: %w", name, err)
	}
	_, err := s.Append(ctx, name, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEnded})
	return err
}

// SetTitle writes a Note "title". A session never written gives ErrNotFound.
func (s *Store) SetTitle(ctx context.Context, name, title string) error {
	title = transcript.OneLine(title)
	if title == "" {
		return fmt.Errorf("renaming %s: the title is empty; give it at least one word", name)
	}
	if err := s.mustExist(ctx, name); err != nil {
		return fmt.Errorf("renaming %s: %w", name, err)
	}
	_, err := s.Append(ctx, name, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: title})
	return err
}

// Exists says whether a session has a block, here or in the archive. Nothing of it is
// read.
func (s *Store) Exists(ctx context.Context, name string) (bool, error) {
	err := s.mustExist(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// mustExist gives ErrNotFound for a session that has no block.
func (s *Store) mustExist(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.IsPrivate(name) {
		ses := s.session(name)
		ses.mu.Lock()
		defer ses.mu.Unlock()
		if len(ses.mem) == 0 {
			return fmt.Errorf("%w: %s", ErrNotFound, name)
		}
		return nil
	}
	_, err := s.catalog.Locate(name)
	return err
}

// Rewind starts a branch: a Note "rewind" and the blocks the conversation goes on
// with are appended in one write. The message of this id and what was said after
// it stay in the transcript and leave the context. An id that the context doesn't
// hold gives ErrNotFound. The appended blocks are returned, without the Note.
func (s *Store) Rewind(ctx context.Context, name, id string, next ...transcript.Block) ([]transcript.Block, error) {
	if _, _, err := s.Message(ctx, name, id); err != nil {
		return nil, fmt.Errorf("rewinding %s: %w", name, err)
	}
	note := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: id}
	out, err := s.appendIf(ctx, name, nil, append([]transcript.Block{note}, next...)...)
	if err != nil {
		return nil, fmt.Errorf("writing to %s: %w", name, err)
	}
	return out[1:], nil
}

// Catalog finds the sessions of the folder and their files.
func (s *Store) Catalog() *catalog.Catalog { return s.catalog }

// Places reads the transcripts of the folder with the places of their blocks. What was
// forgotten is taken out of them before.
func (s *Store) Places() *places.Places { return places.New(s.openPurged) }

// List returns all sessions, archived ones too, last active first. One bad file never hides the others.
func (s *Store) List(ctx context.Context) ([]transcript.Info, error) { return s.catalog.List(ctx) }

// Resolve turns what a person typed into a session's name, see catalog.Catalog.Resolve.
func (s *Store) Resolve(ctx context.Context, source, name string) (string, error) {
	return s.catalog.Resolve(ctx, source, name)
}
