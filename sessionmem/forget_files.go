package sessionmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// ForgetOptions say how Store.Forget goes about it.
type ForgetOptions struct {
	Dry      bool            // change nothing, and show texts
	Sessions map[string]bool // only files of these; nil: all
}

// Forget takes what the traces mean out of the sessions' files, wherever in the
// session folder they are: archive, trash, copies, checkpoints, journals; and out of what this process holds of them. Summaries
// made of it are made anew of what is left. A session's turn and its lock are held
// meanwhile. What can't be done is told by ForgetRefused, the others go on. The error
// is of ctx or of a folder that can't be read.
func (s *Store) Forget(ctx context.Context, t *forgotten.Traces, o ForgetOptions) ([]forgotten.Touched, error) {
	s.forgetMemory(t, o)
	if s.root == nil || t.Empty() {
		return nil, nil
	}
	if err := s.root.Check(); err != nil {
		return nil, err
	}
	all, err := s.forgettable(o)
	if err != nil {
		return nil, wholefile.Explain("looking for what is to be forgotten", err)
	}
	planned := map[string][][]*cleaning{}                      // of a dry run
	found, err := s.forgetAttachments(ctx, t, o, all, planned) // first: a crash must leave the links to them
	if err != nil {
		return found, err
	}
	for _, ses := range all {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		f := &forgetSession{s: s, t: t, o: o, name: ses.name, groups: ses.groups}
		of := f.run(ctx, planned[ses.name])
		if len(of) > 0 {
			of = append(of, s.exportsOf(ses.name)...)
		}
		found = append(found, of...)
	}
	more, err := s.forgetAttachedTexts(t, o)
	for _, m := range more {
		if !slices.ContainsFunc(found, func(f forgotten.Touched) bool { return f.Path == m.Path }) {
			found = append(found, m)
		}
	}
	return found, err
}

// forgettable are the files of one session, by what belongs together.
type forgettable struct {
	name   string
	groups [][]catalog.Entry
}

// forgettable finds all transcripts, checkpoints and journals below the session folder.
func (s *Store) forgettable(o ForgetOptions) ([]forgettable, error) {
	bySession := map[string]map[string][]catalog.Entry{} // session, place
	err := s.root.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == ".":
			return err
		case err != nil:
			s.logger.Warn("a folder can't be looked through for what is to be forgotten", "dir", p, "err", err)
			return fs.SkipDir
		case d.IsDir() && (p == locksDir || p == transcript.FilesDir):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, transcript.FileSuffix):
			return nil
		}
		e, place := s.catalog.EntryOf(p), "live"
		top, rest, _ := strings.Cut(p, "/")
		switch {
		case top == partialDir:
			e.Session, _, _ = strings.Cut(rest, ".")
			place = p
		case top == catalog.TrashDir:
			place = path.Dir(p)
		case strings.Contains(p, "/") && !catalog.InArchive(p):
			place = p
		}
		if o.Sessions == nil || o.Sessions[e.Session] {
			if bySession[e.Session] == nil {
				bySession[e.Session] = map[string][]catalog.Entry{}
			}
			bySession[e.Session][place] = append(bySession[e.Session][place], e)
		}
		return nil
	})
	var all []forgettable
	for _, name := range slices.Sorted(mapKeys(bySession)) {
		f := forgettable{name: name}
		for _, place := range slices.SortedFunc(mapKeys(bySession[name]), journalLast) {
			for _, set := range catalog.Sets(bySession[name][place]) {
				f.groups = append(f.groups, set.Files)
			}
		}
		all = append(all, f)
	}
	return all, err
}

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

