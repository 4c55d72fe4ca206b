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

// markerPrefix is the prefix of the marker files: "reading-<metric>-<pid>".
const markerPrefix = "reading-"

const (
	// mostCrashes is how many processes in a row must end during reads of a sensor before
	// it stays off. A single one means little: people kill programs, and machines lose
	// power.
	mostCrashes = 3
	// crashesCount is how long a crash counts; after that the sensor is tried again.
	crashesCount = 7 * 24 * time.Hour
)

// marker is a file that exists while a sensor is read. Some sensor reads can kill the
// process in a way that it can't catch; then the file stays and warns later starts. Files
// of other live processes don't count, so the PID is part of the name. The file contains
// the program's version, because a new version tries again.
type marker struct {
	path, version string

	mu      sync.Mutex
	left    []string // those of dead processes
	written bool
	ended   bool // the program is ending: a running read is no crash
}

// newMarker returns nil without a marker folder. If the folder can't be created, set
// reports it.
func newMarker(cfg Config, metric Metric, left []string) *marker {
	if cfg.MarkerDir == "" {
		return nil
	}
	_ = os.MkdirAll(cfg.MarkerDir, 0o700) // set reports the error
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

// clear removes the file and those of earlier processes, because the sensor can be read.
// Errors don't matter: a file that can't be removed could not have been written, or its
// folder is gone.
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

// end removes the file while the sensor may still be read: the program ends for another
// reason.
func (m *marker) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if m.written {
		_ = os.Remove(m.path)
	}
}

// findMarkers returns, for each metric, the files of processes that ended during a read of
// it, in a row and recently. It removes those that no longer count.
func findMarkers(cfg Config) map[Metric][]string {
	found := map[Metric][]string{}
	if cfg.MarkerDir == "" {
		return found
	}
	paths, err := filepath.Glob(filepath.Join(cfg.MarkerDir, markerPrefix+"*-*"))
	if err != nil {
		return found // a malformed pattern, from a folder with special characters
	}
	for _, path := range paths {
		metric, pid, ok := parseMarker(filepath.Base(path))
		if !ok || isAlive(pid) {
			continue
		}
		if !counts(path, cfg.Version) {
			_ = os.Remove(path) // if it fails, the next start tries again
			continue
		}
		found[metric] = append(found[metric], path)
	}
	return found
}

// counts reports whether a marker is of this version and recent.
func counts(path, version string) bool {
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) > crashesCount {
		return false
	}
	was, err := wholefile.Read(path, 1<<10)
	return err == nil && string(was) == version
}

// whyOff explains why a sensor stays off and what to do; "" if it is read.
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

// isAlive reports whether another process has this PID. Our own PID doesn't count, because
// the file is older than this process.
func isAlive(pid int32) bool {
	if int(pid) == os.Getpid() {
		return false
	}
	alive, err := process.PidExists(pid)
	return err == nil && alive
}
