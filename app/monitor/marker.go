package monitor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/process"
)

// markerPrefix begins the names of marker files: "reading-<metric>-<pid>".
const markerPrefix = "reading-"

// marker is a file that exists while a sensor is read. Some sensor reads can kill the
// process in a way that nothing inside it can catch; the file then stays and tells the
// next start. Files of other processes that are alive are not ours to judge, so the
// process id is part of the name.
type marker struct{ path string }

// newMarker returns nil where no folder is wanted. A folder that can't be made shows
// when the marker is set.
func newMarker(dir string, metric Metric) *marker {
	if dir == "" {
		return nil
	}
	_ = os.MkdirAll(dir, 0o700) // set tells what is wrong
	return &marker{path: filepath.Join(dir, fmt.Sprintf("%s%s-%d", markerPrefix, metric, os.Getpid()))}
}

func (m *marker) set() error {
	return os.WriteFile(m.path, nil, 0o600)
}

// clear removes the file. An error is of no consequence: a file that could not be
// removed could not be written, or its folder is gone.
func (m *marker) clear() { _ = os.Remove(m.path) }

// findMarkers returns the metrics whose read ended a process that is gone, with why
// they stay off and what to do.
func findMarkers(dir string) map[Metric]string {
	off := map[Metric]string{}
	if dir == "" {
		return off
	}
	paths, err := filepath.Glob(filepath.Join(dir, markerPrefix+"*-*"))
	if err != nil {
		return off // only a malformed pattern: a folder with odd characters, no markers then
	}
	for _, path := range paths {
		metric, pid, ok := parseMarker(filepath.Base(path))
		if !ok || isAlive(pid) {
			continue
		}
		off[metric] = fmt.Sprintf("switched off: the app ended while reading it; delete %s to try again", path)
	}
	return off
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
