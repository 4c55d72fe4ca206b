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

// WhyForgotten says that a proposal would remove what was learnt from something
// forgotten.
const WhyForgotten = "forgotten"

// Forgotten gives what was forgotten in the data folder.
func (m *Memory) Forgotten() *forgotten.Record { return m.forgotten }

// forgettable gives the text files that hold memory, or may: those of agents, of
// memory and skills, what lies in agents/.trash, and copies; and the folders that can't
// be read.
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

// IsMemoryText says whether a file in the folders of agents, memory and skills is a text
// of lines, or an editor's or a sync's copy of one: Memory.Forget looks at it.
func IsMemoryText(name string) bool {
	for _, end := range []string{transcript.FileSuffix, ".md~", ".md.bak", ".md.old", ".md.orig", ".txt"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// Forget takes what the traces mean out of memory files of all kinds (the lines that
// hold it go), the inbox, the list of changes that can be undone and edits that are
// not saved. What can't be done is told by ForgetRefused.
func (m *Memory) Forget(ctx context.Context, t *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	if t.Empty() {
		return nil, nil
	}
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return nil, err
	}
	found := m.sieve.forgetJournal(m.files.Journal(), t, dry) // first: what goes from a file goes from there too
	var propose []Proposal
	files, refused := m.root.forgettable()
	found = append(found, refused...)
	for _, path := range files {
		f := &pass{s: m.sieve, t: t, path: path, dry: dry}
		found = append(found, f.run(ctx, m.files)...)
		propose = append(propose, f.propose...)
	}
	found = append(found, m.undos.forget(t, dry)...)
	found = append(found, m.forgetUnsaved(t, dry)...)
	if !dry {
		m.files.DropReplaced()
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

func (f *pass) run(ctx context.Context, files *sharedfile.Files) []forgotten.Touched {
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
	err = files.Edit(ctx, f.path, func(now []byte) ([]byte, error) {
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

// Clean gives what was read of a file that people own without what was forgotten, and
// takes that out of the file. A file that Forget doesn't look into stays as it is.
func (m *Memory) Clean(path string, text []byte) []byte {
	if !IsMemoryText(filepath.Base(path)) || !wholefile.IsWithin(filepath.Clean(path), string(m.root)) {
		return text
	}
	out, _ := m.files.Purge(path, text)
	return out
}

// Unshipped gives a file without the lines that come with the product: what is left is
// what people, or programs for them, wrote.
func (m *Memory) Unshipped(data []byte) []byte { return m.sieve.unshipped(data) }
