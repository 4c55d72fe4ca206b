package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotFile means that a folder, a pipe or a device is where a file belongs.
var ErrNotFile = errors.New("it is no file; move it away")

// ErrTooLarge means that a file has more bytes than its reader accepts.
var ErrTooLarge = errors.New("the file is too large")

// Open opens a file for reading and never blocks: opening a pipe would hang until somebody
// writes into it. It returns ErrNotFile for anything but a file.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	return checkFile(f, err)
}

// openIn is Open for a name below root.
func openIn(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|noWait, 0)
	return checkFile(f, err)
}

// Read reads a whole file of at most limit bytes. Errors: those of Open, ErrTooLarge.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	return readAll(f, err, limit)
}

// ReadIn is Read for a name below root.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := openIn(root, name)
	return readAll(f, err, limit)
}

func checkFile(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrNotFile}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func readAll(f *os.File, err error, limit int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: %w: more than %d bytes", f.Name(), ErrTooLarge, limit)
	}
	return data, err
}
