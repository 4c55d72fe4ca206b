package wholefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxRaw is the maximum size, in bytes, of a file other than a transcript: far more than
// any memory file, so that a disk image in its place doesn't exhaust the machine's memory.
const maxRaw = 256 << 20

// ReadRaw reads a file that people own, following links, without decoding it. Errors:
// ErrTooLarge, or errors of the disk.
func ReadRaw(path string) ([]byte, os.FileInfo, error) {
	f, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if fi.Size() > maxRaw {
		return nil, nil, fmt.Errorf("%s: %w: it has %d MB, %d are read at most; move it away, or shorten it", filepath.Base(path), ErrTooLarge, fi.Size()>>20, maxRaw>>20)
	}
	buf := bytes.NewBuffer(make([]byte, 0, max(fi.Size()+bytes.MinRead, 0)))
	_, err = buf.ReadFrom(io.LimitReader(f, maxRaw))
	return buf.Bytes(), fi, err
}

// ReadText is ReadRaw with the text decoded to UTF-8.
func ReadText(path string) ([]byte, os.FileInfo, error) {
	raw, fi, err := ReadRaw(path)
	text, _ := Decode(raw)
	return text, fi, err
}

// Replace writes a file atomically, with the mode it had. It returns false and does nothing
// if the file has changed since was.
func Replace(path string, data []byte, was os.FileInfo) (bool, error) {
	mode := fs.FileMode(0o600)
	if was != nil {
		mode = was.Mode().Perm()
	}
	return WriteIf(path, data, mode, func() bool { return sameFile(path, was) })
}

// Append writes data at the end of a file, in one step, and syncs it. A program that has the
// file open goes on writing into the same one. Append returns false and does nothing if the
// file has changed since was. After an error it takes back what it wrote, unless another
// program has written behind it.
func Append(path string, data []byte, was os.FileInfo) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|noWait, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if !isUnchanged(f, was) {
		return false, nil
	}
	n, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return false, errors.Join(err, TakeBack(f, was.Size(), data[:n], func() error { return os.Truncate(path, was.Size()) }))
	}
	return true, nil
}

// TakeBack removes data from the end of a file, which a failed write has appended to one of
// this size; cut truncates the file to that size. What another program has written meanwhile
// stays, and then data does too: it can't be cut out without a risk for the rest.
func TakeBack(f *os.File, size int64, data []byte, cut func() error) error {
	if len(data) == 0 {
		return nil
	}
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	wrote := make([]byte, len(data))
	if _, err := f.ReadAt(wrote, size); err != nil || fi.Size() != size+int64(len(data)) || !bytes.Equal(wrote, data) {
		return fmt.Errorf("another program wrote into %s at the same time: a part of what was to be written stays in it", filepath.Base(f.Name()))
	}
	return cut()
}

// Overwrite writes a file in place, where it can't be replaced: it is mounted, or in a folder
// that may not be written. It returns false and does nothing if the file has changed since
// was.
func Overwrite(path string, data []byte, was os.FileInfo) (bool, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|noWait, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if !isUnchanged(f, was) {
		return false, nil
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	return err == nil, errors.Join(err, f.Sync())
}

// isUnchanged reports whether an open file is as it was.
func isUnchanged(f *os.File, was os.FileInfo) bool {
	now, err := f.Stat()
	return err == nil && os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}

// sameFile reports whether the file at path is unchanged since was; nil means no file.
func sameFile(path string, was os.FileInfo) bool {
	now, err := os.Stat(path)
	if err != nil || was == nil {
		return was == nil && errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}

// IsWithin reports whether path is dir or below it.
func IsWithin(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// LineEnd returns the line end of the last line.
func LineEnd(lines []byte) string {
	switch {
	case bytes.HasSuffix(lines, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(lines, []byte("\n")):
		return "\n"
	}
	return ""
}

// CutBOM splits a UTF-8 text into its byte order mark and the rest.
func CutBOM(raw []byte) (bom, body []byte) {
	if body, ok := bytes.CutPrefix(raw, []byte("\xef\xbb\xbf")); ok {
		return raw[:3], body
	}
	return nil, raw
}