// forgetSession forgets in the files of one session.
type forgetSession struct {
	s      *Store
	t      *forgotten.Traces
	o      ForgetOptions
	name   string
	groups [][]catalog.Entry

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

// run forgets in the session; planned is what a dry run found, for it alone.
func (f *forgetSession) run(ctx context.Context, planned [][]*cleaning) []forgotten.Touched {
	work := planned
	if !f.o.Dry {
		work = f.plan()
	}
	if len(work) == 0 {
		return f.found
	}
	if f.o.Dry {
		for _, group := range work {
			for _, c := range group {
				f.found = append(f.found, c.found...)
			}
		}
		return f.found
	}
	switch err := f.locked(ctx, func() { f.erase(ctx) }); {
	case errors.Is(err, ErrBusy):
		f.found = append(f.found, forgotten.Touched{Place: "transcript", Action: forgotten.Pending, Path: f.path(f.name), Session: f.name, Why: wholefile.WhyNot(err)})
	case err != nil:
		f.refuse("transcript", f.name, err)
	}
	return f.found
}

// locked works while the session's turn and lock are held.
func (f *forgetSession) locked(ctx context.Context, work func()) error {
	s := f.s
	if transcript.CheckName(f.name) != nil { // a file with a name of its own: no turn can be in it
		work()
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	holder := ""
	turn, err := s.lockTurn(ctx, wait, f.name, "forget", func(h Holder) { holder = h.Who })
	if err != nil {
		if holder != "" && ctx.Err() == nil {
			return fmt.Errorf("%w: the %s is at it; it goes when that ends", ErrBusy, holder)
		}
		return err
	}
	defer turn.Unlock()
	ses := s.session(f.name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	work()
	ses.forgetFile()
	return nil
}

// erase does it. Everything is looked at again, now that nobody writes.
func (f *forgetSession) erase(ctx context.Context) {
	all, err := f.s.forgettable(ForgetOptions{Sessions: map[string]bool{f.name: true}})
	if err != nil {
		f.refuse("transcript", f.name, err)
		return
	}
	f.groups = nil
	for _, ses := range all {
		f.groups = ses.groups
	}
	work := f.plan()
	for _, group := range work {
		if group = f.rename(group); group == nil {
			continue
		}
		for _, c := range slices.Backward(group) { // the first one last: it says what depends on it
			f.rewrite(c)
		}
	}
	f.s.catalog.Drop(ctx, f.gone)
}

// plan gives what is to be done with the files, by group.
func (f *forgetSession) plan() [][]*cleaning {
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
		look := sieve.NewCleaner(f.t, f.name)
		f.pass(look, group)
		f.pass(look.Again(), group)
		if slices.ContainsFunc(group, func(c *cleaning) bool { return len(c.found) > 0 || c.changed }) {
			work = append(work, group)
		}
	}
	return work
}

// pass goes once through the files of a group.
func (f *forgetSession) pass(c *sieve.Cleaner, group []*cleaning) {
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
			file.found = append(file.found, forgotten.OtherNames(f.path(file.File), f.name, file.stat)...)
		}
	}
}

// find notes what goes of a file.
func (f *forgetSession) find(file *cleaning, t forgotten.Touched) {
	t.Path = f.path(file.File)
	switch {
	case strings.HasPrefix(file.File, partialDir+"/"):
		t.Place = "checkpoint"
	case isJournal(file.File): // the transcript says which blocks
		if t.Action != forgotten.Emptied && t.Action != forgotten.Rebuilt {
			return
		}
		latest := forgotten.OfSecond([]forgotten.Touched{t}, f.t.At())
		if len(file.found) > 0 {
			file.found[0].Latest = append(file.found[0].Latest, latest...)
			return
		}
		t = forgotten.Touched{Place: "journal", Action: forgotten.Emptied, Path: t.Path, Session: t.Session, Latest: latest}
	}
	if !f.o.Dry {
		t.Text = ""
	}
	file.found = append(file.found, t)
}

func (f *forgetSession) path(file string) string { return f.s.root.Path(file) }

// read reads a file, or says why it can't be changed.
func (f *forgetSession) read(e catalog.Entry) *cleaning {
	c := &cleaning{Entry: e}
	stat, err := f.s.root.Lstat(e.File)
	if err == nil && stat.Mode()&fs.ModeSymlink != 0 {
		if _, err = f.s.root.Stat(e.File); err == nil {
			err = errors.New("it is a link; forget in the file it leads to, or put that in its place")
		}
	}
	if err == nil {
		c.data, err = f.s.root.ReadRegular(e.File)
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
