package cpuwindow

import (
	"strings"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// proposalNote makes a note of a proposed memory: what would change, with the id
// that Save and Discard need.
func (e *entry) proposalNote(m *agents.MemoryChange) {
	if m == nil || m.Inbox == "" {
		return
	}
	e.proposal, e.proposed = m.Inbox, m.Text
	switch m.Change {
	case "replace":
		e.text = i18n.With("proposed to remember “{{.Text}}” in place of “{{.Old}}”", i18n.Places{"Text": m.Text, "Old": m.Old})
	case "remove":
		e.text, e.proposed = i18n.With("proposed to forget “{{.Old}}”", i18n.Places{"Old": m.Old}), ""
	}
}

// noteRows is a note; a proposal is shown whole, for what is cut can't be decided,
// with its buttons below. Edit turns it into a field; what is saved from there is
// what is remembered.
func (c *chatView) noteRows(e *entryView, editing bool) []*kit.Placed {
	switch {
	case e.asking:
		return c.questionRows(e)
	case e.removed:
		return []*kit.Placed{c.removedRow(e)}
	case e.unkept:
		return []*kit.Placed{c.unkeptRow(e, editing)}
	case e.proposal == "":
		return []*kit.Placed{{Row: c.noteRow(e), Gap: kit.Gap8}}
	}
	key, id := e.key, e.proposal
	if editing {
		row := newEditRow(e.proposed, i18n.T("This is what will be remembered."), i18n.T("Save"), func(text string) {
			c.expanded[key] = false
			c.act.saveEdited(key, id, text)
		}, func() { c.toggle(key) })
		c.act.startEdit(row)
		return []*kit.Placed{{Row: row, Gap: kit.Gap8, Max: kit.ProseMax}}
	}
	words := kit.NewProse([]kit.Run{{Text: e.text}}, kit.SizeText, kit.RoleMuted)
	edit := kit.NewButton(kit.ButtonLink, i18n.T("Edit"), func() { c.toggle(key) })
	edit.Hidden = e.proposed == ""
	buttons := kit.Line(kit.Gap8, -1,
		kit.NewButton(kit.ButtonLink, i18n.T("Save"), func() { c.act.decide(key, id, true) }), edit,
		kit.NewButton(kit.ButtonLink, i18n.T("Discard"), func() { c.act.decide(key, id, false) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Open inbox"), func() { c.act.openInbox() }),
	)
	return []*kit.Placed{
		{Row: kit.NewFramed(words, kit.RolePanel, kit.RoleLine, kit.RadiusCard, kit.Gap12, kit.Gap8), Gap: kit.Gap8, Max: kit.ProseMax},
		{Row: kit.NewBoxRow(buttons), Gap: kit.Gap4},
	}
}

// decide accepts or discards a proposal.
func (w *Window) decide(key, id string, save bool) {
	c := w.shown
	go func() {
		undoID, err := "", error(nil)
		if save {
			written, acceptErr := w.parts.memories.Accept(w.ctx, id)
			undoID, err = written.UndoID, acceptErr
		} else {
			_, err = w.parts.memories.Discard(w.ctx, id)
		}
		c.decided(key, save, undoID, err)
		w.painter.changed(c)
	}()
}

// saveEdited changes a proposal's text and accepts it.
func (w *Window) saveEdited(key, id, text string) {
	c := w.shown
	go func() {
		undoID := ""
		_, err := w.parts.memories.Edit(w.ctx, id, text)
		if err == nil {
			c.reword(key, text)
			var written sessionmem.Written
			written, err = w.parts.memories.Accept(w.ctx, id)
			undoID = written.UndoID
		}
		c.decided(key, true, undoID, err)
		w.painter.changed(c)
	}()
}

// reword gives a proposal the text it was changed to.
func (c *conversation) reword(key, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.key == key && e.proposed != "" {
			e.text = strings.Replace(e.text, e.proposed, text, 1)
			e.proposed = text
			e.rev++
		}
	}
}

// openInbox opens the proposals in the user's editor.
func (w *Window) openInbox() { w.openFile(w.parts.memories.InboxPath()) }

// decided notes what came of a proposal. After an error it can be decided again.
func (c *conversation) decided(key string, saved bool, undoID string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.key != key || e.proposal == "" {
			continue
		}
		e.rev++
		if err != nil {
			e.text += i18n.With(" · that failed: {{.Error}}", i18n.Places{"Error": err.Error()})
			return
		}
		e.proposal, e.undoID = "", undoID
		if saved {
			e.text = i18n.With("saved: {{.Text}}", i18n.Places{"Text": e.text})
		} else {
			e.text = i18n.With("discarded: {{.Text}}", i18n.Places{"Text": e.text})
		}
	}
}
