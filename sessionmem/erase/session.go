package erase

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

func isJournal(file string) bool { return strings.HasPrefix(file, transcript.JournalDir+"/") }

// journalLast puts journals behind what the others say.
func journalLast(a, b string) int {
	if isJournal(a) == isJournal(b) {
		return strings.Compare(a, b)
	}
	if isJournal(b) {
		return -1
	}
	return 1
}

// Session forgets in the files of one session.
type Session struct {
	Name string

	e      *Eraser
	t      *forgotten.Traces
	dry    bool
	groups [][]catalog.Entry

	work  [][]*cleaning // of a dry run
	found []forgotten.Touched
	gone  []string // files that the list cache knows

	midSave bool // a file could not be cleaned while another program saves it
}

// cleaning is what is to be done with one file.
type cleaning struct {
	catalog.Entry
	stat    os.FileInfo
	data    []byte   // as it is
	out     []byte   // as it is to be; nil: as it is
	lost    []string // attachments that what goes links
	changed bool
	title   bool   // of the group: the first message goes
	first   string // what that said, as cleaner.first
	found   []forgotten.Touched
	refused string
}

// Plan looks for what is to be done, and reports whether anything is.
func (f *Session) Plan() bool {
	work := f.planned()
	if f.dry {
		f.found = nil
		for _, group := range work {
			for _, c := range group {
				f.found = append(f.found, c.found...)
			}
		}
	}
	return len(work) > 0
}

// planned is what is to be done; a dry run keeps it.
func (f *Session) planned() [][]*cleaning {
	if f.work != nil {
		return f.work
	}
	f.found = nil
	work := f.plan()
	if f.dry {
		f.work = work
	}
	return work
}

// Found tells what was done, or is to be.
func (f *Session) Found() []forgotten.Touched { return f.found }

// Refuse notes that the session can't be worked at, now or at all.
func (f *Session) Refuse(err error, busy bool) {
	f.refuse("transcript", f.Name, err)
	if busy {
		f.found[len(f.found)-1].Action = forgotten.Pending
	}
}

// Erase does it. Everything is looked at again, now that nobody writes: the caller holds
// the session's turn and lock.
func (f *Session) Erase(ctx context.Context) {
	all, err := f.e.groups(map[string]bool{f.Name: true})
	if err != nil {
		f.refuse("transcript", f.Name, err)
		return
	}
	f.groups, f.found = all[f.Name], nil
	for _, group := range f.plan() {
		if group = f.rename(group); group == nil {
			continue
		}
		for _, c := range slices.Backward(group) { // the first one last: it says what depends on it
			f.rewrite(c)
		}
	}
	f.e.catalog.Drop(ctx, f.gone)
}

// plan gives what is to be done with the files, by group.
func (f *Session) plan() [][]*cleaning {
	var work [][]*cleaning
	for _, parts := range f.groups {
		group := make([]*cleaning, 0, len(parts))
		touched := false
		for _, e := range parts {
			c := f.read(e)
			group = append(group, c)
			touched = touched || c.refused == "" && f.mayTouch(c)
		}
		if !touched {
			continue
		}
		look := sieve.NewCleaner(f.t, f.Name)
		f.pass(look, group)
		f.pass(look.Again(), group)
		if slices.ContainsFunc(group, func(c *cleaning) bool { return len(c.found) > 0 || c.changed }) {
			work = append(work, group)
		}
	}
	return work
}

// pass goes once through the files of a group.
func (f *Session) pass(c *sieve.Cleaner, group []*cleaning) {
	for _, file := range group {
		if file.refused != "" {
			continue
		}
		var out bytes.Buffer
		found, changed, err := c.File(file.data, &out)
		if err != nil {
			f.refuse("transcript", file.File, err)
			file.refused = err.Error()
			continue
		}
		file.found, file.changed, file.out, file.lost = nil, changed, nil, c.Lost()
		file.first, file.title = c.FirstGoes()
		for _, t := range found {
			f.find(file, t)
		}
		if changed {
			file.out = out.Bytes()
			file.found = append(file.found, forgotten.OtherNames(f.path(file.File), f.Name, file.stat)...)
		}
	}
}

// find notes what goes of a file.
func (f *Session) find(file *cleaning, t forgotten.Touched) {
	t.Path = f.path(file.File)
	switch {
	case strings.HasPrefix(file.File, transcript.PartialDir+"/"):
		t.Place = "checkpoint"
	case isJournal(file.File): // the transcript says which blocks
		if t.Action != forgotten.Emptied && t.Action != forgotten.Rebuilt {
			return
		}
		latest := forgotten.OfSecond([]forgotten.Touched{t}, f.t.Own().At)
		if len(file.found) > 0 {
			file.found[0].Latest = append(file.found[0].Latest, latest...)
			return
		}
		t = forgotten.Touched{Place: "journal", Action: forgotten.Emptied, Path: t.Path, Session: t.Session, Latest: latest}
	}
	if !f.dry {
		t.Text = ""
	}
	file.found = append(file.found, t)
}

func (f *Session) path(file string) string { return f.e.dir.Path(file) }

// read reads a file, or says why it can't be changed.
func (f *Session) read(e catalog.Entry) *cleaning {
	c := &cleaning{Entry: e}
	stat, err := f.e.dir.Lstat(e.File)
	if err == nil && stat.Mode()&fs.ModeSymlink != 0 {
		if _, err = f.e.dir.Stat(e.File); err == nil {
			err = errors.New("it is a link; forget in the file it leads to, or put that in its place")
		}
	}
	if err == nil {
		c.data, err = f.e.dir.ReadRegular(e.File)
		c.data, _ = wholefile.Decode(c.data) // what is taken out of UTF-16 leaves UTF-8
	}
	c.stat = stat
	switch {
	case errors.Is(err, transcript.ErrNotFile), errors.Is(err, fs.ErrNotExist):
		c.refused = "none" // nothing to read in it
	case err != nil:
		f.refuse("transcript", e.File, err)
		c.refused = err.Error()
	}
	return c
}
