package monitor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"mac-stats/sessionmem/wholefile"
)

// markerPrefix begins the names of marker files: "reading-<metric>-<pid>".
const markerPrefix = "reading-"

const (
	// mostCrashes is how many processes in a row must end in readings of a sensor until
	// it stays off. One says little: people kill programs, and machines lose power.
	mostCrashes = 3
	// crashesCount is how long one counts; after that the sensor is tried again.
	crashesCount = 7 * 24 * time.Hour
)

// marker is a file that exists while a sensor is read. Some sensor reads can kill the
// process in a way that nothing inside it can catch; the file then stays and tells the
// next starts. Files of other processes that are alive are not ours to judge, so the
// process id is part of the name. What the file holds is the program's version: a new
// one tries again.
type marker struct {
	path, version string

	mu      sync.Mutex
	left    []string // of dead processes
	written bool
	ended   bool // the program ends: what is still read is no crash
}

// newMarker returns nil where no folder is wanted. A folder that can't be made shows
// when the marker is set.
func newMarker(cfg Config, metric Metric, left []string) *marker {
	if cfg.MarkerDir == "" {
		return nil
	}
	_ = os.MkdirAll(cfg.MarkerDir, 0o700) // set tells what is wrong
	path := filepath.Join(cfg.MarkerDir, fmt.Sprintf("%s%s-%d", markerPrefix, metric, os.Getpid()))
	return &marker{path: path, version: cfg.Version, left: left}
}

func (m *marker) set() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return nil
	}
	m.written = true
	return os.WriteFile(m.path, []byte(m.version), 0o600)
}

// clear removes the file, and those of processes before: the sensor can be read. An
// error is of no consequence: a file that could not be removed could not be written, or
// its folder is gone.
func (m *marker) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.written {
		_ = os.Remove(m.path)
	}
	for _, path := range m.left {
		_ = os.Remove(path)
	}
	m.written, m.left = false, nil
}

// end removes the file while the sensor may still be read: the program ends, and not
// because of that.
func (m *marker) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if m.written {
		_ = os.Remove(m.path)
	}
}

// findMarkers gives for each metric the files of processes that ended in a reading of
// it, in a row and not too long ago. What no longer counts it removes.
func findMarkers(cfg Config) map[Metric][]string {
	found := map[Metric][]string{}
	if cfg.MarkerDir == "" {
		return found
	}
	paths, err := filepath.Glob(filepath.Join(cfg.MarkerDir, markerPrefix+"*-*"))
	if err != nil {
		return found // only a malformed pattern: a folder with odd characters, no markers then
	}
	for _, path := range paths {
		metric, pid, ok := parseMarker(filepath.Base(path))
		if !ok || isAlive(pid) {
			continue
		}
		if !counts(path, cfg.Version) {
			_ = os.Remove(path) // looked at again at the next start, where that fails
			continue
		}
		found[metric] = append(found[metric], path)
	}
	return found
}

// counts reports whether a marker is of this version and not too old.
func counts(path, version string) bool {
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) > crashesCount {
		return false
	}
	was, err := wholefile.Read(path, 1<<10)
	return err == nil && string(was) == version
}

// whyOff is why a sensor stays off, and what to do; "" where it is read.
func whyOff(left []string) string {
	if len(left) < mostCrashes {
		return ""
	}
	return fmt.Sprintf("switched off for a week: the app ended %d times in a row while reading it; delete %s to try again now", len(left), strings.Join(left, ", "))
}

func parseMarker(name string) (metric Metric, pid int32, ok bool) {
	word, number, found := strings.Cut(strings.TrimPrefix(name, markerPrefix), "-")
	n, err := strconv.ParseInt(number, 10, 32)
	if !found || err != nil || !isSensor(Metric(word)) {
		return "", 0, false
	}
	return Metric(word), int32(n), true
}

// isAlive tells whether another process has that id. Our own id is no excuse: the
// file is from before we began.
func isAlive(pid int32) bool {
	if int(pid) == os.Getpid() {
		return false
	}
	alive, err := process.PidExists(pid)
	return err == nil && alive
}
