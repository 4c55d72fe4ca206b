package chat

import (
	"strings"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// An answer that says "I'll remember that" although nothing was saved stays as it is. A
// note below it says so and offers to save a line the user can edit.

// unkeptRow returns that note, or the field with the line to remember.
func (r *Rows) unkeptRow(e *conversation.EntryView, editing bool) *column.Placed {
	key := e.Key
	if editing {
		row := newEditRow(e.Proposed, i18n.T("This is what will be remembered."), i18n.T("Save"), func(text string) {
			r.Expanded[key] = false
			r.Act.SaveUnkept(key, text)
		}, func() { r.Toggle(key) })
		r.Act.StartEdit(row)
		return &column.Placed{Row: row, Gap: kit.Gap8, Max: kit.ProseMax}
	}
	remember := kit.NewButton(kit.ButtonLink, i18n.T("Remember this…"), func() { r.Toggle(key) })
	remember.Hidden = strings.TrimSpace(e.Proposed) == ""
	return &column.Placed{Row: noteLine(e.Text, remember), Gap: kit.Gap8}
}
