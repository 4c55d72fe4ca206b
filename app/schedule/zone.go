package schedule

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// zoneFile holds the machine's time zone, on systems that keep it in a file.
const zoneFile = "/etc/localtime"

// localZone is the machine's time zone as it is now. Go reads it once, at the program's start; the
// machine may travel. It is safe for concurrent use.
type localZone struct {
	file string // "" where the zone stays as it was at the start

	mu   sync.Mutex
	read os.FileInfo // of the file as it was read
	name string      // where the file leads
	loc  *time.Location
}

func newZone() *localZone {
	z := &localZone{file: zoneFile, loc: time.Local}
	if _, fixed := os.LookupEnv("TZ"); fixed || runtime.GOOS == "windows" {
		z.file = ""
	}
	return z
}

// location returns the zone. It is the same value as long as the zone is the same.
func (z *localZone) location() *time.Location {
	z.mu.Lock()
	defer z.mu.Unlock()
	fi, err := os.Stat(z.file)
	if z.file == "" || err != nil {
		return z.loc
	}
	name, _ := filepath.EvalSymlinks(z.file) // a plain file leads to itself
	if z.read != nil && name == z.name && os.SameFile(fi, z.read) && fi.ModTime().Equal(z.read.ModTime()) {
		return z.loc
	}
	data, err := os.ReadFile(z.file)
	if err != nil {
		return z.loc
	}
	_, short, _ := strings.Cut(filepath.ToSlash(name), "zoneinfo/")
	loc, err := time.LoadLocationFromTZData(short, data)
	if err != nil {
		return z.loc // it is being written
	}
	z.read, z.name, z.loc = fi, name, loc
	return z.loc
}
