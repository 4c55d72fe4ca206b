package memory

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
)

// ErrDuplicate: the memory already holds this (or nearly this) lesson.
var ErrDuplicate = errors.New("memory already says so")

// Lesson is something to remember.
type Lesson struct {
	Text       string
	Target     Target
	Confidence float64 // 0 … 1; 1 for what the user said to remember, 0 where nothing is said
	Session    string  // where it was learnt; "" for by hand
	About      string  // the person it is about, as named; "" for the owner or nobody
	Hand       bool    // by the owner's own hand: written even beyond the budget

	proposed bool // it stands in the inbox already
}

// Memory reads and appends to the memory files of one data folder. It is safe for use by
// several goroutines and, through a file lock, by several processes.
type Memory struct {
	*store
	*inbox
	*Edits
}

// store reads the memory files and writes single lines of them. Memory and its inbox are
// built on it.
type store struct {
	root      folder
	logger    *slog.Logger
	room      room
	forgotten *forgotten.Record
	sieve     *sieve
	files     *sharedfile.Files
	waiting   inboxFile
	undos     undoList
	parser    parser
}

// parser takes the files' texts apart.
type parser struct {
	mu   sync.Mutex // guards what follows
	last map[string]parsed
}

// parsed is the text of a file as it was taken apart last: a turn that finds it unchanged
// doesn't do so again.
type parsed struct {
	text    string
	bullets []memorytext.Bullet
}

// Config is what Memory needs. Root is required.
type Config struct {
	Root   string
	Logger *slog.Logger
	// MaxPerson and MaxServer are how many lines the memory of a person and of a
	// server may hold; 5 and 100 where 0, none below 0.
	MaxPerson, MaxServer int
	// Budget is how many characters of a memory go into a prompt, 0 for any number.
	// Beyond it the oldest lines would be left out, so Append says ErrFull. Optional.
	Budget func(Target) int
	// Changed is called after each edit of a memory file by this process; optional.
	Changed func()
	// Shipped are the files that come with the product: no line of theirs is taken for
	// something that was said. Optional.
	Shipped fs.FS
}

// New returns the memory files under cfg.Root.
func New(cfg Config) *Memory {
	if cfg.Root == "" {
		panic("memory: Config.Root is required")
	}
	root := folder(cfg.Root)
	if abs, err := filepath.Abs(cfg.Root); err == nil {
		root = folder(abs)
	}
	s := &store{
		root: root, logger: cfg.Logger, parser: parser{last: map[string]parsed{}},
		room: room{person: cmp.Or(cfg.MaxPerson, 5), server: cmp.Or(cfg.MaxServer, 100), budget: cfg.Budget},
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	changed := cfg.Changed
	if changed == nil {
		changed = func() {}
	}
	s.forgotten = forgotten.NewRecord(string(root), s.logger)
	s.sieve = &sieve{root: root, forgotten: s.forgotten, shipped: sync.OnceValue(func() map[string]bool { return shippedLines(cfg.Shipped) })}
	s.files = sharedfile.New(sharedfile.Params{Root: string(root), Logger: s.logger, Sieve: s.sieve, Changed: changed, Journaled: root.isMemory})
	s.waiting = inboxFile{path: root.inbox(), files: s.files, sieve: s.sieve}
	s.undos = undoList{path: root.undo(), files: s.files, logger: s.logger}
	return &Memory{s, &inbox{s}, &Edits{s}}
}

// File is a memory file as it is on disk now.
type File struct {
	Target  Target
	Path    string
	Text    string // whole file, normalized to LF and valid UTF-8
	Bullets []memorytext.Bullet
	ModTime time.Time
	Missing bool
	Saving  bool  // another program is saving it: this is what was known before
	Err     error // from List: why the file could not be read
}

// Path is where the target's file is (or would be); "" for a target whose ID
// can't be part of a file name.
func (s *store) Path(t Target) string { return s.root.path(t) }

// Load gives a memory file as it is now; one that hasn't changed since the last
// time costs a stat. A missing file gives Missing and no error. While another program
// saves the file it is given as it was known before, with Saving: see LoadStable.
func (s *store) Load(t Target) (File, error) { return s.load(t, s.files.Read) }

// LoadStable is Load for a reader that must not miss an edit and must not take half a
// save for one: it waits for a save that is going on, up to about a second.
func (s *store) LoadStable(ctx context.Context, t Target) (File, error) {
	return s.load(t, func(path string) (sharedfile.Reading, error) { return s.files.ReadStable(ctx, path) })
}

func (s *store) load(t Target, read func(path string) (sharedfile.Reading, error)) (File, error) {
	path := s.Path(t)
	if path == "" {
		return File{Target: t}, badTarget(t)
	}
	r, err := read(path)
	return File{Target: t, Path: path, Text: r.Text, Bullets: s.parser.bullets(path, r.Text), ModTime: r.ModTime, Missing: r.Missing, Saving: r.Saving}, err
}

// bullets gives the bullets of a file's text.
func (p *parser) bullets(path, text string) []memorytext.Bullet {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last[path].text != text {
		p.last[path] = parsed{text, memorytext.Parse(text).Bullets()}
	}
	return slices.Clone(p.last[path].bullets)
}

// List returns every memory file there is, global first. A file that can't be
// read is there with its Err.
func (s *store) List() ([]File, error) {
	targets, err := s.root.targets()
	var files []File
	for _, t := range targets {
		f, err := s.LoadStable(context.Background(), t)
		f.Err = err
		if !f.Missing {
			files = append(files, f)
		}
	}
	return files, err
}
