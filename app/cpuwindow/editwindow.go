package cpuwindow

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem"
)

// showPane shows the pane of a page, made at the first time, and hides the others.
func (w *Window) showPane(p page) {
	switch {
	case p == pageMemory && w.memory == nil:
		w.memory = newMemoryPage(w)
		w.panes.Add(w.memory.object)
	case p == pageAgents && w.roster == nil:
		w.roster = newAgentsPage(w)
		w.panes.Add(w.roster.object)
	case p == pageVitals && w.details == nil:
		w.details = vitals.NewPage(windowHost{w}, w.parts.vitals)
		w.panes.Add(w.details.View)
	}
	if w.details != nil {
		w.details.View.Hidden = p != pageVitals
	}
	if w.memory != nil {
		w.memory.object.Hidden = p != pageMemory
	}
	if w.roster != nil {
		w.roster.object.Hidden = p != pageAgents
	}
	w.reader.object.Hidden = p != pageTranscript
	w.pageView.Hidden = p != pageSettings && p != pageWelcome
}

// KeepEdits writes down what was edited and not saved, and what was written and not
// sent; it returns when that is on disk. It is called on the UI goroutine, or when
// there is none any more.
func (w *Window) KeepEdits() {
	w.draftsWriter()()
	w.shelf.flush()
}

// editChanged notes that an edit changed.
func (w *Window) editChanged(b *editBuffer) {
	w.shelf.changed(b)
	w.markPages()
}

// tellUnkept says that an edit could not be written down: it is in the window alone.
func (w *Window) tellUnkept(err error) {
	w.p.Do(func() {
		w.tell(i18n.With("An edit that is not saved yet is only in this window: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("Save it, or copy it elsewhere, before you quit."))
	})
}

// restoreEdits finds the edits of an earlier time that were never saved.
func (w *Window) restoreEdits() {
	go func() {
		all, err := w.parts.memories.AllUnsaved()
		w.p.Do(func() {
			var names []string
			for path, u := range all {
				if w.shelf.buffers[path] == nil {
					w.shelf.restore[path] = u
					names = append(names, filepath.Base(path)+" ("+i18n.Moment(u.Time, time.Now())+")")
				}
			}
			slices.Sort(names)
			w.markPages()
			switch {
			case err != nil:
				w.tell(i18n.T("An edit of an earlier time can't be read"), err.Error())
			case len(names) > 0:
				w.tell(i18n.With("Edits that were not saved are back: {{.Names}}", i18n.Places{"Names": strings.Join(names, ", ")}), i18n.T("They wait on the pages Memory and Agents."))
			}
		})
	}()
}

// saveBuffer saves an edit off the UI goroutine; then tells how it went. Where the
// file was changed outside, both are kept for the user to choose.
func (w *Window) saveBuffer(b *editBuffer, then func()) {
	if b.saving || !b.dirty() || b.theirs != nil {
		return
	}
	b.saving = true
	base, text := b.base, b.text
	go func() {
		now, err := w.parts.memories.SaveOwned(w.ctx, base, text)
		conflict := errors.Is(err, sessionmem.ErrChangedOutside)
		if conflict {
			now, err = w.parts.memories.OpenOwned(base.Path)
		}
		w.p.Do(func() {
			b.saving = false
			switch {
			case err != nil:
				b.err = err
			case conflict:
				b.theirs = &now
			default:
				b.saved(text, now)
			}
			w.editChanged(b)
			then()
		})
	}()
}
