package mcpclient

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mac-stats/sessionmem/wholefile"
)

// openLog creates the file for a server's stderr and truncates an old one. hide takes secrets
// out of a text.
func openLog(path string, hide func(string) string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &capped{file: f, hide: hide}, nil
}

// capped is a file of at most maxLog bytes. When it is full, it drops the older half. It has no
// secrets: the last line is written anew while it grows, as it may end within one.
type capped struct {
	mu   sync.Mutex // held while it is written
	file *os.File
	hide func(string) string
	n    int    // size of the whole lines in bytes
	line []byte // the last line, as it came
}

func (c *capped) Close() error { return c.file.Close() }

// Write never fails, because a log that can't be written, as on a full disk, mustn't stop a
// server.
func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line = append(c.line, p[max(0, len(p)-maxLog/2):]...)
	whole := bytes.LastIndexAny(c.line, "\r\n") + 1 // a progress bar has many lines in one
	if len(c.line) > maxLog/2 {
		whole = len(c.line)
	}
	text := c.hide(string(c.line[:whole]))
	if text = text[max(0, len(text)-maxLog/2):]; c.n+len(text)+len(c.line)-whole > maxLog {
		c.halve()
	}
	n, _ := c.file.WriteAt([]byte(text), int64(c.n))
	c.n += n
	c.line = slices.Delete(c.line, 0, whole)
	n, _ = c.file.WriteAt([]byte(c.hide(string(c.line))), int64(c.n))
	_ = c.file.Truncate(int64(c.n + n)) // what was there may have been longer
	return len(p), nil
}

// halve keeps the newer half, starting at the beginning of a line if it has one.
func (c *capped) halve() {
	kept := make([]byte, maxLog/2)
	n, _ := c.file.ReadAt(kept, int64(max(0, c.n-len(kept))))
	kept = kept[:n]
	if _, whole, ok := bytes.Cut(kept, []byte("\n")); ok {
		kept = whole
	}
	_ = c.file.Truncate(0)
	c.n, _ = c.file.WriteAt(kept, 0)
}

// Log returns the last lines of a server's stderr since its last start, oldest first.
func (c *Client) Log(name string, most int) ([]string, error) {
	s, err := c.find(name)
	if err != nil {
		return nil, err
	}
	data, err := wholefile.Read(s.logFile(), 2*maxLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wholefile.Explain("read its log", err)
	}
	var lines []string
	for _, line := range slices.Backward(strings.Split(string(data), "\n")) {
		if line = clean(line, maxAbout); line != "" {
			lines = append(lines, line)
		}
		if len(lines) == most {
			break
		}
	}
	slices.Reverse(lines)
	return lines, nil
}

func (s *server) logFile() string { return filepath.Join(s.client.p.Logs, "mcp-"+s.name+".log") }
