package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
)

// ErrDuplicate means that the memory already holds this lesson, or nearly the same one.
var ErrDuplicate = errors.New("memory already says so")

// Lesson is something to remember.
type Lesson struct {
	Text       string
	Target     Target
	Confidence float64 // 0 … 1; 1 for what the user said to remember, 0 if unknown
	Session    string  // the session it was learned in; "" if written by hand
	About      string  // the name of the person it is about; "" for the owner or nobody
	Hand       bool    // written by the owner: may exceed the budget
}

// Memory reads and appends to the memory files of one data folder. It is safe for
// concurrent use by several goroutines and, with a file lock, by several processes.
type Memory struct {
	*store
	*inbox
	*Edits
}

// store reads the memory files and writes single lines of them. Memory, its inbox and Edits
// are built on it.
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
	spare     string // a key for hashes, if none can be written
}

// parser parses the texts of the files.
type parser struct {
	mu   sync.Mutex // guards the fields below
	last map[string]parsed
}

// parsed is the last text of a file with its bullets. A turn that finds the text unchanged
// doesn't parse it again.
type parsed struct {
	text    string
	bullets []memorytext.Bullet
}

// Config holds the dependencies of Memory. Root is required.
type Config struct {
	Root   string
	Logger *slog.Logger
	// MaxPerson and MaxServer are the maximum numbers of lines in the memory of a person
	// and of a server: 5 and 100 if 0, none if negative.
	MaxPerson, MaxServer int
	// Budget returns the number of characters of a memory that go into a prompt, 0 for no
	// limit. Beyond it the oldest lines would be left out, so Append returns ErrFull.
	// Optional.
	Budget func(Target) int
	// Changed is called after each edit of a memory file by this process. Optional.
	Changed func()
	// Shipped holds the files that come with the product. None of their lines counts as
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
		root: root, logger: cfg.Logger, parser: parser{last: map[string]parsed{}}, spare: rand.Text(),
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
	s.files = sharedfile.New(sharedfile.Params{Root: string(root), Logger: s.logger, Sieve: s.sieve, Changed: changed, Journaled: root.isMemory, Ships: func(agent string) bool {
		if cfg.Shipped == nil {
			return false
		}
		_, err := fs.Stat(cfg.Shipped, "agents/"+agent)
		return err == nil
	}})
	s.waiting = inboxFile{path: root.inbox(), files: s.files, sieve: s.sieve}
	s.undos = undoList{path: root.undo(), files: s.files, logger: s.logger}
	return &Memory{s, &inbox{s}, &Edits{s}}
}

// File is a memory file as it is on disk now.
type File struct {
	Target  Target
	Path    string
	Text    string // the whole file, normalised to LF and valid UTF-8
	Bullets []memorytext.Bullet
	ModTime time.Time
	Missing bool
	Saving  bool   // another program is saving it; this is its state before
	Charset string // in which it was read, if it isn't Unicode; it is a guess
	Err     error  // set by List if the file couldn't be read
}

// Odd says what makes a file's text another than a person meant, and what helps; "" if nothing
// does. It is read all the same.
func (f File) Odd() string {
	head := strings.ToLower(strings.TrimSpace(f.Text[:min(len(f.Text), 100)]))
	switch {
	case f.Charset != "":
		return "isn't UTF-8 and is read as " + f.Charset + "; save it as UTF-8 in your editor if letters are wrong"
	case strings.HasPrefix(head, `{\rtf`), strings.HasPrefix(head, "<html"), strings.HasPrefix(head, "<!doctype"):
		return "is RTF or HTML, and its markup is read too; save it as plain text"
	case strings.Contains("\n"+f.Text, "\n<<<<<<< ") && strings.Contains(f.Text, "\n>>>>>>> "):
		return "holds two versions between marks of a merge, and both are read; keep one and remove the marks"
	}
	return ""
}

// Path returns the path of the target's file, whether or not the file exists; "" if the
// target's ID can't be part of a file name.
func (s *store) Path(t Target) string { return s.root.path(t) }

// Load returns a memory file as it is now. If it hasn't changed since the last call, that
// costs one stat. A missing file is no error: Missing is set. While another program saves
// the file, Load returns its state before with Saving set; see LoadStable.
func (s *store) Load(t Target) (File, error) { return s.load(t, s.files.Read) }

// LoadStable is like Load, for callers that must not miss an edit or see half a save: it
// waits up to about a second for a save to finish.
func (s *store) LoadStable(ctx context.Context, t Target) (File, error) {
	return s.load(t, func(path string) (sharedfile.Reading, error) { return s.files.ReadStable(ctx, path) })
}

func (s *store) load(t Target, read reader) (File, error) {
	path := s.Path(t)
	if path == "" {
		return File{Target: t}, badTarget(t)
	}
	r, err := read(path)
	return File{Target: t, Path: path, Text: r.Text, Bullets: s.parser.bullets(path, r.Text), ModTime: r.ModTime, Missing: r.Missing, Saving: r.Saving, Charset: r.Charset}, err
}

// bullets returns the bullets of a file's text.
func (p *parser) bullets(path, text string) []memorytext.Bullet {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last[path].text != text {
		p.last[path] = parsed{text, memorytext.Parse(text).Bullets()}
	}
	return slices.Clone(p.last[path].bullets)
}

// List returns all memory files that exist or did, global first. A file that can't be read,
// or is missing although it was there before, has Err set.
func (s *store) List() ([]File, error) {
	return s.list(s.stable)
}

// reader reads a file: one that waits for a save, or one that doesn't.
type reader func(path string) (sharedfile.Reading, error)

func (s *store) stable(path string) (sharedfile.Reading, error) {
	return s.files.ReadStable(context.Background(), path)
}

func (s *store) list(read reader) ([]File, error) {
	targets, err := s.root.targets(s.files.Known())
	var files []File
	for _, t := range targets {
		f, err := s.load(t, read)
		if f.Err = err; !f.Missing || err != nil {
			files = append(files, f)
		}
	}
	return files, err
}
