package cpuwindow

import (
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// noteRows is a note; a proposal is shown whole, for what is cut can't be decided,
// with its buttons below. Edit turns it into a field; what is saved from there is
// what is remembered.
func (c *chatView) noteRows(e *conversation.EntryView, editing bool) []*kit.Placed {
	switch {
	case e.Asking:
		return c.questionRows(e)
	case e.Removed:
		return []*kit.Placed{c.removedRow(e)}
	case e.Unkept:
		return []*kit.Placed{c.unkeptRow(e, editing)}
	case e.Proposal == "":
		return []*kit.Placed{{Row: c.noteRow(e), Gap: kit.Gap8}}
	}
	key, id := e.Key, e.Proposal
	if editing {
		row := newEditRow(e.Proposed, i18n.T("This is what will be remembered."), i18n.T("Save"), func(text string) {
			c.expanded[key] = false
			c.act.saveEdited(key, id, text)
		}, func() { c.toggle(key) })
		c.act.startEdit(row)
		return []*kit.Placed{{Row: row, Gap: kit.Gap8, Max: kit.ProseMax}}
	}
	words := kit.NewProse([]kit.Run{{Text: e.Text}}, kit.SizeText, kit.RoleMuted)
	edit := kit.NewButton(kit.ButtonLink, i18n.T("Edit"), func() { c.toggle(key) })
	edit.Hidden = e.Proposed == ""
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
		c.Decided(key, save, undoID, err)
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
			c.Reword(key, text)
			var written sessionmem.Written
			written, err = w.parts.memories.Accept(w.ctx, id)
			undoID = written.UndoID
		}
		c.Decided(key, true, undoID, err)
		w.painter.changed(c)
	}()
}

// openInbox opens the proposals in the user's editor.
func (w *Window) openInbox() { w.openFile(w.parts.memories.InboxPath()) }
