package sharedfile_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sharedfile"
)

var (
	must      = filetest.Must
	readFile  = filetest.Read
	writeFile = filetest.Write
)

// rig is a data folder whose files people and the app write.
type rig struct {
	*sharedfile.Files
	t     *testing.T
	root  string
	path  string // of a memory
	sieve *sieve
	log   *bytes.Buffer
	edits int // that were reported
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, root: t.TempDir(), sieve: &sieve{}, log: &bytes.Buffer{}}
	r.path = filepath.Join(r.root, "agents", "memory.md")
	r.Files = r.again()
	return r
}

// again opens the files as another process does.
func (r *rig) again() *sharedfile.Files {
	return sharedfile.New(sharedfile.Params{
		Root: r.root, Logger: slog.New(slog.NewTextHandler(r.log, nil)), Sieve: r.sieve,
		Journaled: func(path string) bool { return filepath.Base(path) == "memory.md" },
		Changed:   func() { r.edits++ },
	})
}

// sieve forgets all lines that hold a word.
type sieve struct {
	word    string
	ongoing bool // the forgetting isn't completed
}

func (s *sieve) Without(_ string, raw []byte) []byte {
	if s.word == "" {
		return raw
	}
	var out []byte
	for line := range bytes.Lines(raw) {
		if !bytes.Contains(line, []byte(s.word)) {
			out = append(out, line...)
		}
	}
	return out
}

func (s *sieve) WithoutOver(path string, raw []byte) []byte {
	if s.ongoing {
		return raw
	}
	return s.Without(path, raw)
}

func (s *sieve) Returned(_, line string) bool {
	return s.word != "" && strings.Contains(line, s.word)
}

// saved saves a file as an editor did a minute ago.
func saved(t testing.TB, path, text string) {
	t.Helper()
	filetest.Replace(t, path, text)
	rest(t, path)
}

// rest makes a file look as if it hadn't been touched for a minute.
func rest(t testing.TB, path string) {
	t.Helper()
	then := time.Now().Add(-time.Minute)
	must(t, os.Chtimes(path, then, then))
}

// edit replaces the memory's text by the result of change, under the lock.
func (r *rig) edit(change func(text string) string) error {
	r.t.Helper()
	unlock, err := r.LockStill(r.t.Context(), r.path)
	must(r.t, err)
	defer unlock()
	return r.Edit(r.path, func(raw []byte) ([]byte, error) { return []byte(change(string(raw))), nil })
}

// add appends a line to the memory.
func (r *rig) add(line string) {
	r.t.Helper()
	must(r.t, r.edit(func(text string) string { return text + line + "\n" }))
}

// lines returns the texts of the journal.
func lines(f *sharedfile.Files) string {
	var texts []string
	for _, l := range f.Journal().Lines() {
		texts = append(texts, l.Text())
	}
	return strings.Join(texts, "|")
}

// touch gives a file the bubble's time.
func touch(t testing.TB, path string) {
	t.Helper()
	must(t, os.Chtimes(path, time.Now(), time.Now()))
}

// state gives the memory the state of a save, at once and with the bubble's time.
func (r *rig) state(text string) {
	r.t.Helper()
	writeFile(r.t, r.path+".new", text)
	touch(r.t, r.path+".new")
	must(r.t, os.Rename(r.path+".new", r.path))
}
