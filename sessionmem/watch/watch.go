package watch

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/wholefile"

	"github.com/fsnotify/fsnotify"
)

// The watcher's default times.
const (
	defaultDebounce = 200 * time.Millisecond
	defaultSweep    = 30 * time.Second

	// maxDebounces limits how long a file that is saved again and again can delay a
	// report, in debounces.
	maxDebounces = 5

	// pollSweep is the sweep on systems without a notifier.
	pollSweep = 2 * time.Second
)

// Change is a file that was changed outside, reported after the debounce.
type Change struct {
	Path    string
	Added   int // lines, for text files of at most 1 MB; all lines of a new file
	Removed int
	Gone    bool
	At      time.Time
}

// Config configures a Watcher. Dirs are watched as directories, with one level of
// sub-folders, because editors save by rename.
type Config struct {
	Dirs     []string
	Flat     bool          // only the folders' own files, no sub-folders
	Debounce time.Duration // 200 ms if zero
	Sweep    time.Duration // time between full comparisons, 30 s if zero: for network folders and what the notifier missed
	Logger   *slog.Logger
}

// Watcher reports edits made by hand. It ignores hidden files, editors' backups, temporary
// files, and saves that changed nothing.
//
// A notification only says when to look: what changed is found by comparing the folders with
// what is known of them, so that it doesn't matter how an editor saves.
type Watcher struct {
	cfg      Config
	onChange func([]Change)
	seed     maphash.Seed // for the hashes of lines
	done     chan struct{}

	// The fields below belong to the watcher's goroutine.
	notify  *fsnotify.Watcher // nil: sweeps only
	folders map[string]os.FileInfo
	targets map[string]bool // files outside that links in the folders point to
	files   map[string]fileState
	missing map[string]bool    // gone at the last look; reported if still gone at the next
	cut     map[string]cutFile // emptied or cut short: perhaps in the middle of a save
	since   time.Time          // of the first notification not yet handled
}

// Start watches until ctx ends. It calls onChange in order on one goroutine, never during
// another call. The content of the folders is known when Start returns: every later edit is
// reported.
func Start(ctx context.Context, cfg Config, onChange func([]Change)) (*Watcher, error) {
	if onChange == nil {
		panic("watch: Start needs a listener")
	}
	w := newWatcher(cfg, onChange)
	if err := w.makeAbsolute(); err != nil {
		return nil, err
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		w.cfg.Logger.Warn("the system gives no file notifier, edits are found by looking now and then", "err", err)
		w.cfg.Sweep = min(w.cfg.Sweep, pollSweep)
	} else {
		w.notify = notify
	}
	w.compareAll()
	go w.run(ctx)
	return w, nil
}

// newWatcher returns a watcher that hasn't looked yet.
func newWatcher(cfg Config, onChange func([]Change)) *Watcher {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Debounce <= 0 {
		cfg.Debounce = defaultDebounce
	}
	if cfg.Sweep <= 0 {
		cfg.Sweep = defaultSweep
	}
	return &Watcher{
		cfg: cfg, onChange: onChange, seed: maphash.MakeSeed(), done: make(chan struct{}),
		folders: map[string]os.FileInfo{}, targets: map[string]bool{},
		files: map[string]fileState{}, missing: map[string]bool{}, cut: map[string]cutFile{},
	}
}

func (w *Watcher) makeAbsolute() error {
	w.cfg.Dirs = slices.Clone(w.cfg.Dirs)
	for i, d := range w.cfg.Dirs {
		abs, err := filepath.Abs(d)
		if err != nil {
			return wholefile.Explain("watching "+d, err)
		}
		w.cfg.Dirs[i] = abs
	}
	return nil
}

// Wait returns when watching has ended and the last call of onChange has returned.
func (w *Watcher) Wait() { <-w.done }

// run is the watcher's goroutine.
func (w *Watcher) run(ctx context.Context) {
	defer close(w.done)
	var events chan fsnotify.Event
	var errs chan error
	if w.notify != nil {
		defer func() {
			if err := w.notify.Close(); err != nil {
				w.cfg.Logger.Debug("the file notifier did not close", "err", err)
			}
		}()
		events, errs = w.notify.Events, w.notify.Errors
	}
	sweep := time.NewTicker(w.cfg.Sweep)
	defer sweep.Stop()
	debounce := time.NewTimer(0)
	debounce.Stop()
	defer debounce.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if w.matters(e) {
				debounce.Reset(w.delay())
			}
		case err := <-errs:
			w.cfg.Logger.Warn("the file notifier missed something, looking at all files", "err", err)
			debounce.Reset(w.delay())
		case <-debounce.C:
			w.report(debounce)
		case <-sweep.C:
			w.report(debounce)
		}
	}
}

// delay returns the time until the next look: a debounce from now, but no more than
// some debounces from the first notification.
func (w *Watcher) delay() time.Duration {
	if w.since.IsZero() {
		w.since = time.Now()
	}
	latest := time.Until(w.since.Add(maxDebounces * w.cfg.Debounce))
	return max(0, min(w.cfg.Debounce, latest))
}

