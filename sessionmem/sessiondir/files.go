package sessiondir

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
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

// WriteNew writes a whole file: a temporary one of its own beside it, synced, renamed.
func (f *Dir) WriteNew(file string, data []byte) error {
	tmp := path.Join(path.Dir(file), wholefile.TempName(path.Base(file)))
	out, err := f.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err == nil {
		err = out.Sync()
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = f.Rename(tmp, file)
	}
	if err != nil {
		return errors.Join(err, f.RemoveIfThere(tmp))
	}
	return nil
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

// Move moves a transcript so that at every moment a whole copy has a name: it is copied,
// synced, read back and compared before the original goes. open opens a file to be read.
// The caller holds the session's append lock. A target that a crash left behind, which
// holds a beginning of the file, is replaced; another one is kept and is ErrTaken.
func (f *Dir) Move(from, to string, open func(file string) (*os.File, error)) error {
	if err := f.move(from, to, open); err != nil {
		return wholefile.Explain("moving "+from+" to "+path.Dir(to), err)
	}
	return nil
}

func (f *Dir) move(from, to string, open func(string) (*os.File, error)) error {
	if err := f.MkdirAll(path.Dir(to), 0o700); err != nil {
		return err
	}
	src, err := open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	before, err := src.Stat()
	if err != nil {
		return err
	}
	if err := mayReplace(to, src, open); err != nil {
		return err
	}
	tmp := path.Join(path.Dir(to), wholefile.TempName(path.Base(to)))
	if err := f.copyVerified(src, before, tmp); err != nil {
		return errors.Join(err, f.RemoveIfThere(tmp))
	}
	if now, err := f.Stat(from); err != nil || !os.SameFile(now, before) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
		return errors.Join(ErrReplaced, err, f.RemoveIfThere(tmp))
	}
	_ = src.Close() // read only; some systems don't remove a file that is open
	if err := f.Rename(tmp, to); err != nil {
		return errors.Join(err, f.RemoveIfThere(tmp))
	}
	f.Sync(path.Dir(to), path.Dir(path.Dir(to)))
	if err := f.Remove(from); err != nil {
		return err
	}
	f.Sync(path.Dir(from))
	return nil
}

// mayReplace says whether nothing is lost when src takes this place.
func mayReplace(to string, src *os.File, open func(string) (*os.File, error)) error {
	old, err := open(to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close()
	fi, err := old.Stat()
	if err != nil {
		return err
	}
	same, err := sameContent(old, io.NewSectionReader(src, 0, fi.Size()))
	if err == nil && !same {
		err = ErrTaken
	}
	return err
}

// copyVerified copies src to a new file, makes it durable and reads it back.
func (f *Dir) copyVerified(src *os.File, fi os.FileInfo, to string) error {
	out, err := f.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	whole := func() io.Reader { return io.NewSectionReader(src, 0, fi.Size()) }
	if _, err := io.Copy(out, whole()); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	same, err := sameContent(out, whole())
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("the copy %s differs from the original, which stays", to)
	}
	return inFolder(f, func(r *os.Root) error { return r.Chtimes(to, fi.ModTime(), fi.ModTime()) })
}

// sameContent compares two streams in bounded memory.
func sameContent(a, b io.Reader) (bool, error) {
	ha, hb := sha256.New(), sha256.New()
	if _, err := io.Copy(ha, a); err != nil {
		return false, err
	}
	if _, err := io.Copy(hb, b); err != nil {
		return false, err
	}
	return bytes.Equal(ha.Sum(nil), hb.Sum(nil)), nil
}
