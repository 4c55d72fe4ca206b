package indexfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// Progress is the progress of a long indexing run.
type Progress struct {
	Files, Of int  // files done, files to do
	Chunks    int  // indexed so far
	Done      bool // this is the last report
	Elsewhere bool // another process runs it, and this one waits
}

// progressFile tells other processes the progress of indexing many files. It exists while
// that runs, and may be left behind by a killed process: it counts only while the writers'
// lock is held.
const progressFile = "recall.progress"

// progressEvery is the shortest time between two writes of progressFile.
const progressEvery = 250 * time.Millisecond

// Activity tracks long indexing runs, in this process and others.
type Activity struct {
	folder string
	logger *slog.Logger

	mu      sync.Mutex
	busy    int       // runs in this process
	done    Progress  // of the current run
	written time.Time // when that was last written for others
}

// Begin counts a long indexing run until end is called.
func (a *Activity) Begin() (end func()) {
	a.mu.Lock()
	a.busy++
	a.mu.Unlock()
	return a.end
}

func (a *Activity) end() {
	a.mu.Lock()
	a.busy--
	published := a.busy == 0 && a.done.Of > 0
	if a.busy == 0 {
		a.done, a.written = Progress{}, time.Time{}
	}
	a.mu.Unlock()
	if published {
		_ = os.Remove(a.path()) // nobody believes it without the lock
	}
}

func (a *Activity) path() string { return filepath.Join(a.folder, progressFile) }

// runs reports whether this process is indexing.
func (a *Activity) runs() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.busy > 0
}

// Current returns the progress of a long indexing run in this process or another; false if
// there is none.
func (a *Activity) Current() (Progress, bool) {
	published, writes := a.elsewhere()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy > 0 {
		return a.done, true
	}
	return published, writes
}

// Report publishes the progress of the run to other processes.
func (a *Activity) Report(p Progress) {
	a.mu.Lock()
	a.done = p
	due := p.Done || time.Since(a.written) >= progressEvery
	if due {
		a.written = time.Now()
	}
	a.mu.Unlock()
	switch {
	case p.Done:
		_ = os.Remove(a.path()) // nobody believes it without the lock
	case due:
		if err := writeProgress(a.path(), p); err != nil {
			a.logger.Debug("the progress of indexing can't be published", "err", err)
		}
	}
}

// writeProgress overwrites the previous progress in one write of the same length, so that a
// reader finds either one or the other.
func writeProgress(path string, p Progress) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "%-*s", progressSize, data), 0)
	return errors.Join(err, f.Close())
}

// progressSize is the length of progressFile in bytes.
const progressSize = 256

// elsewhere returns the progress of another process that indexes many files; false if none does.
func (a *Activity) elsewhere() (p Progress, ok bool) {
	data, err := wholefile.Read(a.path(), 1<<20)
	if err != nil || json.Unmarshal(data, &p) != nil {
		return Progress{}, false
	}
	l := wholefile.NewLock(filepath.Join(a.folder, lockFile))
	free, err := l.TryRLock()
	if free {
		_ = l.Unlock() // this only tested it
	}
	return p, err == nil && !free
}

// watch reports the progress of the other process until stop is called.
func (a *Activity) watch(tell func(Progress)) (stop func()) {
	if tell == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if p, ok := a.elsewhere(); ok {
				p.Elsewhere = true
				tell(p)
			}
			select {
			case <-done:
				return
			case <-time.After(progressEvery):
			}
		}
	}()
	return func() { close(done); <-ended }
}
