package sessiondir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Errors callers decide on.
var (
	// ErrTaken: another file is where one was to be moved to.
	ErrTaken = errors.New("another transcript of this name is there; move one of the two away")
	// ErrReplaced: a file was replaced between looking at it and changing it.
	ErrReplaced = errors.New("another program keeps replacing it; try again")
	// ErrMidSave: another program seems to be saving the file just now.
	ErrMidSave = errors.New("another program is saving it; try again")
)

// Path is the whole path of a file of the folder.
func (f *Dir) Path(file string) string {
	if f == nil {
		return filepath.FromSlash(file)
	}
	return filepath.Join(f.dir, filepath.FromSlash(file))
}

// Relative is the path below the folder of a file that is given by its whole path.
func (f *Dir) Relative(file string) string {
	if f == nil {
		return file
	}
	rel, err := filepath.Rel(f.dir, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// Has reports whether something stands at a path of the folder.
func (f *Dir) Has(file string) bool {
	_, err := f.Lstat(file)
	return err == nil
}

// Names gives the names in a folder of the folder.
func (f *Dir) Names(dir string) ([]string, error) {
	d, err := f.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// StatFile asks for a file. By its whole path that is one call of the system, from the
// folder it is one for each folder on the way; what is a link is asked for from the
// folder, which no link leaves.
func (f *Dir) StatFile(file string) (os.FileInfo, error) {
	fi, err := os.Lstat(f.dir + string(filepath.Separator) + file)
	if err == nil && fi.Mode().IsRegular() {
		return fi, nil
	}
	return f.Stat(file)
}

// ReadRegular is ReadFile that refuses what is no file.
func (f *Dir) ReadRegular(file string) ([]byte, error) {
	fi, err := f.Stat(file)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: file, Err: transcript.ErrNotFile}
	}
	return f.ReadFile(file)
}

// RemoveIfThere removes a file; one that is gone is no error.
func (f *Dir) RemoveIfThere(file string) error {
	if err := f.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sync makes the entries of folders of the folder durable.
func (f *Dir) Sync(dirs ...string) {
	for _, d := range dirs {
		if err := wholefile.SyncFolder(f.Path(d)); err != nil {
			f.logger.Warn("a folder could not be synced: after a power cut a moved file may be in its old place", "dir", d, "err", err)
		}
	}
}

// Replace puts new content in the place of a file that is still as it was, and that
// nobody is writing to. Errors: ErrReplaced, ErrMidSave, or of the disk.
func (f *Dir) Replace(file string, was os.FileInfo, data []byte) error {
	if open, _ := wholefile.IsOpenForWriting(f.Path(file)); open {
		return fmt.Errorf("writing %s: %w", file, ErrMidSave)
	}
	done, err := wholefile.Replace(f.Path(file), data, was)
	if err == nil && !done {
		err = ErrReplaced
	}
	if err != nil {
		return wholefile.Explain("writing "+file, err)
	}
	f.Sync(path.Dir(file))
	return nil
}

// RenameNew renames a file, with the folders that takes; what stands there already stays,
// and is ErrTaken.
func (f *Dir) RenameNew(from, to string) error {
	if f.Has(to) {
		return ErrTaken
	}
	if err := f.MkdirAll(path.Dir(to), 0o700); err != nil {
		return err
	}
	if err := f.Rename(from, to); err != nil {
		return err
	}
	f.Sync(path.Dir(to), path.Dir(from))
	return nil
}
