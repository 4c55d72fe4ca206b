package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// ErrDuplicate: the memory already holds this (or nearly this) lesson.
var ErrDuplicate = errors.New("memory already says so")

// TargetKind names whose memory a file is.
type TargetKind string

// The kinds of memory files (channel, person and server come with Discord).
const (
	TargetGlobal  TargetKind = "global"
	TargetAgent   TargetKind = "agent"
	TargetChannel TargetKind = "channel"
	TargetPerson  TargetKind = "person"
	TargetServer  TargetKind = "server"
)

// Target is one memory file:
//
//	TargetGlobal   agents/memory.md; with an ID agents/memory-<id>.md (memory-main.md of the Rust app)
//	TargetAgent    agents/agent-<id>/memory.md
//	TargetChannel  agents/memory-discord-<id>.md
//	TargetPerson   memory/user-<id>.md
//	TargetServer   memory/server-<id>.md
type Target struct {
	Kind TargetKind
	ID   string
}

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

// Memory reads and appends to the memory files of one data folder. Files people
// own are never reformatted or reordered; writes re-read them first. It is safe
// for use by several goroutines and, through a file lock, by several processes.
type Memory struct {
	root                 string
	logger               *slog.Logger
	maxPerson, maxServer int
	budget               func(Target) int
	forgotten            *forgotten.Record
	changed              func()
	shipped              func() map[string]bool // lines
	locked               atomic.Bool            // the folder of the lock was made

	mu          sync.Mutex // guards what follows
	read        map[string]readMemory
	sights      map[string]sight           // files that may be in the middle of a save
	own         map[string]wholefile.Stamp // files as this process wrote them, by their real paths
	journalRead lineJournal
	journalStat os.FileInfo // of journalRead; nil: not read
	// journalDirty: the file holds lines that were forgotten, and journalRead doesn't.
	journalDirty bool
}

// readMemory is a memory file as it was read last: a turn that finds it unchanged
// doesn't take it apart again.
type readMemory struct {
	wholefile.Seen
	file File
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
	m := &Memory{
		root: cfg.Root, logger: cfg.Logger, read: map[string]readMemory{}, sights: map[string]sight{}, own: map[string]wholefile.Stamp{},
		maxPerson: cmp.Or(cfg.MaxPerson, 5), maxServer: cmp.Or(cfg.MaxServer, 100), budget: cfg.Budget,
	}
	if abs, err := filepath.Abs(cfg.Root); err == nil {
		m.root = abs
	}
	if m.logger == nil {
		m.logger = slog.New(slog.DiscardHandler)
	}
	if m.changed = cfg.Changed; m.changed == nil {
		m.changed = func() {}
	}
	m.forgotten = forgotten.NewRecord(m.root, m.logger)
	m.shipped = sync.OnceValue(func() map[string]bool { return shippedLines(cfg.Shipped) })
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

// Load gives a memory file as it is now; one that hasn't changed since the last
// time costs a stat. A missing file gives Missing and no error. While another program
// saves the file it is given as it was known before, with Saving: see LoadStable.
func (m *Memory) Load(t Target) (File, error) {
	f := File{Target: t, Path: m.Path(t)}
	if f.Path == "" {
		return f, badTarget(t)
	}
	m.mu.Lock()
	known := m.read[f.Path]
	m.mu.Unlock()
	now := time.Now()
	raw, fi, err := readChanged(f.Path, known)
	missing := errors.Is(err, fs.ErrNotExist)
	if (fi != nil || missing) && m.readsSaving(f.Path, fi, memorytext.Normalize(raw), known) {
		if known.Stat != nil {
			f = known.file
			f.Bullets = slices.Clone(f.Bullets)
		}
		f.Missing = known.Stat == nil && missing
		f.Saving = true
		return f, nil
	}
	if err == nil && isBinary(raw) {
		err = notText(f.Path)
	}
	raw, clean := m.purge(f.Path, raw)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		delete(m.read, f.Path)
	}
	if missing {
		f.Missing = true
		return f, nil
	}
	if err != nil {
		return f, wholefile.Explain("reading "+filepath.Base(f.Path), err)
	}
	if fi != nil {
		os.SameFile(fi, fi) // Windows asks for the identity when it is needed, by path: now, before the path means another file
		known = readMemory{Seen: wholefile.Seen{Stat: fi, At: now}, file: parseFile(f, raw, fi, known.file)}
		if m.read[f.Path] = known; !clean {
			delete(m.read, f.Path) // it is tried again with the next reading
		}
	}
	f = known.file
	f.Bullets = slices.Clone(f.Bullets)
	return f, nil
}

