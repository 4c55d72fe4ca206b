package cpuwindow

import (
	"encoding/json"
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"

	"mac-stats/sessionmem/wholefile"
)

// savedSize is the content of session/window.json, in Fyne's units. Fyne's own preferences can't
// hold it: at the end of the app, Fyne reads their file while it writes it.
type savedSize struct {
	Width  float32 `json:"width"`
	Height float32 `json:"height"`
}

// The size of a window without a saved one, and the limits of a saved one.
const (
	firstWidth, firstHeight = 980, 700
	leastWidth, leastHeight = 360, 240
	mostSize                = 16_000
)

func sizePath(home string) string { return filepath.Join(home, "session", "window.json") }

// readSize returns the saved size, or the first one if it can't be read.
func readSize(path string) fyne.Size {
	size := savedSize{firstWidth, firstHeight}
	if data, err := wholefile.Read(path, 1<<10); err != nil || json.Unmarshal(data, &size) != nil {
		size = savedSize{firstWidth, firstHeight}
	}
	return fyne.NewSize(min(max(size.Width, leastWidth), mostSize), min(max(size.Height, leastHeight), mostSize))
}

// RestoreSize sets the window to the saved size.
func (a *appearance) RestoreSize() { a.win.Resize(readSize(a.sizeFile)) }

// SaveSize saves the size of the window. An error is only logged: the next window merely has
// another size.
func (a *appearance) SaveSize() {
	s := a.win.Canvas().Size()
	if s.Width < leastWidth/2 || s.Height < leastHeight/2 { // not laid out yet
		return
	}
	data, err := json.Marshal(savedSize{s.Width, s.Height})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(a.sizeFile), 0o700)
	}
	if err == nil {
		err = wholefile.WriteQuick(a.sizeFile, append(data, '\n'), 0o600)
	}
	if err != nil {
		a.logger.Info("the window's size is not kept", "error", err)
	}
}
