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

// Progress is told while a long indexing runs.
type Progress struct {
	Files, Of int  // files done, files to do
	Chunks    int  // taken up by now
	Done      bool // it was the last report
	Elsewhere bool // another process does it, and is waited for
}

// progressFile tells other processes how far an indexing of many files is. It is there
// while one runs, and left by one that was killed: it counts only as long as somebody
// holds the writers' lock.
const progressFile = "recall.progress"

// progressEvery is how often it is written anew at most.
const progressEvery = 250 * time.Millisecond

// building is the long indexings that run, in this process and others.
type building struct {
	folder string
	logger *slog.Logger

	mu    sync.Mutex
	busy  int       // of this process
	done  Progress  // of the one that runs
	noted time.Time // when that was told to others
}

// Begin and the end that it gives count the long indexings that run.
func (f *File) Begin() (end func()) {
	b := &f.building
	b.mu.Lock()
	b.busy++
	b.mu.Unlock()
	return b.end
}

func (b *building) end() {
	b.mu.Lock()
	b.busy--
	told := b.busy == 0 && b.done.Of > 0
	if b.busy == 0 {
		b.done, b.noted = Progress{}, time.Time{}
	}
	b.mu.Unlock()
	if told {
		_ = os.Remove(b.path()) // without the lock nobody believes it
	}
}

func (b *building) path() string { return filepath.Join(b.folder, progressFile) }

// runs says whether this process builds the index.
func (b *building) runs() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.busy > 0
}

// Building tells how far a long indexing is, of this process or another; false: none runs.
func (f *File) Building() (Progress, bool) {
	b := &f.building
	told, writes := b.elsewhere()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy > 0 {
		return b.done, true
	}
	return told, writes
}

// Note tells others how far the indexing is.
func (f *File) Note(p Progress) {
	b := &f.building
	b.mu.Lock()
	b.done = p
	due := p.Done || time.Since(b.noted) >= progressEvery
	if due {
		b.noted = time.Now()
	}
	b.mu.Unlock()
	switch {
	case p.Done:
		_ = os.Remove(b.path()) // as above
	case due:
		if err := writeProgress(b.path(), p); err != nil {
			b.logger.Debug("others can't be told how far the indexing is", "err", err)
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

// elsewhere says how far another process is that indexes many files; false: none does.
func (b *building) elsewhere() (p Progress, ok bool) {
	data, err := wholefile.Read(b.path(), 1<<20)
	if err != nil || json.Unmarshal(data, &p) != nil {
		return Progress{}, false
	}
	l := wholefile.NewLock(filepath.Join(b.folder, lockFile))
	free, err := l.TryRLock()
	if free {
		_ = l.Unlock() // only looked at
	}
	return p, err == nil && !free
}

// watch tells how far another process is that is waited for, until stop.
func (b *building) watch(tell func(Progress)) (stop func()) {
	if tell == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if p, ok := b.elsewhere(); ok {
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
