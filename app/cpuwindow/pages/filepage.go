package pages

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// filePage is the common part of the pages of memory and agents: a list on the left, the
// chosen item on the right, for reading or with its file in the editor. Its fields belong
// to the UI goroutine.
type filePage struct {
	host      Host
	parts     Parts
	edits     *Edits
	split     *splitView
	view      *column.Viewport
	edit      *editor
	Object    *fyne.Container
	editing   bool
	reloads   *reloads
	all       bool   // show all lines of a long file
	result    string // result of the last action
	resultBad bool

	draw func() // shows the page from the data read last
	load func() // reads the data again in the background
}

func newFilePage(h Host, p Parts, e *Edits, pick func(key string), draw, load func()) *filePage {
	f := &filePage{host: h, parts: p, edits: e, view: newDetail(), reloads: newReloads(), draw: draw, load: load}
	f.view.Follow, f.view.Fixed = false, true
	f.edit = newEditor(editorActions{changed: e.changed, save: f.save, close: f.stopEditing})
	f.edit.object.Hide()
	f.split = newSplitView(container.NewStack(f.view, f.edit.object), pick)
	f.Object = f.split.object
	return f
}

// show shows the editor if the file is being edited, else the rows.
func (f *filePage) show(b *editBuffer, title string, rows func() []*column.Placed) {
	editing := f.editing && b != nil
	f.edit.object.Hidden, f.view.Hidden = !editing, editing
	if editing {
		f.edit.open(b, title, 0)
		f.edit.sync()
	} else {
		f.view.ReplaceRows(f.host.Canvas(), rows())
	}
	f.Object.Refresh()
}

// stopEditing returns to reading; the edit stays.
func (f *filePage) stopEditing() {
	f.editing = false
	f.draw()
}

// save writes the edit, unless a conflict must be resolved first.
func (f *filePage) save(b *editBuffer) {
	f.edits.save(b, func() {
		f.reloads.own[b.base.Path] = true
		f.edit.sync()
		f.load()
	})
}

// Ports returns the page's scrolling columns.
func (f *filePage) Ports() []*column.Viewport { return []*column.Viewport{f.split.list, f.view} }

// pill returns a button with a menu of choices.
func (f *filePage) pill(words string, menu func() *fyne.Menu) *kit.Button {
	var b *kit.Button
	b = kit.NewButton(kit.ButtonPill, words+"  ▾", func() { kit.ShowMenu(menu(), b, f.host.Canvas()) })
	return b
}
