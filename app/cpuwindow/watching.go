package cpuwindow

import (
	"context"
	"os"
	"sync/atomic"
	"time"
)

const (
	watchEvery = time.Second      // the open file
	sweepEvery = 10 * time.Second // the list; at least sweepShare times as long as reading it takes
	sweepShare = 200
)

// watchFiles looks, while the window is shown, for edits made by other programs: of
// the file that is open once a second, of all others now and then. Editors save by
// rename, and some systems open a file for each entry of a watched folder: asking is
// cheaper than being told.
func (w *Window) watchFiles() (stop func()) {
	ctx, cancel := context.WithCancel(w.ctx)
	go func() {
		// at whole seconds, as the vitals are read, so that the processor wakes once for both
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
			if w.watched.changed() {
				w.p.Do(w.fileChanged)
			}
			if time.Now().After(next) {
				took := w.library.Sweep()
				next = time.Now().Add(max(sweepEvery, sweepShare*took))
			}
		}
	}()
	return cancel
}

// fileStamp tells a file's states apart.
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

// watchedFile is a file as it was when somebody looked last. Any goroutine.
type watchedFile struct {
	stamp atomic.Pointer[fileStamp] // nil: none is watched
}

// changed reports whether the file is another one than at the last look.
func (f *watchedFile) changed() bool {
	was := f.stamp.Load()
	if was == nil {
		return false
	}
	now := stampOf(was.path)
	return now != *was && f.stamp.CompareAndSwap(was, &now)
}

// watch begins to look at another file; "" for none.
func (f *watchedFile) watch(path string) {
	was := f.stamp.Load()
	switch {
	case path == "":
		f.stamp.Store(nil)
	case was == nil || was.path != path:
		now := stampOf(path)
		f.stamp.Store(&now)
	}
}

// fileChanged takes the open file as it is now.
func (w *Window) fileChanged() {
	if !w.visible {
		return
	}
	if w.page == pageTranscript && w.reader.Read != nil {
		w.reader.Reread()
	}
	w.chats().Reload()
}

// trackOpen tells the watcher which file is open.
func (w *Window) trackOpen() {
	path := ""
	switch {
	case w.page == pageTranscript:
		path = w.reader.From().Path
	case w.chats().Shown() != nil:
		path = w.chats().Shown().Path()
	}
	w.watched.watch(path)
}
