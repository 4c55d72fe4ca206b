package cpuwindow

import (
	"fyne.io/fyne/v2"
)

// The pages beside the chat: what every agent is told, who the agents are, how
// the app is set up. Each is words off the disk, read when the page is opened.

func textRow(text string, role fyne.ThemeColorName, gap float32) *placed {
	return &placed{row: newParagraph(text, role), gap: gap, max: proseMax}
}
