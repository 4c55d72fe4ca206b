package cpuwindow

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

// recalledChip says how much of earlier conversations an answer was made with, and
// opens them at the place. It gives none where there is nothing.
func (c *chatView) recalledChip(notes []agents.RecalledNote, g *kit.HoverGroup) []fyne.CanvasObject {
	if len(notes) == 0 {
		return nil
	}
	var b *kit.Button
	b = g.Add(i18n.Count("recalled: {{.N}} notes", len(notes)), func() { c.act.openRecalled(notes, b) })
	return []fyne.CanvasObject{b}
}

// openRecalled opens the place of a note; of several a menu asks which.
func (w *Window) openRecalled(notes []agents.RecalledNote, below fyne.CanvasObject) {
	m := fyne.NewMenu("")
	seen := map[string]bool{}
	for _, n := range notes {
		place := n.Session + "/" + n.Block
		if seen[place] {
			continue
		}
		seen[place] = true
		m.Items = append(m.Items, fyne.NewMenuItem(w.recalledWords(n), func() { w.OpenSessionAt(n.Session, n.Block) }))
	}
	if len(m.Items) == 1 {
		m.Items[0].Action()
		return
	}
	kit.ShowMenu(m, below, w.win.Canvas())
}

// recalledWords is a note in a menu: the conversation's title, and what was said.
func (w *Window) recalledWords(n agents.RecalledNote) string {
	title := n.Session
	for _, in := range w.infos {
		if in.Name == n.Session && in.Title != "" {
			title = i18n.Shorten(in.Title, 40)
		}
	}
	if !n.Time.IsZero() {
		title += " · " + i18n.ShortDate(n.Time.Local(), time.Time{})
	}
	if n.Text != "" {
		title += "  ·  " + i18n.Shorten(strings.Join(strings.Fields(transcript.PlainText(n.Text)), " "), 50)
	}
	return title
}
