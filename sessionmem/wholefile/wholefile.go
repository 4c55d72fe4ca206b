// Package wholefile reads and replaces files that people and other programs write too.
// Files are replaced atomically: readers see the old text or the new one, never half of it,
// even if the writer dies. Stamp and Seen tell whether a file has changed since it was
// read, Decode reads it in any encoding, and Explain says what to do about an error of the
// disk.
//
// A new text is first written to a temporary file in the same folder. If the writer dies,
// that file remains. Its name says what it is and which process wrote it, and Sweep removes
// it. Nothing else has such a name.
package wholefile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// Write replaces the file at path with data and syncs it. The new file has the extended
// attributes of the old one and, on Linux, its list of rights, which allows no more than mode.
// A link at path is replaced, not followed.
func Write(path string, data []byte, mode fs.FileMode) error {
	_, err := write(path, data, mode, (*os.File).Sync, always)
	return err
}

// WriteIf is Write, but calls still right before the rename and stops if it returns false.
func WriteIf(path string, data []byte, mode fs.FileMode, still func() bool) (done bool, err error) {
	return write(path, data, mode, (*os.File).Sync, still)
}

// WriteQuick is Write without waiting for the disk. A power cut may leave an empty file, so
// use it for data that can be regenerated.
func WriteQuick(path string, data []byte, mode fs.FileMode) error {
	_, err := write(path, data, mode, func(*os.File) error { return nil }, always)
	return err
}

func always() bool { return true }

// Create is Write for a new file. If the file exists, whoever created it, Create leaves it
// alone and returns fs.ErrExist.
func Create(path string, data []byte, mode fs.FileMode) error {
	tmp, err := writeTemp(path, data, mode, (*os.File).Sync)
	if err != nil {
		return err
	}
	err = os.Link(tmp, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // the file system has no hard links
		if _, there := os.Lstat(path); there == nil {
			err = fs.ErrExist
		} else {
			return Rename(tmp, path)
		}
	}
	return errors.Join(err, os.Remove(tmp))
}

// ErrNoSwap means that the file system can't exchange two files.
var ErrNoSwap = errors.New("two files can't be exchanged here")

// Swap is Write for an existing file that others write too. The old and the new file change
// places in one step, and Swap returns the path where the old one is now: it holds exactly
// what was replaced, whoever wrote it last. The caller removes it. Errors: ErrNoSwap.
func Swap(path string, data []byte, mode fs.FileMode) (old string, err error) {
	tmp, err := writeTemp(path, data, mode, (*os.File).Sync)
	if err != nil {
		return "", err
	}
	if err := exchange(tmp, path); err != nil {
		return "", errors.Join(err, os.Remove(tmp))
	}
	return tmp, nil
}

func write(path string, data []byte, mode fs.FileMode, sync func(*os.File) error, still func() bool) (done bool, err error) {
	tmp, err := writeTemp(path, data, mode, sync)
	if err != nil {
		return false, err
	}
	if done = still(); done {
		err = Rename(tmp, path)
	}
	if err != nil || !done {
		return false, errors.Join(err, os.Remove(tmp))
	}
	return true, nil
}

// writeTemp writes the temporary file that will replace path.
func writeTemp(path string, data []byte, mode fs.FileMode, sync func(*os.File) error) (tmp string, err error) {
	tmp = filepath.Join(filepath.Dir(path), TempName(filepath.Base(path)))
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	listed := false
	if err == nil {
		listed, err = keepAttributes(f, path)
	}
	if err == nil && (listed || mode != 0o600) { // a list of rights changes the mode
		err = f.Chmod(mode)
	}
	if err == nil {
		err = sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(tmp))
	}
	return tmp, nil
}

// maxLinks is the number of consecutive links to follow.
const maxLinks = 40

// Through follows the link at path to its final target, which needn't exist. A path that
// isn't a link is returned unchanged. Files that people own are written through their
// links.
func Through(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // not a link, or no file: path is the file
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("its links lead in a circle; put them right, or remove them")}
}

// maxKept is how many bytes of a file's name the temporary name keeps.
const maxKept = 100

// TempName returns a new temporary name for a file or folder called base. It begins with a
// dot and ends in .tmp.
func TempName(base string) string {
	if len(base) > maxKept {
		n := maxKept
		for !utf8.RuneStart(base[n]) {
			n--
		}
		base = base[:n]
	}
	return "." + base + ".mac-stats-" + strconv.Itoa(os.Getpid()) + "-" + rand.Text()[:10] + ".tmp"
}

// tempName matches such a name and captures the process ID of its writer.
var tempName = regexp.MustCompile(`^\..*\.mac-stats-([0-9]{1,10})-[A-Z2-7]{10}\.tmp$`)
