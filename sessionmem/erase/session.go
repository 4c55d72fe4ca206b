package erase

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

func isJournal(file string) bool { return strings.HasPrefix(file, transcript.JournalDir+"/") }

// journalLast sorts journals after all other files.
func journalLast(a, b string) int {
	if isJournal(a) == isJournal(b) {
		return strings.Compare(a, b)
	}
	if isJournal(b) {
		return -1
	}
	return 1
}

// Session erases forgotten text from the files of one session.
type Session struct {
	Name string

	e      *Eraser
	t      *forgotten.Traces
	dry    bool
	groups [][]catalog.Entry

	work   [][]*cleaning // the plan of a dry run
	looked bool          // work is known
	found  []forgotten.Touched
	gone   []string // files that the list cache knows

	midSave bool // a file couldn't be cleaned while another program saves it
}

// cleaning is the work to do on one file.
type cleaning struct {
	catalog.Entry
	stat    os.FileInfo
	data    []byte // the current content
	enc     wholefile.Encoding
	out     []byte   // the new content; nil if unchanged
	lost    []string // attachments that removed text links to
	changed bool
	title   bool   // for the group: the first message goes
	first   string // its text, see sieve.Cleaner.FirstGoes
	found   []forgotten.Touched
	refused string
}

// Plan looks for work, and reports whether there is any.
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

// planned returns the work to do; a dry run keeps it.
func (f *Session) planned() [][]*cleaning {
	if f.looked {
		return f.work
	}
	f.found = nil
	work := f.plan()
	if f.dry {
		f.work, f.looked = work, true
	}
	return work
}

// Found returns what was removed, or would be.
func (f *Session) Found() []forgotten.Touched { return f.found }

// Refuse records that the session can't be changed, now or at all.
func (f *Session) Refuse(err error, busy bool) {
	f.refuse("transcript", f.Name, err)
	if busy {
		f.found[len(f.found)-1].Action = forgotten.Pending
	}
}

// Erase does the work. It checks everything again now that nobody else writes: the caller
// holds the session's turn and lock.
func (f *Session) Erase(ctx context.Context) {
	all, err := f.e.groups(map[string]bool{f.Name: true}, time.Time{})
	if err != nil {
		f.refuse("transcript", f.Name, err)
		return
	}
	f.groups, f.found = all[f.Name], nil
	for _, group := range f.plan() {
		if group = f.rename(group); group == nil {
			continue
		}
		for _, c := range slices.Backward(group) { // the first one last, because it decides what depends on it
			f.rewrite(c)
		}
	}
	f.e.catalog.Drop(ctx, f.gone)
}

// plan returns the work to do on the files, by group.
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

// pass goes through the files of a group once.
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

// find records what goes from a file.
func (f *Session) find(file *cleaning, t forgotten.Touched) {
	t.Path = f.path(file.File)
	switch {
	case strings.HasPrefix(file.File, transcript.PartialDir+"/"):
		t.Place = "checkpoint"
	case isJournal(file.File): // the transcript names the blocks
		if t.Action != forgotten.Emptied && t.Action != forgotten.Rebuilt {
			return
		}
		latest := forgotten.BlocksInSecond([]forgotten.Touched{t}, f.t.Own().At)
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

// read reads a file, or records why it can't be changed.
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
		c.data, c.enc = wholefile.Decode(c.data) // UTF-16 becomes UTF-8 when text is removed from it
	}
	c.stat = stat
	switch {
	case errors.Is(err, transcript.ErrNotFile), errors.Is(err, fs.ErrNotExist):
		c.refused = "none" // there is nothing to read in it
	case err != nil:
		f.refuse("transcript", e.File, err)
		c.refused = err.Error()
	}
	return c
}
