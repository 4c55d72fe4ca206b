//go:build e2e

package e2etest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With the keyboard alone, a message begins with a slash, and a line is remembered.
func TestSlashMenuAndRemember(t *testing.T) {
	t.Parallel()
	d := newDesk(t, boss, coder)
	app, icon := d.launch(t)
	d.click(t, icon, "Open CPU window")
	d.screen.waitWindow(t, app.pid())
	d.screen.waitDrawn(t)

	// given a slash and the beginning of a name, then Enter selects the agent in the menu
	d.screen.press(t, "slash")
	d.screen.shot(t, "1-menu")
	d.screen.typeLine(t, "cod")
	d.screen.typeLine(t, "Have you counted?")
	d.waitAnswer(t, 1, expertAnswer)
	d.screen.shot(t, "2-for-the-coder")
	asked := lastChat(t, d)
	if last := asked.Messages[len(asked.Messages)-1]; asked.Model != "tiny-coder:latest" || !strings.HasPrefix(last.Content, "Have you counted?") {
		t.Errorf("%s is asked %q", asked.Model, last.Content)
	}

	// given a path, then it is ordinary text
	d.screen.typeLine(t, "/etc/fan loud or not?")
	d.waitAnswer(t, 2, fanAnswer)
	if !holds(lastChat(t, d), "/etc/fan loud or not?") {
		t.Errorf("the path was taken apart: %s", roles(lastChat(t, d)))
	}

	// given a command followed by words, then the sheet contains them, and Enter saves
	d.screen.still(t)
	d.screen.typeLine(t, "/remember The office dog is called Waldi.")
	d.screen.still(t)
	d.screen.shot(t, "3-sheet")
	d.screen.run(t, "xdotool", "key", "--clearmodifiers", "Return")
	file := filepath.Join(d.home, "agents", "memory.md")
	waitFor(t, patience, "the line in memory.md", func() bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "- The office dog is called Waldi. <!-- ")
	})
	d.screen.still(t)
	d.screen.shot(t, "4-remembered")
	d.keep(t)
	d.click(t, icon, "Quit")
	app.waitExit(t)
}
