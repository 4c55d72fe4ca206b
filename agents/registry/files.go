package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// maxFileBytes limits the size of an agent's or a skill's file. It is far above any
// prompt a model can read, and keeps a misplaced log file out of memory.
const maxFileBytes = 1 << 20

var errNotRegular = errors.New("is not a regular file")

// file is the text of an agent's or a skill's file.
type file struct {
	text string // normalised
	raw  []byte // of a shipped file; nil for one of the folder
}

// read reads a file of the folder.
func (r *Registry) read(path string) (file, error) {
	data, err := wholefile.Read(path, maxFileBytes)
	switch {
	case errors.Is(err, wholefile.ErrTooLarge):
		err = fmt.Errorf("is larger than %d KB", maxFileBytes>>10)
	case errors.Is(err, wholefile.ErrNotFile):
		err = errNotRegular
	case bytes.IndexByte(data, 0) >= 0:
		err = errors.New("is not a text file")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		r.failed.Store(true)
	}
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", filepath.Base(path), withoutPath(err))
	}
	text := NormalizeText(data)
	if r.clean != nil {
		text = string(r.clean(path, []byte(text)))
	}
	return file{text: text}, nil
}

// folder is what the folder held when it was read.
type folder struct {
	seen   []seen
	agents []Agent
	skills []Skill
	notes  []string // about files that only look like agents
	resets string   // the text of reset-phrases.md
}

// seen is the state of a file, or that there is a folder.
type seen struct {
	path string
	wholefile.Seen
}

// current returns what the folder holds now. It costs a stat for each file if nothing
// changed, and otherwise reads all of them. It also does so after a failure, which may pass
// without a trace in a file's state.
func (r *Registry) current() *folder {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.look()
	if r.failed.Swap(false) || r.known == nil || !slices.EqualFunc(r.known.seen, now, func(was, is seen) bool {
		return was.path == is.path && (was.Stat.IsDir() && is.Stat.IsDir() || was.Unchanged(is.Stat))
	}) {
		r.known = r.readAll()
		r.known.seen = now
	}
	return r.known
}

// look returns the state of all files that agents and skills are read from.
func (r *Registry) look() []seen {
	var list []seen
	at := time.Now()
	add := func(path string) {
		info, err := os.Stat(path)
		if err != nil {
			info, err = os.Lstat(path) // a link that leads nowhere takes a shipped file's place
		}
		if err == nil {
			os.SameFile(info, info) // Windows looks up the identity lazily by path; do it before the path means another file
			list = append(list, seen{path, wholefile.Seen{Stat: info, At: at}})
		}
	}
	agents := r.agentsDir()
	add(filepath.Join(agents, "soul.md"))
	add(filepath.Join(agents, "reset-phrases.md"))
	for _, dir := range []string{agents, filepath.Join(agents, "skills"), filepath.Join(r.root, "skills")} {
		parts := []string{"SKILL.md"}
		if dir == agents {
			parts = []string{"agent.json", "skill.md", "soul.md", "mood.md", "examples.md"}
		}
		entries, _ := os.ReadDir(dir) // readAll reports the error
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case strings.HasPrefix(e.Name(), "."), dir == agents && strings.HasSuffix(e.Name(), ".md") && !mayBeAgentFile(e.Name()):
				continue // memory, which changes often
			}
			add(path)
			if filepath.Ext(path) != ".md" {
				for _, name := range parts {
					add(filepath.Join(path, name))
				}
			}
		}
	}
	return list
}

// withoutPath drops the path that a PathError repeats.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// NormalizeText returns the text as valid UTF-8 with LF line ends, without a byte order
// mark or outer blank lines.
func NormalizeText(data []byte) string {
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	text = strings.TrimPrefix(text, "\uFEFF")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	return strings.TrimSpace(text)
}
