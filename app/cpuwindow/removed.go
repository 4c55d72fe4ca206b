package cpuwindow

import (
	"context"
	"slices"
	"time"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// What a save from outside removed from a transcript is not in the conversation any more.
// A line at its end says so, and the user decides what becomes of it.

// lookRemoved shows or takes away that line.
func (w *Window) lookRemoved(c *conversation) {
	if c.private {
		return
	}
	removed, err := w.parts.library.Removed(w.ctx, c.name)
	if err != nil {
		return // what can't be read is told of where the transcript is read
	}
	c.showRemoved(removed)
}

func (c *conversation) showRemoved(r sessionmem.Removed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := removedWords(r)
	if i := slices.IndexFunc(c.entries, func(e *entry) bool { return e.removed }); i >= 0 {
		if c.entries[i].text == text {
			return
		}
		c.entries = slices.Delete(c.entries, i, i+1)
	}
	if text != "" {
		c.add(&entry{kind: entryNote, removed: true, text: text, at: time.Now()})
	}
}

func removedWords(r sessionmem.Removed) string {
	switch {
	case r.Messages > 0:
		return i18n.Count("{{.N}} messages are no longer in the file", r.Messages)
	case r.Others > 0:
		return i18n.Count("{{.N}} entries are no longer in the file", r.Others)
	}
	return ""
}

// removedRow is the line.
func (c *chatView) removedRow(e *entryView) *kit.Placed {
	return &kit.Placed{Row: kit.NewBoxRow(kit.Line(kit.Gap8, -1, kit.Small(e.text),
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
		_, err := decide(ctx, c.name)
		return err
	}, func() {
		if w.shown == c {
			w.reloadShown()
		}
	})
}
