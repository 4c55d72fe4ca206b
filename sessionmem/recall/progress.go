package recall

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// progressFile tells other processes how far an indexing of many files is. It is there
// while one runs, and left by one that was killed: it counts only as long as somebody
// holds the writers' lock.
const progressFile = "recall.progress"

// progressEvery is how often it is written anew at most.
const progressEvery = 250 * time.Millisecond

// progress tells of an indexing, in this process and to others.
func (x *Index) progress(p Progress) {
	if p.Of >= manyFiles {
		x.note(p)
	}
	if x.cfg.Progress != nil {
		x.cfg.Progress(p)
	}
}

func (x *Index) note(p Progress) {
	x.mu.Lock()
	x.done = p
	due := p.Done || time.Since(x.noted) >= progressEvery
	if due {
		x.noted = time.Now()
	}
	x.mu.Unlock()
	path := filepath.Join(x.cfg.CacheDir, progressFile)
	switch {
	case p.Done:
		_ = os.Remove(path) // without the lock nobody believes it
	case due:
		if err := writeProgress(path, p); err != nil {
			x.logger.Debug("others can't be told how far the indexing is", "err", err)
		}
	}
}

// writeProgress writes over what was told before, at once and in the same length: who
// reads meanwhile finds the one or the other.
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

// progressSize is how long the file is, in bytes.
const progressSize = 256

// unnoted says that an indexing that may have been told of is over.
func (x *Index) unnoted() {
	x.mu.Lock()
	told := x.done.Of > 0
	x.done, x.noted = Progress{}, time.Time{}
	x.mu.Unlock()
	if told {
		_ = os.Remove(filepath.Join(x.cfg.CacheDir, progressFile)) // as above
	}
}

// elsewhere says how far another process is that indexes many files; false: none does.
func (x *Index) elsewhere() (p Progress, ok bool) {
	data, err := wholefile.Read(filepath.Join(x.cfg.CacheDir, progressFile), 1<<20)
	if err != nil || json.Unmarshal(data, &p) != nil {
		return Progress{}, false
	}
	l := wholefile.NewLock(filepath.Join(x.cfg.CacheDir, lockFile))
	free, err := l.TryRLock()
	if free {
		_ = l.Unlock() // only looked at
	}
	return p, err == nil && !free
}

// waiting tells how far another process is that is waited for, until stop.
func (x *Index) waiting() (stop func()) {
	if x.cfg.Progress == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if p, ok := x.elsewhere(); ok {
				p.Elsewhere = true
				x.cfg.Progress(p)
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
