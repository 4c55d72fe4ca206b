package trash

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path"
	"regexp"
	"slices"
	"strconv"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// ErrNothing means that there is nothing to bring back.
var ErrNothing = errors.New("there is no deleted session to bring back")

// Trash holds the deleted sessions of a session folder.
type Trash struct {
	dir     *sessiondir.Dir
	catalog *catalog.Catalog
	logger  *slog.Logger
}

// New returns the trash of a session folder.
func New(dir *sessiondir.Dir, all *catalog.Catalog, logger *slog.Logger) *Trash {
	return &Trash{dir: dir, catalog: all, logger: logger}
}

// Put moves the files of a session to the trash, with the attached files that only it
// links. Copies stay: a person made them on purpose.
func (b *Trash) Put(ctx context.Context, name string) error {
	parts, others, err := b.catalog.Owned(name)
	if err != nil {
		return err
	}
	var files []string
	for _, e := range parts {
		files = append(files, e.File)
	}
	for _, set := range others {
		for _, e := range set.Files {
			if !set.Copy {
				files = append(files, e.File)
			}
		}
	}
	own, err := b.ownAttachments(ctx, name, files)
	if err != nil {
		return err
	}
	files = append(files, own...)
	dir, err := b.newFolder(name)
	if err != nil {
		return wholefile.Explain("making the trash", err)
	}
	for _, file := range files {
		if err := b.dir.RenameNew(file, path.Join(dir, file)); err != nil {
			return wholefile.Explain("moving "+file+" to the trash", err)
		}
	}
	b.catalog.Drop(ctx, files)
	return nil
}

// newFolder creates the folder of one deletion. Its stamp is later than all existing ones, even
// after the clock went back: the last one is the last.
func (b *Trash) newFolder(name string) (string, error) {
	now := time.Now().UTC()
	all, err := b.catalog.Trash()
	if err != nil {
		return "", err
	}
	if len(all) > 0 {
		if last, err := time.Parse(catalog.TrashStamp, all[len(all)-1].Stamp); err == nil && !last.Before(now.Truncate(time.Millisecond)) {
			now = last.Add(time.Millisecond)
		}
	}
	dir := path.Join(catalog.TrashDir, now.Format(catalog.TrashStamp)+"."+name)
	return dir, b.dir.MkdirAll(dir, 0o700)
}

// Deleted is a session in the trash.
type Deleted struct {
	catalog.Trashed
	b     *Trash
	files []string // the paths they had
}

// Last returns the last deleted session of this name, or of any name if it is empty; ErrNothing
// if there is none.
func (b *Trash) Last(name string) (*Deleted, error) {
	all, err := b.catalog.Trash()
	if err != nil {
		return nil, wholefile.Explain("reading the trash", err)
	}
	for _, t := range slices.Backward(all) {
		if name != "" && t.Session != name {
			continue
		}
		files, err := b.catalog.TrashedFiles(t)
		if err != nil {
			return nil, wholefile.Explain("reading the trash", err)
		}
		if len(files) > 0 { // otherwise it was emptied or brought back by hand
			return &Deleted{Trashed: t, b: b, files: files}, nil
		}
	}
	return nil, ErrNothing
}

// Archived reports whether it was in the archive.
func (d *Deleted) Archived() bool { return slices.ContainsFunc(d.files, catalog.InArchive) }

// NameBack returns the name that the session returns under. taken reports which are in use.
func (d *Deleted) NameBack(taken func(name string) (bool, error)) (string, error) {
	used, err := taken(d.Session)
	inPlace := func(file string) bool { return !catalog.IsAttachment(file) && d.b.dir.Has(file) }
	if err != nil || !used || slices.ContainsFunc(d.files, inPlace) { // BringBack refuses that
		return d.Session, err
	}
	for n := 2; ; n++ {
		number := "-" + strconv.Itoa(n)
		name := d.Session[:min(len(d.Session), transcript.MaxNameLen-len(number))] + number
		if used, err := taken(name); err != nil || !used {
			return name, err
		}
	}
}

// BringBack moves the files back to where they were, as those of a session of this name. A
// file that stands where another should return stays, and is an error.
func (d *Deleted) BringBack(as string) error {
	b, files := d.b, slices.Clone(d.files)
	for i, file := range files {
		if as != d.Session && !catalog.IsAttachment(file) {
			files[i] = path.Join(path.Dir(file), transcript.RenameFile(path.Base(file), d.Session, as))
		}
		err := b.dir.RenameNew(path.Join(d.Dir, file), files[i])
		if errors.Is(err, sessiondir.ErrTaken) && catalog.IsAttachment(file) {
			continue // attached again meanwhile: the same content
		}
		if err != nil {
			return wholefile.Explain("moving back "+file, err)
		}
		if as != d.Session && !catalog.IsAttachment(file) {
			if err := b.renameTranscript(files[i], as); err != nil {
				return wholefile.Explain("naming "+files[i], err)
			}
		}
	}
	if err := b.bringBackAttachments(files); err != nil {
		return wholefile.Explain("bringing back attached files", err)
	}
	if err := b.dir.RemoveAll(d.Dir); err != nil {
		b.logger.Debug("an empty folder stays in the trash", "dir", d.Dir, "err", err)
	}
	return nil
}

// sessionLine matches the line of the front matter that names the session.
var sessionLine = regexp.MustCompile(`(?m)^(session:[ \t]*)[^\r\n]*(\r?)$`)

// renameTranscript changes the session name in the front matter of a file that came back.
func (b *Trash) renameTranscript(file, name string) error {
	was, err := b.dir.Lstat(file)
	if err != nil || !was.Mode().IsRegular() {
		return err
	}
	data, err := b.dir.ReadRegular(file)
	if err != nil {
		return err
	}
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	_, size := transcript.CutFrontMatter(text)
	size += len(data) - len(text)
	front := sessionLine.ReplaceAll(data[:size], []byte("${1}"+name+"${2}"))
	return b.dir.Replace(file, was, append(front, data[size:]...))
}
