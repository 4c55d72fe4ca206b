package chat

import (
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// noteRows builds a note. A proposal is shown whole, because nobody can decide about a
// shortened one, with its buttons below. Edit turns it into a field whose text is then
// remembered.
func (r *Rows) noteRows(e *conversation.EntryView, editing bool) []*column.Placed {
	switch {
	case e.Asking:
		return r.questionRows(e)
	case e.Removed:
		return []*column.Placed{r.removedRow(e)}
	case e.Proposal == "":
		return []*column.Placed{{Row: r.noteRow(e), Gap: kit.Gap8}}
	}
	key, id := e.Key, e.Proposal
	if editing {
		row := newEditRow(e.Proposed, i18n.T("This is what will be remembered."), i18n.T("Save"), func(text string) {
			r.Expanded[key] = false
			r.Act.SaveEdited(key, id, text)
		}, func() { r.Toggle(key) })
		r.Act.StartEdit(row)
		return []*column.Placed{{Row: row, Gap: kit.Gap8, Max: kit.ProseMax}}
	}
	words := prose.New([]prose.Run{{Text: e.Text}}, kit.SizeText, kit.RoleMuted)
	edit := kit.NewButton(kit.ButtonLink, i18n.T("Edit"), func() { r.Toggle(key) })
	edit.Hidden = e.Proposed == ""
	buttons := kit.NewFlowRow(kit.Gap8,
		kit.NewButton(kit.ButtonLink, i18n.T("Save"), func() { r.Act.Decide(key, id, true) }), edit,
		kit.NewButton(kit.ButtonLink, i18n.T("Discard"), func() { r.Act.Decide(key, id, false) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Open inbox"), func() { r.Act.OpenInbox() }),
	)
	return []*column.Placed{
		{Row: column.NewFramed(words, kit.RolePanel, kit.RoleLine, kit.RadiusCard, kit.Gap12, kit.Gap8), Gap: kit.Gap8, Max: kit.ProseMax},
		{Row: buttons, Gap: kit.Gap4},
	}
}
