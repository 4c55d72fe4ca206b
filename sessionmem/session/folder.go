package session

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/erase"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/turn"
	"mac-stats/sessionmem/wholefile"
)

// Config holds what a Folder needs.
type Config struct {
	Dir       *sessiondir.Dir // nil: everything stays in memory
	CacheDir  string          // for the catalog and the sieve; "": none
	Forgotten *forgotten.Record
	Logger    *slog.Logger

	// MaxFileBytes returns how many bytes a transcript may have before the next block
	// starts another part of the session. 0, or a nil function, means no limit. It is
	// called for each append.
	MaxFileBytes func() int64

	// OnRefused is called whenever the blocks that wait for the disk change. If it is set,
	// an append that the disk refuses (full, missing, not permitted, failing) succeeds:
	// its blocks stay in memory, are part of the context, and are written in order before
	// anything new, see Folder.KeepSaving. Without it, such an append is an error. It is
	// called while the session is locked, so it must not use the folder.
	OnRefused func(Refused)

	// Rescue is a folder, best on another disk, that holds a copy of the waiting blocks
	// until they are written; "" for none. Only this process may use it.
	Rescue string
}

// Folder holds the sessions of one folder as this process knows them.
type Folder struct {
	*shared
	seed maphash.Seed // for hashes of IDs, in this process only

	mu       sync.Mutex // guards sessions; never held while a session's lock is taken
	sessions map[string]*Session
}

// New returns the sessions of a folder and picks up what an earlier process could not save.
func New(cfg Config) *Folder {
	f := &Folder{
		shared: &shared{
			dir: cfg.Dir, forgotten: cfg.Forgotten, sieve: sieve.New(cfg.Dir, cfg.CacheDir, cfg.Forgotten), logger: cfg.Logger,
			maxBytes: cfg.MaxFileBytes, onRefused: cfg.OnRefused, rescue: cfg.Rescue, retry: make(chan struct{}, 1),
		},
		seed:     maphash.MakeSeed(),
		sessions: map[string]*Session{},
	}
	f.catalog = catalog.New(catalog.Config{Dir: f.dir, Sieve: f.sieve, CacheDir: cfg.CacheDir, Logger: f.logger, Held: f.inMemory, Private: f.IsPrivate, Clean: f.purge})
	f.eraser = erase.New(f.dir, f.catalog, f.logger)
	f.journals = &journal.Folder{Dir: f.dir, Catalog: f.catalog, Sieve: f.sieve, Logger: f.logger, Purge: func(ctx context.Context, name string) error {
		return f.eraser.Purge(ctx, f.forgotten.Traces(), name)
	}}
	if f.dir != nil {
		f.takeRescued()
	}
	return f
}

// Close tries once more to save what waits for the disk, and releases the turns of this
// process. The error says what is lost.
func (f *Folder) Close() error {
	err := f.lastSave()
	for _, s := range f.all() {
		if lock := s.held.Load(); lock != nil {
			lock.Unlock()
		}
	}
	return err
}

// Catalog returns the catalog, which finds the sessions of the folder and their files.
func (f *Folder) Catalog() *catalog.Catalog { return f.catalog }

// Session returns the session of that name, a new one if there is none.
func (f *Folder) Session(name string) *Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sessions[name]
	if s == nil {
		s = &Session{}
		s.turn = turn.New(f.dir, name, f.logger)
		s.shared, s.name, s.index = f.shared, name, branch.NewIndex(f.seed)
		s.journal = f.journals.Of(name, journaled{&s.state})
		s.private.Store(f.dir == nil)
		f.sessions[name] = s
	}
	return s
}

// known returns a session that this process has used, or nil.
func (f *Folder) known(name string) *Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sessions[name]
}

// all returns the sessions this process knows.
func (f *Folder) all() []*Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.sessions))
}

// IsPrivate reports whether a session is kept in memory only.
func (f *Folder) IsPrivate(name string) bool {
	s := f.known(name)
	return f.dir == nil || s != nil && s.IsPrivate()
}

// Held calls Session.Held for a session that this process may not know.
func (f *Folder) Held(name string) (held, turn bool) {
	if s := f.known(name); s != nil {
		return s.Held()
	}
	return false, false
}

// IsTaken reports whether a session of this name exists.
func (f *Folder) IsTaken(name string) (bool, error) {
	_, err := f.catalog.Locate(name)
	return f.taken(name, err)
}

