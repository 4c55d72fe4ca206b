package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// filePaths returns the paths of dropped files.
func filePaths(uris []fyne.URI) []string {
	var paths []string
	for _, u := range uris {
		if u.Scheme() == "file" {
			paths = append(paths, u.Path())
		}
	}
	return paths
}

// chooser shows Fyne's file dialogs, which don't close on Esc by themselves.
type chooser struct {
	win  fyne.Window
	open *dialog.FileDialog // nil while none is open
}

// show opens a dialog as a list, because Fyne's tiles are large. A user who switches to
// tiles keeps them while it is open.
func (c *chooser) show(d *dialog.FileDialog, title, confirm string) {
	c.open = d
	d.SetTitleText(title)
	d.SetConfirmText(confirm)
	d.SetDismissText(i18n.T("Cancel"))
	d.SetView(dialog.ListView)
	d.SetOnClosed(func() { c.open = nil })
	d.Show() // it has no size before
	size := c.win.Canvas().Size()
	d.Resize(fyne.NewSize(min(760, size.Width-2*kit.Gap20), min(540, size.Height-2*kit.Gap20)))
}

// chooseFile asks for a file with one of the extensions, or any file if there are none.
func (w windowHost) chooseFile(title, confirm string, extensions []string, then func(path string)) {
	d := dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		if w.notifyUnreadable(err); err == nil && r != nil {
			path := r.URI().Path()
			_ = r.Close() // then opens it by its path
			then(path)
		}
	}, w.win)
	if extensions != nil {
		d.SetFilter(storage.NewExtensionFileFilter(extensions))
	}
	w.chooser.show(d, title, confirm)
}

// ChooseFile implements settings.Host.
func (w windowHost) ChooseFile(title, confirm string, then func(path string)) {
	w.chooseFile(title, confirm, nil, then)
}

// ChooseFolder implements chatpane.Host and settings.Host.
func (w windowHost) ChooseFolder(title, confirm string, then func(path string)) {
	d := dialog.NewFolderOpen(func(l fyne.ListableURI, err error) {
		if w.notifyUnreadable(err); err == nil && l != nil {
			then(l.Path())
		}
	}, w.win)
	w.chooser.show(d, title, confirm)
}

// notifyUnreadable shows why a dialog couldn't read a folder.
func (w windowHost) notifyUnreadable(err error) {
	if err != nil {
		w.notices.Show(i18n.With("The folder can't be read: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
	}
}
