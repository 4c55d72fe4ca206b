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
