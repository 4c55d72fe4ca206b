package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"mac-stats/app/i18n"
)

// takeDropped attaches files that are dropped on the window.
func (w *Window) takeDropped() {
	w.win.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) {
		var paths []string
		for _, u := range uris {
			if u.Scheme() == "file" {
				paths = append(paths, u.Path())
			}
		}
		w.chat.Attach(paths)
	})
}

// tellUnread says what a dialogue could not read.
func (w windowHost) tellUnread(err error) {
	if err != nil {
		w.tell(i18n.With("The folder can't be read: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
	}
}

// ChooseFile implements settings.Host.
func (w windowHost) ChooseFile(title, confirm string, then func(path string)) {
	d := dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		if w.tellUnread(err); err == nil && r != nil {
			path := r.URI().Path()
			_ = r.Close() // it is read whole, by its path
			then(path)
		}
	}, w.win)
	w.showChooser(d, title, confirm)
}

// ChooseFolder implements chatpane.Host.
func (w chatHost) ChooseFolder(title, confirm string, then func(path string)) {
	d := dialog.NewFolderOpen(func(l fyne.ListableURI, err error) {
		if w.tellUnread(err); err == nil && l != nil {
			then(l.Path())
		}
	}, w.win)
	w.showChooser(d, title, confirm)
}