// taken reports whether a name is taken, given the error of looking for its files.
func (f *Folder) taken(name string, looked error) (bool, error) {
	if errors.Is(looked, ErrNotFound) {
		s := f.known(name)
		return s != nil && s.IsPrivate(), nil
	}
	return true, looked
}

// NewName returns an unused session name for a source: "cpu" → "cpu-k3x9qa".
func (f *Folder) NewName(source string) string {
	for {
		name := source + "-" + transcript.RandomID(6)
		_, err := f.catalog.Of(name) // one look at the whole folder is enough
		taken, err := f.taken(name, err)
		if err != nil {
			return name // the folder can't be read: the first append returns the reason
		}
		if !taken {
			f.Session(name).setFresh()
			return name
		}
	}
}

// inMemory returns the sessions that exist only in memory: private ones, and those
// the disk has refused since their first block.
func (f *Folder) inMemory() []transcript.Info {
	var infos []transcript.Info
	for _, s := range f.all() {
		if info, ok := s.memoryInfo(); ok {
			infos = append(infos, info)
		}
	}
	return infos
}

// Rest frees the memory of sessions that nobody has used for idle: their context and the
// ids of their blocks. The next use reads the transcript again. Sessions that exist only in
// memory stay, and so do those whose turn is running. It returns how many were freed.
func (f *Folder) Rest(idle time.Duration) int {
	rested := 0
	for _, s := range f.all() {
		if s.rest(idle) {
			rested++
		}
	}
	return rested
}

// InTurn reports whether a turn is running in any session, in this process or another.
func (f *Folder) InTurn() bool {
	if slices.ContainsFunc(f.all(), func(s *Session) bool { return s.held.Load() != nil }) {
		return true
	}
	return f.dir != nil && turn.AnyRuns(f.dir)
}

// Forget forgets in what only this process holds: private sessions, and blocks that wait for
// the disk.
func (f *Folder) Forget(t *forgotten.Traces) {
	for _, s := range f.all() {
		s.forget(t)
	}
}

// Eraser returns the Eraser that removes forgotten text from the files of the folder.
func (f *Folder) Eraser() *erase.Eraser { return f.eraser }

// EachForgettable calls each for every block that forgetting looks at: those of private
// sessions and of all files, see erase.Eraser.Each. It covers these sessions; nil means all.
func (f *Folder) EachForgettable(ctx context.Context, sessions map[string]bool, each func(session, path string, b transcript.Block)) error {
	for _, s := range f.all() {
		if s.IsPrivate() && (sessions == nil || sessions[s.name]) {
			for _, b := range s.privateBlocks() {
				each(s.name, "", b)
			}
		}
	}
	if f.dir == nil {
		return nil
	}
	return f.eraser.Each(ctx, sessions, each)
}

// purge removes what was forgotten from a session's files. The caller holds no lock.
func (f *Folder) purge(ctx context.Context, name string) error {
	if transcript.CheckName(name) != nil { // a file with its own name: nobody writes to it
		return f.eraser.Purge(ctx, f.forgotten.Traces(), name)
	}
	return f.Session(name).purgeUnlocked(ctx)
}

// Open opens a file of the folder for reading. What was forgotten is removed from it first.
func (f *Folder) Open(ctx context.Context, file string) (*os.File, error) {
	opened, err := f.catalog.Open(file)
	if !errors.Is(err, sieve.ErrHoldsForgotten) {
		return opened, err
	}
	if err := f.purge(ctx, f.catalog.EntryOf(file).Session); err != nil {
		return nil, err
	}
	return f.catalog.Open(file)
}

// LoadFile reads any transcript by path, in any known or older form. If it is part of a
// session, the parts beside it are read too: Info.Parts lists them all, and Info.Path is the
// path that was given.
func (f *Folder) LoadFile(path string) (*transcript.Transcript, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	t, err := f.catalog.ReadPath(path, f.purgePath)
	if err != nil {
		return nil, err
	}
	f.sieve.Clean(t)
	return t, nil
}

// purgePath removes what was forgotten from the transcript at path, if that leads into the
// session folder.
func (f *Folder) purgePath(path string) error {
	if f.dir == nil || !wholefile.IsWithin(path, f.dir.Path("")) {
		return nil
	}
	file, err := f.Open(context.Background(), f.dir.Relative(path))
	if errors.Is(err, sieve.ErrHoldsForgotten) {
		return err
	}
	if err == nil {
		_ = file.Close() // read only
	}
	return nil
}
