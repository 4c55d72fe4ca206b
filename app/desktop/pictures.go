package desktop

import "fyne.io/fyne/v2"

// dropPictures makes hidden windows drop the cached pictures of their texts. The toolkit
// does so by itself at the first drawing after a minute; setting the content again makes it
// happen at once. The texts are drawn again with the window, which costs some milliseconds
// and saves several megabytes.
func dropPictures(windows []fyne.Window) {
	for _, w := range windows {
		focused := w.Canvas().Focused()
		w.SetContent(w.Content())
		if focused != nil && w.Canvas().Focused() != focused {
			w.Canvas().Focus(focused)
		}
	}
}
