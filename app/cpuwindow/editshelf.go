package cpuwindow

import (
	"maps"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem"
)

// keepAfter is how long after a keystroke an edit is written down.
const keepAfter = 400 * time.Millisecond

// unsavedEdits keeps edits that wait to be saved; *sessionmem.Memory does.
type unsavedEdits interface {
	KeepUnsaved(u sessionmem.Unsaved) error
	DropUnsaved(path string) error
	AllUnsaved() (map[string]sessionmem.Unsaved, error)
}

// editShelf holds the files being edited, on whatever page, and writes their edits
// down so that they outlive the window and the app. Its buffers belong to the UI
// goroutine.
type editShelf struct {
	disk    unsavedEdits
	failed  func(error) // an edit can't be written down; called off the UI goroutine
	buffers map[string]*editBuffer
	restore map[string]sessionmem.Unsaved // of an earlier time, not opened yet

	mu      sync.Mutex // guards what follows
	waiting map[string]*sessionmem.Unsaved
	timer   *time.Timer
	writing sync.Mutex // one writer at a time: the last state wins
}

func newEditShelf(disk unsavedEdits, failed func(error)) *editShelf {
	return &editShelf{
		disk: disk, failed: failed, buffers: map[string]*editBuffer{},
		restore: map[string]sessionmem.Unsaved{}, waiting: map[string]*sessionmem.Unsaved{},
	}
}

// open gives the buffer of a file as it is now, with the edit that waited for it.
func (s *editShelf) open(now sessionmem.Owned) *editBuffer {
	if b := s.buffers[now.Path]; b != nil {
		b.seen(now)
		return b
	}
	b := newEditBuffer(now)
	if u, ok := s.restore[now.Path]; ok {
		b = restoreBuffer(u, now)
		delete(s.restore, now.Path)
	}
	s.buffers[now.Path] = b
	return b
}

// dirty reports whether a file has edits that are not saved, opened or not.
func (s *editShelf) dirty(path string) bool {
	if b := s.buffers[path]; b != nil {
		return b.dirty()
	}
	_, waits := s.restore[path]
	return waits
}

// dirtyPaths are the files with edits that are not saved.
func (s *editShelf) dirtyPaths() []string {
	paths := slices.Collect(maps.Keys(s.restore))
	for path, b := range s.buffers {
		if b.dirty() {
			paths = append(paths, path)
		}
	}
	return paths
}

// changed notes that a buffer changed: it is written down soon, or forgotten where
// it has nothing to save.
func (s *editShelf) changed(b *editBuffer) {
	var u *sessionmem.Unsaved
	if b.dirty() {
		kept := b.unsaved()
		kept.Time = time.Now()
		u = &kept
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[b.base.Path] = u
	if s.timer == nil {
		s.timer = time.AfterFunc(keepAfter, s.flush)
	}
}

// flush writes down what waits; it returns when that is done.
func (s *editShelf) flush() {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	waiting := s.waiting
	s.waiting, s.timer = map[string]*sessionmem.Unsaved{}, nil
	s.mu.Unlock()
	for path, u := range waiting {
		var err error
		if u == nil {
			err = s.disk.DropUnsaved(path)
		} else {
			err = s.disk.KeepUnsaved(*u)
		}
		if err != nil {
			s.failed(err)
		}
	}
}
