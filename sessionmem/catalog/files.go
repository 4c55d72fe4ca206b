package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Entry is a transcript's file.
type Entry struct {
	File string // relative to the session folder, with slashes
	transcript.FileNameParts
	claimed bool // only the front matter names the session, not the file's name
}

// Entries returns the transcripts of the session folder and of the archive, by their names
// alone. If the archive can't be read, it returns the others along with the error.
func (d *folder) Entries() ([]Entry, error) {
	all, err := d.files()
	for i := range all {
		all[i] = d.EntryOf(all[i].File)
	}
	return all, err
}

// files is Entries without parsing the names.
func (d *folder) files() ([]Entry, error) {
	if d.dir == nil {
		return nil, nil
	}
	if err := d.dir.Check(); err != nil {
		if d.dir.Never() {
			return nil, nil // the folder could never be created: it is empty, and the first write returns the reason
		}
		return nil, err
	}
	names, err := d.dir.Names(".")
	if err != nil {
		return nil, wholefile.Explain("reading the session folder", err)
	}
	out := appendFiles(nil, "", names)
	months, err := d.dir.Names(ArchiveDir)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	for _, m := range months {
		if !monthPattern.MatchString(m) {
			continue
		}
		if names, err = d.dir.Names(ArchiveDir + "/" + m); err != nil {
			errs = append(errs, err)
		}
		out = appendFiles(out, ArchiveDir+"/"+m+"/", names)
	}
	if err := errors.Join(errs...); err != nil {
		return out, wholefile.Explain("reading the archive", err)
	}
	return out, nil
}

// appendFiles adds the transcripts among the names of a folder.
func appendFiles(out []Entry, prefix string, names []string) []Entry {
	out = slices.Grow(out, len(names))
	for _, n := range names {
		if !strings.HasSuffix(n, transcript.FileSuffix) || strings.HasPrefix(n, ".") {
			continue
		}
		out = append(out, Entry{File: prefix + n})
	}
	return out
}

// parseEntry returns the Entry of a file, by its path relative to the session folder, from its
// name alone.
func parseEntry(file string) Entry {
	return Entry{File: file, FileNameParts: transcript.ParseFileName(path.Base(file))}
}

// openFolders holds open folders of transcripts by path, "" for the session folder.
type openFolders map[string]*os.File

// openFolders opens the folders of files. It leaves out those it can't open.
func (d *folder) openFolders(all []Entry) openFolders {
	folders := openFolders{}
	for _, e := range all {
		dir, _ := path.Split(e.File)
		if _, ok := folders[dir]; ok {
			continue
		}
		f, err := d.dir.Open(path.Clean(dir))
		if err != nil {
			f = nil // its files are read one by one and return their errors
		}
		folders[dir] = f
	}
	return folders
}

func (f openFolders) close() {
	for _, folder := range f {
		if folder != nil {
			_ = folder.Close() // read only
		}
	}
}

// names returns the names of all sessions in order.
func (c *Catalog) names() ([]string, error) {
	all, err := c.Entries()
	if err != nil {
		if len(all) == 0 {
			return nil, err
		}
		c.logger.Warn("not all sessions are found by name", "err", err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Session)
	}
	for _, i := range c.held() {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Names returns the names of all sessions that exist or are in the trash.
func (d *folder) Names() (map[string]bool, error) {
	all, err := d.Entries()
	if err != nil {
		return nil, err
	}
	trash, err := d.Trash()
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(all)+len(trash))
	for _, e := range all {
		names[e.Session] = true
	}
	for _, t := range trash {
		names[t.Session] = true
	}
	return names, nil
}

// ArchiveDir holds finished transcripts, in one folder per month.
const ArchiveDir = "archive"

// InArchive reports whether a file, relative to the session folder, is archived.
func InArchive(file string) bool { return strings.HasPrefix(file, ArchiveDir+"/") }

// monthPattern matches the name of a folder of the archive.
var monthPattern = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])$`)