// matters reports whether a notification can be about a file to report. Besides the folders
// themselves, those of links' targets and those above missing folders are watched, and most of
// what happens there is of no interest.
func (w *Watcher) matters(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod || e.Name == "" {
		return false
	}
	if w.targets[e.Name] {
		return true
	}
	return !ignored(filepath.Base(e.Name)) && slices.ContainsFunc(w.cfg.Dirs, func(d string) bool {
		return wholefile.IsWithin(e.Name, d) || wholefile.IsWithin(d, e.Name) // the second case: a folder above a missing one
	})
}

// report looks and calls onChange with what changed.
func (w *Watcher) report(debounce *time.Timer) {
	w.since = time.Time{}
	changes := w.compareAll()
	if len(w.missing)+len(w.cut) > 0 {
		debounce.Reset(w.cfg.Debounce) // an editor may be about to write it again
	}
	if len(changes) > 0 {
		w.onChange(changes)
	}
}

// compareAll compares the folders with what is known of them and starts watching new ones. A newly
// watched folder is compared again: something may have changed between listing and
// watching it.
func (w *Watcher) compareAll() []Change {
	var changes []Change
	var found map[string]bool
	depth := 1
	if w.cfg.Flat {
		depth = 0
	}
	for again := true; again; {
		found = map[string]bool{}
		w.targets = map[string]bool{}
		folders := map[string]bool{}
		for _, dir := range w.cfg.Dirs {
			changes = append(changes, w.lookIn(dir, depth, found, folders)...)
		}
		for t := range w.targets {
			folders[filepath.Dir(t)] = true
		}
		again = w.watchFolders(folders)
	}
	changes = append(changes, w.lookForMissing(found)...)
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

// lookIn compares one folder, and its sub-folders while depth allows. It adds the existing
// files and folders to found and folders.
func (w *Watcher) lookIn(dir string, depth int, found, folders map[string]bool) []Change {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.cfg.Logger.Debug("a watched folder can't be read", "dir", dir, "err", err)
		}
		folders[existingParent(dir)] = true
		return nil
	}
	folders[dir] = true
	var changes []Change
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		fi, err := os.Stat(path)
		switch {
		case ignored(e.Name()) || err != nil: // gone again, or a link to nothing
		case fi.IsDir() && depth > 0:
			changes = append(changes, w.lookIn(path, depth-1, found, folders)...)
		case fi.Mode().IsRegular():
			if e.Type()&fs.ModeSymlink != 0 {
				w.addTarget(path)
			}
			found[path] = true
			if c, changed := w.compare(path, fi); changed {
				changes = append(changes, c)
			}
		}
	}
	return changes
}

// addTarget adds the file that a link points to: it is watched where it is.
func (w *Watcher) addTarget(link string) {
	if target, err := filepath.EvalSymlinks(link); err == nil {
		w.targets[target] = true
	}
}

// compare reports whether a file's content differs from what is known.
func (w *Watcher) compare(path string, fi os.FileInfo) (Change, bool) {
	delete(w.missing, path)
	old, known := w.files[path]
	if known && old.unchanged(fi) {
		return Change{}, false
	}
	now := readState(path, fi, w.seed)
	if known && w.mayBeCut(path, old, now) {
		return Change{}, false
	}
	w.files[path] = now
	if known && old.sameContent(now) {
		return Change{}, false
	}
	c := Change{Path: path, At: time.Now()}
	c.Added, c.Removed = old.diff(now)
	return c, true
}

// cutFile is a state of a file that may be the middle of a save, and since when it has been
// seen.
type cutFile struct {
	now   fileState
	since time.Time
}

// mayBeCut reports whether a file may be in the middle of a save: it was emptied or cut
// short less than a second ago.
func (w *Watcher) mayBeCut(path string, old, now fileState) bool {
	c, seen := w.cut[path]
	if !old.isCut(now) {
		delete(w.cut, path)
		return false
	}
	if !seen || !c.now.unchanged(now.stat) {
		c = cutFile{now, time.Now()}
		w.cut[path] = c
	}
	if time.Since(c.since) < wholefile.StableTime {
		return true
	}
	delete(w.cut, path)
	return false
}

// lookForMissing finds the known files that aren't there: the first time, an editor may be
// between the two steps of a save.
func (w *Watcher) lookForMissing(found map[string]bool) []Change {
	var changes []Change
	for path, old := range w.files {
		if !found[path] {
			delete(w.cut, path)
		}
		if found[path] {
			continue
		}
		if !w.missing[path] {
			w.missing[path] = true
			continue
		}
		delete(w.missing, path)
		delete(w.files, path)
		_, removed := old.diff(fileState{text: true})
		changes = append(changes, Change{Path: path, Removed: removed, Gone: true, At: time.Now()})
	}
	return changes
}

// ignored reports whether a file belongs to an editor or to the system: hidden, backup,
// swap, temporary, vim's test file.
func ignored(base string) bool {
	return strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~") || strings.HasPrefix(base, "#") && strings.HasSuffix(base, "#") ||
		slices.Contains([]string{".swp", ".swx", ".tmp", ".bak", ".part", ".crdownload"}, filepath.Ext(base)) || base == "4913"
}
