package forget

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/wholefile"
)

// folders is everything else below the data folder and the cache: drafts, logs, crash
// reports, caches, files half written before a crash, and files of other programs. It
// ensures that nothing is missed.
type folders struct {
	root, cache string
	store       *sessionmem.Store
	memory      *memory.Memory
}

// Forget looks into every file that no other place is responsible for. It looks into
// another place's database after that place, because nothing may be left in its free pages.
func (p *folders) Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	var found []forgotten.Touched
	for _, root := range []string{p.root, p.cache} {
		eachFile(root, func(path string, d fs.DirEntry) {
			if ctx.Err() != nil || isIndex(d.Name()) || root == p.root && (p.isElsewhere(path) || dry && strings.HasPrefix(d.Name(), "state.db")) {
				return
			}
			found = append(found, p.file(t, path, dry)...)
		})
	}
	return found, ctx.Err()
}

// isIndex reports whether a file belongs to the search index, which erases its own files.
func isIndex(name string) bool { return strings.HasPrefix(name, "recall.db") }

// isElsewhere reports whether another place is responsible for a file.
func (p *folders) isElsewhere(path string) bool {
	rel, err := filepath.Rel(p.root, path)
	if err != nil {
		return true
	}
	rel = filepath.ToSlash(rel)
	switch top, rest, _ := strings.Cut(rel, "/"); top {
	case "forgotten.jsonl", "forgotten.key":
		return true
	case "session":
		return strings.HasSuffix(rel, ".md") || strings.HasPrefix(rest, "files/") && !strings.HasSuffix(rel, ".tmp") ||
			strings.HasPrefix(rest, ".trash/") && !strings.HasSuffix(rel, ".tmp")
	case "agents", "memory", "skills":
		return memory.IsMemoryText(rest) || rest == ".memory-undo" || rest == ".memory-journal" || strings.HasPrefix(rest, ".unsaved/") && !strings.Contains(rest, ".tmp")
	}
	return false
}

// file removes matching text from one file, depending on its kind.
func (p *folders) file(t *forgotten.Traces, path string, dry bool) []forgotten.Touched {
	data, err := readSmall(path)
	if err != nil {
		return nil
	}
	text := wholefile.DecodeText(data)
	name := filepath.Base(path)
	if name == "drafts.json" {
		return p.drafts(t, path, data, dry)
	}
	switch {
	case strings.HasSuffix(name, ".md") && strings.HasPrefix(filepath.Base(filepath.Dir(path)), "unsaved-"):
		return forgetCopy("unsaved message", path, t, dry)
	case bytes.HasPrefix(data, []byte("---\nformat: mac-stats-session/")): // whatever name an editor or a backup gave it
		return forgetCopy("export", path, t, dry)
	}
	if !t.HoldsRaw(text) {
		return nil
	}
	touched := forgotten.Touched{Path: path}
	switch {
	case strings.Contains(name, ".tmp") || strings.HasSuffix(name, ".part"):
		touched.Place, touched.Action = "half-written file", forgotten.Removed
		err = unless(dry, func() error { return removeStale(path) })
	case filepath.Dir(path) == filepath.Join(p.root, "logs") || strings.HasSuffix(name, ".log"):
		touched.Place, touched.Action = "log", forgotten.Emptied
		err = unless(dry, func() error { return blank(path, t) })
	case p.cache != "" && strings.HasPrefix(path, p.cache+string(filepath.Separator)):
		touched.Place, touched.Action = "cache", forgotten.Removed
		err = unless(dry, func() error { return os.Remove(path) })
	case t.Own().Guest, name == ".shipped.json":
		return nil // the owner's files may say the same; names of shipped files, and hashes
	case !t.HoldsRaw(p.memory.Unshipped(text)):
		touched = memory.ShippedTouched("other file", path, 1)
	default:
		touched.Place, touched.Action = "other file", forgotten.Refused
		touched.Why = "mac-stats doesn't know how to change this file without harm; take the words out, or remove it"
	}
	if err != nil {
		touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
	}
	return []forgotten.Touched{touched}
}

func unless(dry bool, work func() error) error {
	if dry {
		return nil
	}
	return work()
}

// stillWritten is how long a file that is being written may take to get its final name.
const stillWritten = 3 * time.Second

// removeStale removes a file that was half written before a crash. A file that is being
// written gets its final name within a moment, and its content was checked before.
func removeStale(path string) error {
	for {
		fi, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || time.Since(fi.ModTime()) > stillWritten {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// blank overwrites matching text in a file that another process continues to write. All
// bytes keep their offsets.
func blank(path string, t *forgotten.Traces) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	marks := t.FindRaw(data)
	if err == nil && len(marks) == 0 {
		err = errors.New("it is not in UTF-8; remove it")
	}
	for _, m := range marks {
		if err == nil {
			_, err = f.WriteAt(bytes.Repeat([]byte{'*'}, m.To-m.From), int64(m.From))
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// draftsFile is the relevant part of the window's drafts.json; the rest of it stays.
type draftsFile struct {
	Format   string                     `json:"format"`
	Written  json.RawMessage            `json:"written,omitempty"`
	Sessions map[string]json.RawMessage `json:"sessions"`
}

// drafts removes the drafts with matching text, and those of sessions that go. If text that
// the user typed elsewhere doesn't match, drafts with matching text stay: they weren't
// sent.
func (p *folders) drafts(t *forgotten.Traces, path string, data []byte, dry bool) []forgotten.Touched {
	var file draftsFile
	if json.Unmarshal(data, &file) != nil {
		if !t.HoldsRaw(data) {
			return nil
		}
		err := unless(dry, func() error { return os.Remove(path) })
		return draftsTouched(path, "", err)
	}
	var found []forgotten.Touched
	for name, draft := range file.Sessions {
		if t.MatchesSession(name) || t.HoldsRaw(draft) && t.Own().Typed {
			delete(file.Sessions, name)
			found = append(found, draftsTouched(path, name, nil)...)
		}
	}
	if len(found) == 0 || dry {
		return found
	}
	out, err := json.MarshalIndent(file, "", "  ")
	if err == nil {
		err = wholefile.Write(path, out, 0o600)
	}
	if err != nil {
		return draftsTouched(path, "", err)
	}
	return found
}

func draftsTouched(path, session string, err error) []forgotten.Touched {
	t := forgotten.Touched{Place: "draft", Action: forgotten.Removed, Path: path, Session: session}
	if err != nil {
		t.Action, t.Why = forgotten.Refused, wholefile.WhyNot(err)
	}
	return []forgotten.Touched{t}
}
