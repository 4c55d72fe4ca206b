package cpuwindow

import (
	"context"
	"os"
	"sync/atomic"
	"time"
)

const (
	watchEvery = time.Second      // how often the open file is checked
	sweepEvery = 10 * time.Second // how often the list is checked, at least
	sweepShare = 200              // the list is checked at most this share of the time
)

// fileWatch checks for edits by other programs while the window is visible: the open file
// once a second, the list of sessions less often. It polls because editors save by renaming a
// file, and some systems open a file for each entry of a watched folder.
type fileWatch struct {
	changed func()               // called when the open file changed
	sweep   func() time.Duration // checks the list; returns how long that took
	stop    context.CancelFunc
	stamp   atomic.Pointer[fileStamp] // nil: no file is open
}

// start runs changed and sweep on a goroutine of its own until stop is called.
func (f *fileWatch) start(ctx context.Context) {
	ctx, f.stop = context.WithCancel(ctx)
	go func() {
		// At whole seconds, when the vitals are read, so that the processor wakes once for both.
		wait := func() time.Duration { return time.Until(time.Now().Truncate(watchEvery).Add(watchEvery)) }
		tick := time.NewTimer(wait())
		defer tick.Stop()
		next := time.Now().Add(sweepEvery)
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				tick.Reset(wait())
			}
			if f.check() {
				f.changed()
			}
			if time.Now().After(next) {
				next = time.Now().Add(max(sweepEvery, sweepShare*f.sweep()))
			}
		}
	}()
}

// fileStamp identifies a state of a file.
type fileStamp struct {
	path string
	size int64
	at   time.Time
}

func stampOf(path string) fileStamp {
	s := fileStamp{path: path}
	if fi, err := os.Stat(path); err == nil {
		s.size, s.at = fi.Size(), fi.ModTime()
	}
	return s
}

// check reports whether the open file has changed since the last check.
func (f *fileWatch) check() bool {
	was := f.stamp.Load()
	if was == nil {
		return false
	}
	now := stampOf(was.path)
	return now != *was && f.stamp.CompareAndSwap(was, &now)
}

// watch sets the open file; "" means none. Any goroutine may call it.
func (f *fileWatch) watch(path string) {
	was := f.stamp.Load()
	switch {
	case path == "":
		f.stamp.Store(nil)
	case was == nil || was.path != path:
		now := stampOf(path)
		f.stamp.Store(&now)
	}
}

// fileChanged reads the open file again.
func (w *Window) fileChanged() {
	if !w.visible {
		return
	}
	if w.panes.page == pageTranscript {
		w.panes.reread()
	}
	w.chats().Reload()
}

// watchOpenFile watches the file that is open now.
func (w *Window) watchOpenFile() {
	path := ""
	switch {
	case w.panes.page == pageTranscript:
		path = w.panes.reader.From().Path
	case w.chats().Shown() != nil:
		path = w.chats().Shown().Path()
	}
	w.watched.watch(path)
}
