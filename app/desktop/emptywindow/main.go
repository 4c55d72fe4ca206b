//go:build !darwin || cgo

// Command emptywindow shows a window of the toolkit with one word, as the baseline for the
// CPU window's cost, in the same minute on the same screen. scripts/sidebyside.sh builds
// it; it is not part of the app.
package main

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/widget"
)

func main() {
	a := app.NewWithID("net.mac-stats.emptywindow")
	w := a.NewWindow("emptywindow")
	w.SetContent(widget.NewLabel("empty"))
	w.Resize(fyne.NewSize(980, 700)) // the CPU window's first size
	w.ShowAndRun()
}
