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

	"mac-stats/sessionmem/wholefile"
)

// Move moves a transcript so that a whole copy has a name at every moment: it is copied,
// synced, read back and compared before the original is removed. open opens a file for
// reading. The caller holds the session's append lock. A target that holds the beginning of the
// file, left behind by a crash, is replaced; any other stays and is ErrTaken.
func (f *Dir) Move(from, to string, open func(file string) (*os.File, error)) error {
	m := mover{f, open}
	if err := m.move(from, to); err != nil {
		return wholefile.Explain("moving "+from+" to "+path.Dir(to), err)
	}
	return nil
}

// mover moves a file of a folder.
type mover struct {
	*Dir
	open func(file string) (*os.File, error)
}

func (f mover) move(from, to string) error {
	if err := f.MkdirAll(path.Dir(to), 0o700); err != nil {
		return err
	}
	src, err := f.open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	before, err := src.Stat()
	if err != nil {
		return err
	}
	if err := f.mayReplace(to, src); err != nil {
		return err
	}
	tmp := path.Join(path.Dir(to), wholefile.TempName(path.Base(to)))
	if err := f.copyVerified(src, before, tmp); err != nil {
		return errors.Join(err, f.RemoveIfThere(tmp))
	}
	if now, err := f.Stat(from); err != nil || !os.SameFile(now, before) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
		return errors.Join(ErrReplaced, err, f.RemoveIfThere(tmp))
	}
	_ = src.Close() // read only; some systems don't remove an open file
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

// mayReplace returns nil if nothing is lost when src replaces the target.
func (f mover) mayReplace(to string, src *os.File) error {
	old, err := f.open(to)
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
func (f mover) copyVerified(src *os.File, fi os.FileInfo, to string) error {
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
	return inFolder(f.Dir, func(r *os.Root) error { return r.Chtimes(to, fi.ModTime(), fi.ModTime()) })
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
