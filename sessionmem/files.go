package sessionmem

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// entry is a transcript's file.
type entry struct {
	file string // relative to the session folder
	transcript.FileNameParts
	claimed bool // the front matter names the session, the file's name doesn't
}

// entries gives the transcripts of the session folder and of the archive, by
// their names alone. Where the archive can't be read, it gives the others along
// with the error.
func (s *Store) entries() ([]entry, error) {
	all, err := s.files()
	for i := range all {
		all[i] = s.entryOf(all[i].file)
	}
	return all, err
}

// files is entries without what the names tell.
func (s *Store) files() ([]entry, error) {
	if s.root == nil {
		return nil, nil
	}
	if err := s.root.Check(); err != nil {
		if s.root.Never() {
			return nil, nil // it could not even be made: there is nothing, and what writes says why
		}
		return nil, err
	}
	names, err := s.readNames(".")
	if err != nil {
		return nil, wholefile.Explain("reading the session folder", err)
	}
	out := appendFiles(nil, "", names)
	months, err := s.readNames(archiveDir)
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
		if names, err = s.readNames(archiveDir + "/" + m); err != nil {
			errs = append(errs, err)
		}
		out = appendFiles(out, archiveDir+"/"+m+"/", names)
	}
	if err := errors.Join(errs...); err != nil {
		return out, wholefile.Explain("reading the archive", err)
	}
	return out, nil
}

// appendFiles adds the transcripts among the names of a folder.
func appendFiles(out []entry, prefix string, names []string) []entry {
	out = slices.Grow(out, len(names))
	for _, n := range names {
		if !strings.HasSuffix(n, transcript.FileSuffix) || strings.HasPrefix(n, ".") {
			continue
		}
		out = append(out, entry{file: prefix + n})
	}
	return out
}

// readNames gives the names in a folder of the session folder.
func (s *Store) readNames(dir string) ([]string, error) {
	d, err := s.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// entryOf is the entry of a file, by its path relative to the session folder, as its name
// tells.
func entryOf(file string) entry {
	return entry{file: file, FileNameParts: transcript.ParseFileName(path.Base(file))}
}

// relative is a transcript's path below the session folder.
func (s *Store) relative(file string) string {
	rel, err := filepath.Rel(s.dir, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// stat asks for a transcript. By its whole path that is one call of the system,
// from the root it is one for each folder; what is a link is asked for from the
// root, which no link leaves.
func (s *Store) stat(file string) (os.FileInfo, error) {
	fi, err := os.Lstat(s.dir + string(filepath.Separator) + file)
	if err == nil && fi.Mode().IsRegular() {
		return fi, nil
	}
	return s.root.Stat(file)
}

// openFolders are folders of transcripts by their paths, "" for the session folder.
type openFolders map[string]*os.File

// openFolders opens the folders of files. One that can't be opened is left out.
func (s *Store) openFolders(all []entry) openFolders {
	folders := openFolders{}
	for _, e := range all {
		dir, _ := path.Split(e.file)
		if _, ok := folders[dir]; ok {
			continue
		}
		f, err := s.root.Open(path.Clean(dir))
		if err != nil {
			f = nil // its files are asked for one by one, and say what is wrong
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

// names gives the names of all sessions, in order, each once.
func (s *Store) names() ([]string, error) {
	all, err := s.entries()
	if err != nil {
		if len(all) == 0 {
			return nil, err
		}
		s.logger.Warn("not all sessions are found by name", "err", err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Session)
	}
	for _, i := range s.inMemory() {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// everyName gives the names of all sessions that are there or in the trash.
func (s *Store) everyName() (map[string]bool, error) {
	all, err := s.entries()
	if err != nil {
		return nil, err
	}
	trash, err := s.trash()
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(all)+len(trash))
	for _, e := range all {
		names[e.Session] = true
	}
	for _, t := range trash {
		names[t.session] = true
	}
	return names, nil
}
