package chat

import (
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// What a save from outside removed from a transcript leaves the conversation as well. A
// line at the end says so, and the user decides whether to restore it.

// removedRow returns that line.
func (r *Rows) removedRow(e *conversation.EntryView) *column.Placed {
	return &column.Placed{Row: noteLine(e.Text,
		kit.NewButton(kit.ButtonLink, i18n.T("Restore"), func() { r.Act.DecideRemoved(true) }),
		kit.NewButton(kit.ButtonLink, i18n.T("Keep removed"), func() { r.Act.DecideRemoved(false) })), Gap: kit.Gap8}
}
