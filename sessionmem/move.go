package sessionmem

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

	"mac-stats/sessionmem/wholefile"
)

// errTaken: another transcript of that name is there.
var errTaken = errors.New("another transcript of this name is there; move one of the two away")

// moveTranscript moves a file within the session folder so that at every moment a
// whole copy has a name: it is copied, synced, read back and compared before the
// original goes. Both paths are relative to the session folder. The caller holds
// the session's append lock. A target that a crash left behind, which holds a
// beginning of the file, is replaced; another one is kept and is an error.
func (s *Store) moveTranscript(from, to string) error {
	if err := s.moveFile(from, to); err != nil {
		return wholefile.Explain("moving "+from+" to "+path.Dir(to), err)
	}
	return nil
}

func (s *Store) moveFile(from, to string) error {
	if err := s.root.MkdirAll(path.Dir(to), 0o700); err != nil {
		return err
	}
	src, err := s.openTranscript(from)
	if err != nil {
		return err
	}
	defer src.Close()
	before, err := src.Stat()
	if err != nil {
		return err
	}
	if err := s.mayReplace(to, src); err != nil {
		return err
	}
	tmp := path.Join(path.Dir(to), wholefile.TempName(path.Base(to)))
	if err := s.copyVerified(src, before, tmp); err != nil {
		return errors.Join(err, s.removeIfThere(tmp))
	}
	if now, err := s.root.Stat(from); err != nil || !os.SameFile(now, before) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
		return errors.Join(errReplaced, err, s.removeIfThere(tmp))
	}
	_ = src.Close() // read only; some systems don't remove a file that is open
	if err := s.root.Rename(tmp, to); err != nil {
		return errors.Join(err, s.removeIfThere(tmp))
	}
	s.syncFolders(path.Dir(to), path.Dir(path.Dir(to)))
	if err := s.root.Remove(from); err != nil {
		return err
	}
	s.syncFolders(path.Dir(from))
	return nil
}

// mayReplace says whether nothing is lost when src takes this place.
func (s *Store) mayReplace(to string, src *os.File) error {
	old, err := s.openTranscript(to)
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
		err = errTaken
	}
	return err
}

// copyVerified copies src to a new file, makes it durable and reads it back.
func (s *Store) copyVerified(src *os.File, fi os.FileInfo, to string) error {
	f, err := s.root.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	whole := func() io.Reader { return io.NewSectionReader(src, 0, fi.Size()) }
	if _, err := io.Copy(f, whole()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	same, err := sameContent(f, whole())
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("the copy %s differs from the original, which stays", to)
	}
	return s.root.Chtimes(to, fi.ModTime(), fi.ModTime())
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

func (s *Store) removeIfThere(file string) error {
	if err := s.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFolders makes the entries of folders of the session folder durable.
func (s *Store) syncFolders(dirs ...string) {
	for _, d := range dirs {
		if err := wholefile.SyncFolder(filepath.Join(s.dir, d)); err != nil {
			s.logger.Warn("a folder could not be synced: after a power cut a moved file may be in its old place", "dir", d, "err", err)
		}
	}
}
