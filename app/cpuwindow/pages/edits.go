package pages

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/app/i18n"
	"mac-stats/sessionmem/memory"
)

// keepAfter is how long after a keystroke an edit is written down.
const keepAfter = 400 * time.Millisecond

// Edits holds the files being edited, on whatever page, and writes their edits
// down so that they outlive the window and the app. Its buffers belong to the UI
// goroutine.
type Edits struct {
	host    Host
	disk    Memories
	buffers map[string]*editBuffer
	restore map[string]memory.Unsaved // of an earlier time, not opened yet

	mu      sync.Mutex // guards what follows
	waiting map[string]*memory.Unsaved
	timer   *time.Timer
	writing sync.Mutex // one writer at a time: the last state wins
}

// NewEdits is the edits of a data folder's files, none of them found yet.
func NewEdits(h Host, disk Memories) *Edits {
	return &Edits{
		host: h, disk: disk, buffers: map[string]*editBuffer{},
		restore: map[string]memory.Unsaved{}, waiting: map[string]*memory.Unsaved{},
	}
}

// open gives the buffer of a file as it is now, with the edit that waited for it.
func (s *Edits) open(now memory.Owned) *editBuffer {
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
func (s *Edits) dirty(path string) bool {
	if b := s.buffers[path]; b != nil {
		return b.dirty()
	}
	_, waits := s.restore[path]
	return waits
}

// Unsaved are the files with edits that are not saved.
func (s *Edits) Unsaved() []string {
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
func (s *Edits) changed(b *editBuffer) {
	defer s.host.EditsChanged()
	var u *memory.Unsaved
	if b.dirty() {
		kept := b.unsaved()
		kept.Time = time.Now()
		u = &kept
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[b.base.Path] = u
	if s.timer == nil {
		s.timer = time.AfterFunc(keepAfter, s.Flush)
	}
}

// Flush writes down what waits; it returns when that is done. Any goroutine.
func (s *Edits) Flush() {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	waiting := s.waiting
	s.waiting, s.timer = map[string]*memory.Unsaved{}, nil
	s.mu.Unlock()
	for path, u := range waiting {
		var err error
		if u == nil {
			err = s.disk.DropUnsaved(path)
		} else {
			err = s.disk.KeepUnsaved(*u)
		}
		if err != nil {
			s.host.Do(func() {
				s.host.Tell(i18n.With("Unsaved changes exist only in this window: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("Save it, or copy it elsewhere, before you quit."))
			})
		}
	}
}

// Find looks for the edits of an earlier time that were never saved, off the UI
// goroutine, and tells of them.
func (s *Edits) Find() {
	go func() {
		all, err := s.disk.AllUnsaved()
		s.host.Do(func() {
			var names []string
			for path, u := range all {
				if s.buffers[path] == nil {
					s.restore[path] = u
					names = append(names, filepath.Base(path)+" ("+i18n.Moment(u.Time, time.Now())+")")
				}
			}
			slices.Sort(names)
			s.host.EditsChanged()
			switch {
			case err != nil:
				s.host.Tell(i18n.T("Earlier unsaved changes can't be read"), err.Error())
			case len(names) > 0:
				s.host.Tell(i18n.With("Unsaved changes restored: {{.Names}}", i18n.Places{"Names": strings.Join(names, ", ")}), i18n.T("Find them on the Memory and Agents pages."))
			}
		})
	}()
}

// save saves an edit off the UI goroutine; then tells how it went. Where the file was
// changed outside, both are kept for the user to choose.
func (s *Edits) save(b *editBuffer, then func()) {
	if b.saving || !b.dirty() || b.theirs != nil {
		return
	}
	b.saving = true
	base, text := b.base, b.text
	go func() {
		now, err := s.disk.SaveOwned(s.host.Context(), base, text)
		conflict := errors.Is(err, memory.ErrChangedOutside)
		if conflict {
			now, err = s.disk.OpenOwned(base.Path)
		}
		s.host.Do(func() {
			b.saving = false
			switch {
			case err != nil:
				b.err = err
			case conflict:
				b.theirs = &now
			default:
				b.saved(text, now)
			}
			s.changed(b)
			then()
		})
	}()
}
