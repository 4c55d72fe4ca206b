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
	// ErrTaken means that the target of a move exists.
	ErrTaken = errors.New("another transcript of this name is there; move one of the two away")
	// ErrReplaced means that a file was replaced between reading and changing it.
	ErrReplaced = errors.New("another program keeps replacing it; try again")
	// ErrMidSave means that another program seems to be saving the file.
	ErrMidSave = errors.New("another program is saving it; try again")
)

// Path returns the absolute path of a file of the folder.
func (f *Dir) Path(file string) string {
	if f == nil {
		return filepath.FromSlash(file)
	}
	return filepath.Join(f.dir, filepath.FromSlash(file))
}

// Relative returns the path below the folder of a file with this absolute path.
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

// Has reports whether a path of the folder exists.
func (f *Dir) Has(file string) bool {
	_, err := f.Lstat(file)
	return err == nil
}

// Names returns the names in a subfolder.
func (f *Dir) Names(dir string) ([]string, error) {
	d, err := f.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// StatFile returns a file's FileInfo. By absolute path that is one system call, through the
// folder it is one for each folder on the way; a link is read through the folder, which no
// link leaves.
func (f *Dir) StatFile(file string) (os.FileInfo, error) {
	fi, err := os.Lstat(f.dir + string(filepath.Separator) + file)
	if err == nil && fi.Mode().IsRegular() {
		return fi, nil
	}
	return f.Stat(file)
}

// ReadRegular is ReadFile for regular files only.
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

// RemoveIfThere removes a file; a missing one is no error.
func (f *Dir) RemoveIfThere(file string) error {
	if err := f.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sync makes the entries of subfolders durable.
func (f *Dir) Sync(dirs ...string) {
	for _, d := range dirs {
		if err := wholefile.SyncFolder(f.Path(d)); err != nil {
			f.logger.Warn("a folder could not be synced: after a power cut a moved file may be in its old place", "dir", d, "err", err)
		}
	}
}

// Replace puts new content in place of a file that is unchanged since was and that nobody
// is writing to. It returns ErrReplaced, ErrMidSave or an error of the disk.
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

// RenameNew renames a file and creates the folders it needs. An existing target stays, and
// is ErrTaken.
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
