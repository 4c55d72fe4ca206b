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

	"mac-stats/sessionmem/wholefile"
)

// openLog opens the file of what a server writes to stderr, which is begun anew.
func openLog(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &capped{file: f}, nil
}

// capped is a file of at most mostLog bytes: where more is written, the older half of it
// goes. One goroutine writes.
type capped struct {
	file *os.File
	n    int // the file's bytes
}

func (c *capped) Close() error { return c.file.Close() }

// Write never fails: a log that can't be written, for a full disk, must not stop a server.
func (c *capped) Write(p []byte) (int, error) {
	all := len(p)
	if p = p[max(0, all-mostLog/2):]; c.n+len(p) > mostLog {
		c.halve()
	}
	n, _ := c.file.WriteAt(p, int64(c.n))
	c.n += n
	return all, nil
}

// halve keeps the younger half, from the beginning of a line on where it has one.
func (c *capped) halve() {
	kept := make([]byte, mostLog/2)
	n, _ := c.file.ReadAt(kept, int64(max(0, c.n-len(kept))))
	kept = kept[:n]
	if _, whole, ok := bytes.Cut(kept, []byte("\n")); ok {
		kept = whole
	}
	_ = c.file.Truncate(0)
	c.n, _ = c.file.WriteAt(kept, 0)
}

// Log gives the last lines of what a server's program wrote to stderr since its last
// start, oldest first.
func (c *Client) Log(name string, most int) ([]string, error) {
	s, err := c.find(name)
	if err != nil {
		return nil, err
	}
	data, err := wholefile.Read(s.logFile(), 2*mostLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wholefile.Explain("read its log", err)
	}
	var lines []string
	for _, line := range slices.Backward(strings.Split(string(data), "\n")) {
		if line = clean(line, mostAbout); line != "" {
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
