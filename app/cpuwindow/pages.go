package cpuwindow

import (
	"strconv"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
)

// The pages beside the chat: what every agent is told, who the agents are, how
// the app is set up. Each is words off the disk, read when the page is opened.

// thousands is a count with separators: 5,360.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func textRow(text string, role fyne.ThemeColorName, gap float32) *placed {
	return &placed{row: newParagraph(text, role), gap: gap, max: proseMax}
}

// readPage reads a page's files, off the UI goroutine, and gives the function that
// makes its rows, on it.
func readPage(which page, p parts, started config.Config, openFile func(string)) func() []*placed {
	switch which {
	default:
		notices := p.notices()
		return func() []*placed { return settingsRows(p, started, notices, openFile) }
	}
}
