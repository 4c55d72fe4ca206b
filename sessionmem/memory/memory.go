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
	root      folder
	logger    *slog.Logger
	room      room
	forgotten *forgotten.Record
	sieve     *sieve
	files     *sharedfile.Files
	inbox     inbox
	undos     undoList
	*Edits
	parser parser
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
	m := &Memory{
		root: root, logger: cfg.Logger, parser: parser{last: map[string]parsed{}},
		room: room{person: cmp.Or(cfg.MaxPerson, 5), server: cmp.Or(cfg.MaxServer, 100), budget: cfg.Budget},
	}
	if m.logger == nil {
		m.logger = slog.New(slog.DiscardHandler)
	}
	changed := cfg.Changed
	if changed == nil {
		changed = func() {}
	}
	m.forgotten = forgotten.NewRecord(string(root), m.logger)
	m.sieve = &sieve{root: root, forgotten: m.forgotten, shipped: sync.OnceValue(func() map[string]bool { return shippedLines(cfg.Shipped) })}
	m.files = sharedfile.New(sharedfile.Params{Root: string(root), Logger: m.logger, Sieve: m.sieve, Changed: changed, Journaled: root.isMemory})
	m.Edits = &Edits{root: root, files: m.files, sieve: m.sieve}
	m.inbox = inbox{path: root.inbox(), files: m.files, sieve: m.sieve}
	m.undos = undoList{path: root.undo(), files: m.files, logger: m.logger}
	return m
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
func (m *Memory) Path(t Target) string { return m.root.path(t) }

// Load gives a memory file as it is now; one that hasn't changed since the last
// time costs a stat. A missing file gives Missing and no error. While another program
// saves the file it is given as it was known before, with Saving: see LoadStable.
func (m *Memory) Load(t Target) (File, error) { return m.load(t, m.files.Read) }

// LoadStable is Load for a reader that must not miss an edit and must not take half a
// save for one: it waits for a save that is going on, up to about a second.
func (m *Memory) LoadStable(ctx context.Context, t Target) (File, error) {
	return m.load(t, func(path string) (sharedfile.Reading, error) { return m.files.ReadStable(ctx, path) })
}

func (m *Memory) load(t Target, read func(path string) (sharedfile.Reading, error)) (File, error) {
	path := m.Path(t)
	if path == "" {
		return File{Target: t}, badTarget(t)
	}
	r, err := read(path)
	return File{Target: t, Path: path, Text: r.Text, Bullets: m.parser.bullets(path, r.Text), ModTime: r.ModTime, Missing: r.Missing, Saving: r.Saving}, err
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
func (m *Memory) List() ([]File, error) {
	targets, err := m.root.targets()
	var files []File
	for _, t := range targets {
		f, err := m.LoadStable(context.Background(), t)
		f.Err = err
		if !f.Missing {
			files = append(files, f)
		}
	}
	return files, err
}
