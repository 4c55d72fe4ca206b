package memory

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sharedfile"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// WhyForgotten marks a proposal to remove a lesson that was learned from something
// forgotten.
const WhyForgotten = "forgotten"

// Forgotten returns the record of what was forgotten in the data folder.
func (m *Memory) Forgotten() *forgotten.Record { return m.forgotten }

// forgettable returns the text files that hold memory or may hold it: those of agents, the
// memory and skills, files in agents/.trash, and copies. It also returns the folders that
// can't be read.
func (f folder) forgettable() (files []string, refused []forgotten.Touched) {
	for _, dir := range []string{"agents", "memory", "skills"} {
		_ = filepath.WalkDir(filepath.Join(string(f), dir), func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				refused = append(refused, forgotten.Touched{Place: "folder", Action: forgotten.Refused, Path: p, Why: wholefile.WhyNot(err)})
			case err == nil && !d.IsDir() && IsMemoryText(d.Name()):
				files = append(files, p)
			}
			return nil
		})
	}
	return files, refused
}

// IsMemoryText reports whether a file in the folders of agents, the memory and skills is a
// text file, or a copy of one made by an editor or a sync program. Memory.Forget looks into
// such files.
func IsMemoryText(name string) bool {
	for _, end := range []string{transcript.FileSuffix, ".md~", ".md.bak", ".md.old", ".md.orig", ".txt"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// Forget removes what the traces match from the memory files of all kinds (line by line),
// the inbox, the list of undoable changes, and unsaved edits. It reports what it couldn't
// remove as forgotten.Refused.
func (m *Memory) Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	if t.Empty() {
		return nil, nil
	}
	files, refused := m.root.forgettable()
	written := files
	if dry {
		written = nil
	}
	unlock, err := m.files.LockStill(ctx, written...)
	if err != nil {
		return nil, err
	}
	found := m.sieve.forgetJournal(m.files.Journal(), t, dry) // first: a line that goes from a file must also go from the journal
	var propose []Proposal
	found = append(found, refused...)
	for _, path := range files {
		f := &pass{s: m.sieve, t: t, path: path, dry: dry}
		found = append(found, f.run(m.files)...)
		propose = append(propose, f.propose...)
	}
	found = append(found, m.undos.forget(t, dry)...)
	found = append(found, m.forgetUnsaved(t, dry)...)
	if !dry {
		m.files.CleanReplaced()
	}
	unlock()
	for _, p := range propose {
		touched := forgotten.Touched{Place: "lesson", Action: forgotten.Proposed, Path: m.Path(p.Target), Line: p.Line, Session: p.Session, Text: p.Old}
		if !dry {
			touched.Text = ""
			if _, err := m.Propose(ctx, p); err != nil && !errors.Is(err, ErrDuplicate) {
				touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
			}
		}
		found = append(found, touched)
	}
	return found, ctx.Err()
}

func (f *pass) run(files *sharedfile.Files) []forgotten.Touched {
	raw, fi, err := wholefile.ReadText(f.path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			f.refuse(err)
		}
		return f.found
	}
	shipped := f.shippedHeld(raw)
	if !f.t.Own().Typed && f.place() == placeAgent {
		if f.t.HoldsRaw(f.s.unshipped(raw)) {
			f.found = append(f.found, forgotten.Touched{Place: placeAgent, Action: forgotten.Kept, Path: f.path, Why: "you wrote the same here; with copies it goes too"})
		}
		return append(f.found, shipped...)
	}
	out := f.clean(raw)
	f.found = append(f.found, shipped...)
	if f.changed {
		f.found = append(f.found, forgotten.OtherNames(f.path, "", fi)...)
	}
	if !f.changed || f.dry {
		return f.found
	}
	done := f.found
	f.found = nil
	if fi.Mode().Perm()&0o200 == 0 {
		f.refuse(errors.New("it is read-only; give yourself the right to write it, then run it again"))
		return f.found
	}
	err = files.Edit(f.path, func(now []byte) ([]byte, error) {
		if !bytes.Equal(now, raw) {
			f.found, f.propose = nil, nil
			out = f.clean(now)
			done, f.found = append(f.found, f.shippedHeld(now)...), nil
		}
		return out, nil
	})
	if err != nil {
		f.refuse(err)
		return f.found
	}
	return done
}

// Clean returns the text of a file that people own without what was forgotten, and removes
// that from the file too. Files that Forget doesn't look into stay as they are.
func (m *Memory) Clean(path string, text []byte) []byte {
	if !IsMemoryText(filepath.Base(path)) || !wholefile.IsWithin(filepath.Clean(path), string(m.root)) {
		return text
	}
	out, _ := m.files.Purge(path, text)
	return out
}

// Unshipped returns a file without the lines that come with the product. The rest was
// written by people, or by programs on their behalf.
func (m *Memory) Unshipped(data []byte) []byte { return m.sieve.unshipped(data) }
