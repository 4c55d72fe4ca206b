package mcpclient

import (
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
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &capped{file: f}, nil
}

// capped is a file that takes mostLog bytes and drops the rest.
type capped struct {
	file *os.File
	n    int
}

func (c *capped) Close() error { return c.file.Close() }

func (c *capped) Write(p []byte) (int, error) {
	if room := mostLog - c.n; len(p) <= room {
		c.n += len(p)
		return c.file.Write(p)
	}
	return len(p), nil
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
