package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/ui/kit"
)

// filePage is what the pages of memory and agents share: things on the left, the
// chosen one on the right, to be read or with its file in the editor. Its fields
// belong to the UI goroutine.
type filePage struct {
	w       *Window
	split   *splitView
	view    *kit.Viewport
	edit    *editor
	object  *fyne.Container
	editing bool
	news    *reloads
	all     bool   // show all lines of a long file
	said    string // what came of the last action
	saidBad bool

	draw func() // shows the page as it is known
	load func() // reads it anew, off the UI goroutine
}

func newFilePage(w *Window, pick func(key string), draw, load func()) *filePage {
	f := &filePage{w: w, view: newDetail(), news: newReloads(), draw: draw, load: load}
	f.view.Follow, f.view.Fixed = false, true
	f.edit = newEditor(editorActions{changed: w.editChanged, save: f.save, close: f.stopEditing})
	f.edit.object.Hide()
	f.split = newSplitView(container.NewStack(f.view, f.edit.object), pick)
	f.object = f.split.object
	return f
}

// show shows the editor where the file is being edited, else the rows.
func (f *filePage) show(b *editBuffer, title string, rows func() []*kit.Placed) {
	editing := f.editing && b != nil
	f.edit.object.Hidden, f.view.Hidden = !editing, editing
	if editing {
		f.edit.open(b, title, 0)
		f.edit.sync()
	} else {
		f.view.ReplaceRows(f.w.win.Canvas(), rows())
	}
	f.object.Refresh()
}

// stopEditing goes back to reading; the edit stays.
func (f *filePage) stopEditing() {
	f.editing = false
	f.draw()
}

// save writes the edit, unless there is a conflict to decide first.
func (f *filePage) save(b *editBuffer) {
	f.w.saveBuffer(b, func() {
		f.news.own[b.base.Path] = true
		f.edit.sync()
		f.load()
	})
}
