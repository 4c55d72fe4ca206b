package appearance

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

func sizePath(home string) string { return filepath.Join(home, "session", "window.json") }

// readSize gives the kept size; the first one where there is none that can be read.
func readSize(path string) fyne.Size {
	kept := keptSize{firstWidth, firstHeight}
	if data, err := wholefile.Read(path, 1<<10); err != nil || json.Unmarshal(data, &kept) != nil {
		kept = keptSize{firstWidth, firstHeight}
	}
	return fyne.NewSize(min(max(kept.Width, leastWidth), mostSize), min(max(kept.Height, leastHeight), mostSize))
}

// RestoreSize gives the window the size that was kept.
func (a *Appearance) RestoreSize() { a.win.Resize(readSize(a.sizeFile)) }

// SaveSize keeps the size. Where the disk refuses it, nothing is worse than a window
// of another size.
func (a *Appearance) SaveSize() {
	s := a.win.Canvas().Size()
	if s.Width < leastWidth/2 || s.Height < leastHeight/2 { // not laid out yet
		return
	}
	data, err := json.Marshal(keptSize{s.Width, s.Height})
	if err == nil {
		err = replace(a.sizeFile, append(data, '\n'))
	}
	if err != nil {
		a.logger.Info("the window's size is not kept", "error", err)
	}
}

// replace puts a small file in place of the one before, whole at any time, with
// mode 0600. It is not synced to the disk.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return wholefile.WriteQuick(path, data, 0o600)
}
