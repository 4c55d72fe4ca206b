package desktop

import "fyne.io/fyne/v2"

// dropPictures has hidden windows let go of the pictures of their texts, each of which
// the toolkit keeps as it was drawn last. It does so by itself at the first drawing
// after a minute; content that is set anew makes it do so at once. They are drawn again
// when the window is: some milliseconds, for several megabytes.
func dropPictures(windows []fyne.Window) {
	for _, w := range windows {
		focused := w.Canvas().Focused()
		w.SetContent(w.Content())
		if focused != nil && w.Canvas().Focused() != focused {
			w.Canvas().Focus(focused)
		}
	}
}
