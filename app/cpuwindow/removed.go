package cpuwindow

import (
	"context"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// What a save from outside removed from a transcript is not in the conversation any more.
// A line at its end says so, and the user decides what becomes of it.

// lookRemoved shows or takes away that line.
func (w *Window) lookRemoved(c *conversation.Conversation) {
	if c.Private() {
		return
	}
	removed, err := w.parts.library.Removed(w.ctx, c.Name)
	if err != nil {
		return // what can't be read is told of where the transcript is read
	}
	c.ShowRemoved(removed)
}

// removedRow is the line.
func (c *chatView) removedRow(e *conversation.EntryView) *kit.Placed {
	return &kit.Placed{Row: kit.NewBoxRow(kit.Line(kit.Gap8, -1, kit.Small(e.Text),
		kit.NewButton(kit.ButtonLink, i18n.T("Restore"), func() { c.act.decideRemoved(true) }),
		kit.NewButton(kit.ButtonLink, i18n.T("Keep removed"), func() { c.act.decideRemoved(false) }))), Gap: kit.Gap8}
}

// decideRemoved puts back what was removed from the shown conversation, or agrees.
func (w *Window) decideRemoved(restore bool) {
	c := w.shown
	what, decide := i18n.T("Keep removed"), w.parts.library.KeepRemoved
	if restore {
		what, decide = i18n.T("Restore"), w.parts.library.Restore
	}
	w.do(what, func(ctx context.Context) error {
		_, err := decide(ctx, c.Name)
		return err
	}, func() {
		if w.shown == c {
			w.reloadShown()
		}
	})
}
