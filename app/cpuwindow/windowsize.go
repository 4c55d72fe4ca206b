package cpuwindow

import (
	"encoding/json"
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"

	"mac-stats/sessionmem/wholefile"
)

// The window's size is kept in session/window.json. The toolkit's own preferences
// are no place for it: it reads their file while it writes it at the end.

// keptSize is the file, in the toolkit's units.
type keptSize struct {
	Width  float32 `json:"width"`
	Height float32 `json:"height"`
}

// What the window is where nothing is kept, and what no kept size goes below or
// beyond.
const (
	firstWidth, firstHeight = 980, 700
	leastWidth, leastHeight = 360, 400
	mostSize                = 16_000
)

func (w *Window) sizePath() string { return filepath.Join(w.parts.home, "session", "window.json") }

// readSize gives the kept size; the first one where there is none that can be read.
func readSize(path string) fyne.Size {
	kept := keptSize{firstWidth, firstHeight}
	if data, err := wholefile.Read(path, 1<<10); err != nil || json.Unmarshal(data, &kept) != nil {
		kept = keptSize{firstWidth, firstHeight}
	}
	return fyne.NewSize(min(max(kept.Width, leastWidth), mostSize), min(max(kept.Height, leastHeight), mostSize))
}

func (w *Window) restoreSize() { w.win.Resize(readSize(w.sizePath())) }

// saveSize keeps the size. Where the disk refuses it, nothing is worse than a window
// of another size.
func (w *Window) saveSize() {
	s := w.win.Canvas().Size()
	if s.Width < leastWidth/2 || s.Height < leastHeight/2 { // not laid out yet
		return
	}
	data, err := json.Marshal(keptSize{s.Width, s.Height})
	if err == nil {
		err = replaceFile(w.sizePath(), append(data, '\n'))
	}
	if err != nil {
		w.parts.logger.Info("the window's size is not kept", "error", err)
	}
}

// replaceFile puts a small file in place of the one before, whole at any time, with
// mode 0600. It is not synced to the disk.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return wholefile.WriteQuick(path, data, 0o600)
}
