package cpuwindow

import (
	"strconv"

	"fyne.io/fyne/v2"
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
