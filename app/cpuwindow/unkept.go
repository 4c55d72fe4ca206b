package cpuwindow

import (
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// An answer that says "I'll remember that" where nothing was saved is left as it is;
// a quiet line below it says so, and offers to save what the user chooses to.

// addUnkept puts that line below the answer. The lock must be held.
func (c *conversation) addUnkept(at time.Time) {
	e := &entry{kind: entryNote, memory: true, unkept: true, text: i18n.T("nothing was saved to memory"), at: at}
	if at := c.turnStart() - 1; at >= 0 && !c.private {
		e.proposed = agents.LessonIn(c.entries[at].text)
	}
	c.add(e)
}

// unkeptRow is the line, or the field with what is going to be remembered.
func (c *chatView) unkeptRow(e *entryView, editing bool) *kit.Placed {
	key := e.key
	if editing {
		row := newEditRow(e.proposed, i18n.T("This is what will be remembered."), i18n.T("Save"), func(text string) {
			c.expanded[key] = false
			c.act.saveUnkept(key, text)
		}, func() { c.toggle(key) })
		c.act.startEdit(row)
		return &kit.Placed{Row: row, Gap: kit.Gap8, Max: kit.ProseMax}
	}
	remember := kit.NewButton(kit.ButtonLink, i18n.T("Remember this…"), func() { c.toggle(key) })
	remember.Hidden = strings.TrimSpace(e.proposed) == ""
	return &kit.Placed{Row: kit.NewBoxRow(kit.Line(kit.Gap8, -1, kit.Small(i18n.Shorten(e.text, 90)), remember)), Gap: kit.Gap8}
}

// saveUnkept saves what the user has written there, for all agents.
func (w *Window) saveUnkept(key, text string) {
	c := w.shown
	go func() {
		written, err := w.parts.memories.Append(w.ctx, sessionmem.Lesson{
			Text: text, Target: sessionmem.Target{Kind: sessionmem.TargetGlobal}, Confidence: 1, Session: c.name,
		})
		c.keptAfterAll(key, text, written, err)
		w.painter.changed(c)
	}()
}

// keptAfterAll notes what came of it. After an error it can be tried again.
func (c *conversation) keptAfterAll(key, text string, written sessionmem.Written, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.key != key || !e.unkept {
			continue
		}
		e.rev++
		if err != nil {
			e.text, e.proposed = i18n.With("not saved: {{.Why}}", i18n.Places{"Why": err.Error()}), text
			return
		}
		e.unkept, e.proposed, e.undoID = false, "", written.UndoID
		e.learnt = written.Text
		e.text = i18n.With("remembered “{{.Text}}”", i18n.Places{"Text": e.learnt})
	}
}