// readChanged reads a file unless it is as it is known; fi is nil then.
func readChanged(path string, known readMemory) (raw []byte, fi os.FileInfo, err error) {
	if now, err := os.Stat(path); err == nil && known.Unchanged(now) {
		return nil, nil, nil
	}
	return wholefile.ReadText(path)
}

// parseFile takes a file's bytes apart, unless they say what they said before.
func parseFile(f File, raw []byte, fi os.FileInfo, before File) File {
	f.ModTime = fi.ModTime()
	f.Text = memorytext.Normalize(raw)
	if f.Text == before.Text {
		f.Bullets = before.Bullets
		return f
	}
	f.Bullets = memorytext.Parse(f.Text).Bullets()
	return f
}

// Path is where the target's file is (or would be); "" for a target whose ID
// can't be part of a file name.
func (m *Memory) Path(t Target) string {
	if !goodTarget(t) {
		return ""
	}
	switch t.Kind {
	case TargetAgent:
		return filepath.Join(m.root, "agents", "agent-"+t.ID, "memory.md")
	case TargetChannel:
		return filepath.Join(m.root, "agents", "memory-discord-"+t.ID+".md")
	case TargetPerson:
		return filepath.Join(m.root, "memory", "user-"+t.ID+".md")
	case TargetServer:
		return filepath.Join(m.root, "memory", "server-"+t.ID+".md")
	default:
		if t.ID != "" {
			return filepath.Join(m.root, "agents", "memory-"+t.ID+".md")
		}
		return filepath.Join(m.root, "agents", "memory.md")
	}
}

// goodTarget says whether the target names a file inside its folder and no other.
func goodTarget(t Target) bool {
	switch t.Kind {
	case TargetGlobal:
		if t.ID == "" {
			return true
		}
		if t.ID == "inbox" || strings.HasPrefix(t.ID, "discord-") {
			return false
		}
	case TargetAgent, TargetChannel, TargetPerson, TargetServer:
	default:
		return false
	}
	if t.ID == "" || len(t.ID) > 100 || strings.Contains(t.ID, "..") {
		return false
	}
	return !strings.ContainsFunc(t.ID, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_. ", r) || r == unicode.ReplacementChar
	})
}

func badTarget(t Target) error {
	return fmt.Errorf("no memory is called %s %q; use the id of an agent, channel, person or server", t.Kind, t.ID)
}

// List returns every memory file there is, global first. A file that can't be
// read is there with its Err.
func (m *Memory) List() ([]File, error) {
	var targets []Target
	for _, p := range []struct {
		kind    TargetKind
		dir     string
		pattern [2]string // what the name begins and ends with
		inside  string
	}{
		{TargetGlobal, "agents", [2]string{"memory", ".md"}, ""},
		{TargetAgent, "agents", [2]string{"agent-", ""}, "memory.md"},
		{TargetChannel, "agents", [2]string{"memory-discord-", ".md"}, ""},
		{TargetPerson, "memory", [2]string{"user-", ".md"}, ""},
		{TargetServer, "memory", [2]string{"server-", ".md"}, ""},
	} {
		entries, err := os.ReadDir(filepath.Join(m.root, p.dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, wholefile.Explain("listing memories", err)
		}
		for _, e := range entries {
			id, ok := strings.CutPrefix(e.Name(), p.pattern[0])
			id, okEnd := strings.CutSuffix(id, p.pattern[1])
			t := Target{p.kind, strings.TrimPrefix(id, "-")}
			if p.kind != TargetGlobal {
				t.ID = id
			}
			if ok && okEnd && filepath.Join(m.root, p.dir, e.Name(), p.inside) == m.Path(t) {
				targets = append(targets, t)
			}
		}
	}
	return m.loadAll(targets), nil
}

func (m *Memory) loadAll(targets []Target) []File {
	var files []File
	for _, t := range targets {
		f, err := m.LoadStable(context.Background(), t)
		f.Err = err
		if !f.Missing {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b File) int {
		return targetRank(a.Target) - targetRank(b.Target)
	})
	return files
}

// targetRank puts agents/memory.md first and leaves the other files in order.
func targetRank(t Target) int {
	if t == (Target{Kind: TargetGlobal}) {
		return 0
	}
	return 1
}
