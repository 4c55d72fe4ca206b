package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxFileBytes limits the size of an agent's or a skill's file. It is far above any
// prompt a model can read, and keeps a misplaced log file out of memory.
const maxFileBytes = 1 << 20

var errNotRegular = errors.New("is not a regular file")

// settleTime is how old a file's time stamp must be before size, time and identity
// alone prove it unchanged. File systems keep time in steps of up to 2 s, so a second
// save of the same length right after the first may leave no trace.
const settleTime = 2 * time.Second

// fileCache holds the text of files by path. Not safe for concurrent use.
type fileCache struct {
	known map[string]*cachedFile
	clean func(path string, text []byte) []byte // Config.Clean
}

func newFileCache(clean func(path string, text []byte) []byte) fileCache {
	if clean == nil {
		clean = func(_ string, text []byte) []byte { return text }
	}
	return fileCache{known: map[string]*cachedFile{}, clean: clean}
}

// cachedFile is a file as last read, with its parsed form. New content makes a new
// cachedFile, so the parsed form never outlives the text.
type cachedFile struct {
	info os.FileInfo
	read time.Time
	text string // normalised
	raw  []byte // of a shipped file; nil for one of the folder

	settings    *agentSettings // of agent.json or front matter; nil until parsed
	settingsErr error
	front       *frontMatter // of single-file agents and skills; nil until parsed
}

// read returns the file as it is now. It costs one stat if nothing changed.
func (c fileCache) read(path string) (*cachedFile, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular // opening a pipe would block forever
	}
	if err != nil {
		delete(c.known, path)
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), withoutPath(err))
	}
	old := c.known[path]
	if old != nil && old.unchanged(info) {
		return old, nil
	}
	fresh, err := readStable(path)
	if err != nil {
		delete(c.known, path)
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), withoutPath(err))
	}
	fresh.text = string(c.clean(path, []byte(fresh.text)))
	if old != nil && old.text == fresh.text {
		old.info, old.read = fresh.info, fresh.read
		return old, nil
	}
	c.known[path] = fresh
	return fresh, nil
}

// unchanged reports whether a stat through symlinks shows the file that was read.
func (f *cachedFile) unchanged(now os.FileInfo) bool {
	return sameStamp(f.info, now) && f.read.Sub(f.info.ModTime()) > settleTime
}

func sameStamp(a, b os.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changed(a).Equal(changed(b)) && os.SameFile(a, b)
}

// readStable reads a file, again if it was written to meanwhile.
func readStable(path string) (*cachedFile, error) {
	const tries = 4
	var data []byte
	var before os.FileInfo
	for range tries {
		now := time.Now()
		var err error
		if data, before, err = readOnce(path); err != nil {
			return nil, err
		}
		after, err := os.Stat(path)
		if err == nil && sameStamp(before, after) && int64(len(data)) == after.Size() {
			return newCachedFile(data, before, now)
		}
	}
	return newCachedFile(data, before, time.Time{}) // still being written: the next call reads it again
}

func newCachedFile(data []byte, info os.FileInfo, read time.Time) (*cachedFile, error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("is not a text file")
	}
	os.SameFile(info, info) // Windows looks up the identity lazily by path; do it before the path means another file
	return &cachedFile{info: info, read: read, text: NormalizeText(data)}, nil
}

func readOnce(path string) ([]byte, os.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > maxFileBytes {
		return nil, nil, fmt.Errorf("is larger than %d KB", maxFileBytes>>10)
	}
	return data, info, nil
}

// withoutPath drops the path that a PathError repeats.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// NormalizeText returns the text as valid UTF-8 with LF line ends, without a byte order
// mark or outer blank lines.
func NormalizeText(data []byte) string {
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	text = strings.TrimPrefix(text, "\uFEFF")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	return strings.TrimSpace(text)
}
