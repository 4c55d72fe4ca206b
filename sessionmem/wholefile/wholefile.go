// Package wholefile reads and replaces files that people and other programs write too.
// A file is replaced at once: whoever reads it sees the old text or the new one, never
// half of it, also when the writer dies in between. Stamp and Seen tell whether a file is
// still what was read, Decode reads it whatever its encoding, and Explain says what to do
// about an error of the disk.
//
// What is written stands in a temporary file beside the other until it is whole. A
// writer that dies leaves that behind; its name says what it is and whose, and Sweep
// takes it away. Nothing else is ever named so.
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

// Write puts data in the place of the file at path, synced. A link there is replaced,
// not followed.
func Write(path string, data []byte, mode fs.FileMode) error {
	_, err := write(path, data, mode, (*os.File).Sync, always)
	return err
}

// WriteIf is Write, done only where still says so when all but the renaming is done.
func WriteIf(path string, data []byte, mode fs.FileMode, still func() bool) (done bool, err error) {
	return write(path, data, mode, (*os.File).Sync, still)
}

// WriteQuick is Write without waiting for the disk: a power cut may leave an empty
// file, so it is for what can be made anew.
func WriteQuick(path string, data []byte, mode fs.FileMode) error {
	_, err := write(path, data, mode, func(*os.File) error { return nil }, always)
	return err
}

func always() bool { return true }

// Create is Write for a file that isn't there. Where one is, whoever made it, it stays:
// the error is fs.ErrExist.
func Create(path string, data []byte, mode fs.FileMode) error {
	tmp, err := writeTemp(path, data, mode, (*os.File).Sync)
	if err != nil {
		return err
	}
	err = os.Link(tmp, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // no second names on this file system
		if _, there := os.Lstat(path); there == nil {
			err = fs.ErrExist
		} else {
			return Rename(tmp, path)
		}
	}
	return errors.Join(err, os.Remove(tmp))
}

// ErrNoSwap: the file system can't exchange two files.
var ErrNoSwap = errors.New("two files can't be exchanged here")

// Swap is Write for a file that is there and that others write too: the two change
// places in one step, and old is where the one that was there now is. Its text is what
// was replaced, whoever wrote it last, and the caller removes it. Errors: ErrNoSwap.
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

// writeTemp writes the temporary file that will take path's place.
func writeTemp(path string, data []byte, mode fs.FileMode, sync func(*os.File) error) (tmp string, err error) {
	tmp = filepath.Join(filepath.Dir(path), TempName(filepath.Base(path)))
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && mode != 0o600 {
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

// maxLinks is how many links in a row are followed.
const maxLinks = 40

// Through gives the file that a link at path leads to in the end, also where that is
// not there yet; a path that is no link is given as it is. Files that people own are
// written through their links.
func Through(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // no link, or nothing there: this is the file
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

// maxKept is how much of a file's name its temporary one keeps, in bytes.
const maxKept = 100

// TempName is a new name for what becomes the file, or the folder, called base. It
// begins with a dot and ends in .tmp.
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

// tempName finds the number of the process that gave the name.
var tempName = regexp.MustCompile(`^\..*\.mac-stats-([0-9]{1,10})-[A-Z2-7]{10}\.tmp$`)
