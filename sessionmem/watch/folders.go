package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"mac-stats/sessionmem/wholefile"

	"github.com/fsnotify/fsnotify"
)

// watchFolders makes the notifier watch exactly these folders. It reports whether
// one was added whose content may have changed since it was listed.
func (w *Watcher) watchFolders(want map[string]bool) (added bool) {
	for dir := range w.folders {
		if !want[dir] {
			delete(w.folders, dir)
			w.unwatch(dir)
		}
	}
	for _, dir := range w.ownFirst(want) {
		fi, err := os.Stat(dir)
		if err != nil || w.hasAlias(dir, fi) {
			continue // gone since (the next look finds that), or watched under another name
		}
		if old, ok := w.folders[dir]; ok {
			if os.SameFile(old, fi) && w.isWatched(dir) {
				continue
			}
			w.unwatch(dir) // another folder of the same name
		}
		w.folders[dir] = fi
		if w.notify == nil {
			continue
		}
		if err := w.notify.Add(dir); err != nil {
			w.cfg.Logger.Warn("a folder can't be watched, its edits are found by looking now and then", "dir", dir, "err", err)
			continue
		}
		added = true
	}
	return added
}

// ownFirst returns the folders, those that were configured first: if a folder has two names,
// notifications should carry that one.
func (w *Watcher) ownFirst(want map[string]bool) []string {
	var own, others []string
	for dir := range want {
		if slices.ContainsFunc(w.cfg.Dirs, func(d string) bool { return wholefile.IsWithin(dir, d) }) {
			own = append(own, dir)
		} else {
			others = append(others, dir)
		}
	}
	return append(own, others...)
}

// hasAlias reports whether a folder is watched under another name: a system knows a
// folder only once.
func (w *Watcher) hasAlias(dir string, fi os.FileInfo) bool {
	for other, stat := range w.folders {
		if other != dir && os.SameFile(stat, fi) {
			return true
		}
	}
	return false
}

func (w *Watcher) isWatched(dir string) bool {
	return w.notify == nil || slices.Contains(w.notify.WatchList(), dir)
}

func (w *Watcher) unwatch(dir string) {
	if w.notify == nil {
		return
	}
	if err := w.notify.Remove(dir); err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
		w.cfg.Logger.Debug("a folder could not be let go", "dir", dir, "err", err)
	}
}

// existingParent returns the nearest existing folder above dir: it is watched to see dir
// appear.
func existingParent(dir string) string {
	for {
		up := filepath.Dir(dir)
		if fi, err := os.Stat(up); err == nil && fi.IsDir() || up == dir {
			return up
		}
		dir = up
	}
}
