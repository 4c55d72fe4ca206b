package cpuwindow

import (
	"strings"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// An answer that says "I'll remember that" where nothing was saved is left as it is;
// a quiet line below it says so, and offers to save what the user chooses to.

// unkeptRow is the line, or the field with what is going to be remembered.
func (c *chatView) unkeptRow(e *conversation.EntryView, editing bool) *kit.Placed {
	key := e.Key
	if editing {
		row := newEditRow(e.Proposed, i18n.T("This is what will be remembered."), i18n.T("Save"), func(text string) {
			c.expanded[key] = false
			c.act.saveUnkept(key, text)
		}, func() { c.toggle(key) })
		c.act.startEdit(row)
		return &kit.Placed{Row: row, Gap: kit.Gap8, Max: kit.ProseMax}
	}
	remember := kit.NewButton(kit.ButtonLink, i18n.T("Remember this…"), func() { c.toggle(key) })
	remember.Hidden = strings.TrimSpace(e.Proposed) == ""
	return &kit.Placed{Row: kit.NewBoxRow(kit.Line(kit.Gap8, -1, kit.Small(i18n.Shorten(e.Text, 90)), remember)), Gap: kit.Gap8}
}

// saveUnkept saves what the user has written there, for all agents.
func (w *Window) saveUnkept(key, text string) {
	c := w.shown
	go func() {
		written, err := w.parts.memories.Append(w.ctx, sessionmem.Lesson{
			Text: text, Target: sessionmem.Target{Kind: sessionmem.TargetGlobal}, Confidence: 1, Session: c.Name,
		})
		c.KeptAfterAll(key, text, written, err)
		w.painter.changed(c)
	}()
}
