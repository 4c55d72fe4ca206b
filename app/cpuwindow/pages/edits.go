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

// storeDelay is the delay between a keystroke and storing the edit on disk.
const storeDelay = 400 * time.Millisecond

// Edits holds the files being edited, on all pages, and stores the edits on disk so that
// they outlive the window and the app. Its buffers belong to the UI goroutine.
type Edits struct {
	host    Host
	disk    Memories
	buffers map[string]*editBuffer
	stored  map[string]memory.Unsaved // stored edits not opened yet

	mu      sync.Mutex // guards the fields below
	waiting map[string]*memory.Unsaved
	timer   *time.Timer
	writing sync.Mutex // one writer at a time: the last state wins
}

// NewEdits returns the edits of a data folder's files, before LoadStored.
func NewEdits(h Host, disk Memories) *Edits {
	return &Edits{
		host: h, disk: disk, buffers: map[string]*editBuffer{},
		stored: map[string]memory.Unsaved{}, waiting: map[string]*memory.Unsaved{},
	}
}

// open returns the buffer of a file, with its stored edit if there is one.
func (s *Edits) open(now memory.Owned) *editBuffer {
	if b := s.buffers[now.Path]; b != nil {
		b.readAgain(now)
		return b
	}
	b := newEditBuffer(now)
	if u, ok := s.stored[now.Path]; ok {
		b = restoreBuffer(u, now)
		delete(s.stored, now.Path)
	}
	s.buffers[now.Path] = b
	return b
}

// dirty reports whether a file has unsaved edits, opened or not.
func (s *Edits) dirty(path string) bool {
	if b := s.buffers[path]; b != nil {
		return b.dirty()
	}
	_, waits := s.stored[path]
	return waits
}

// Unsaved returns the paths of the files with unsaved edits.
func (s *Edits) Unsaved() []string {
	paths := slices.Collect(maps.Keys(s.stored))
	for path, b := range s.buffers {
		if b.dirty() {
			paths = append(paths, path)
		}
	}
	return paths
}

// changed schedules storing a buffer's edit, or removing it if nothing is unsaved.
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
		s.timer = time.AfterFunc(storeDelay, s.Flush)
	}
}

// Flush stores the pending edits and returns when that is done. It may be called on any
// goroutine.
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
				s.host.Notify(i18n.With("Unsaved changes exist only in this window: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("Save it, or copy it elsewhere, before you quit."))
			})
		}
	}
}

// LoadStored reads the edits stored earlier and never saved, in the background, and reports them
// to the host.
func (s *Edits) LoadStored() {
	go func() {
		all, err := s.disk.AllUnsaved()
		s.host.Do(func() {
			var names []string
			for path, u := range all {
				if s.buffers[path] == nil {
					s.stored[path] = u
					names = append(names, filepath.Base(path)+" ("+i18n.Moment(u.Time, time.Now())+")")
				}
			}
			slices.Sort(names)
			s.host.EditsChanged()
			switch {
			case err != nil:
				s.host.Notify(i18n.T("Earlier unsaved changes can't be read"), err.Error())
			case len(names) > 0:
				s.host.Notify(i18n.With("Unsaved changes restored: {{.Names}}", i18n.Places{"Names": strings.Join(names, ", ")}), i18n.T("Find them on the Memory and Agents pages."))
			}
		})
	}()
}

// save saves an edit in the background, then calls then. If the file was changed outside,
// both versions are kept for the user to choose.
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
