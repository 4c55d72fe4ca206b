package cpuwindow

import (
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// What the card of a message that was refused offers, beside sending it again.

// offers are the buttons of a refused message.
func (c *chatView) offers(f fault) []fyne.CanvasObject {
	var buttons []fyne.CanvasObject
	if f.kind == agents.KindNoVision && f.offer != "" {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.With("Use {{.Offer}}", i18n.Places{"Offer": i18n.Shorten(f.offer, 24)}), func() { c.act.useModel(f.offer, f) }))
	}
	if f.userID != "" {
		return buttons
	}
	if f.kind == agents.KindNoVision {
		kind := kit.ButtonPlain
		if len(buttons) == 0 {
			kind = kit.ButtonPrimary
		}
		buttons = append(buttons, kit.NewButton(kind, i18n.T("Send without the image"), func() { c.act.sendBare(f) }))
	}
	if f.kind == agents.KindTooLong {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.T("Change it"), func() { c.act.rewrite(f) }))
	}
	return buttons
}

// useModel chooses a model for the conversation and runs the turn again.
func (w *Window) useModel(model string, f fault) {
	c := w.shown
	if c.busy() {
		return
	}
	s := c.chosen()
	s.Model = model
	w.choose(c, s)
	w.retry(f)
}

// sendBare sends a refused message again without its images.
func (w *Window) sendBare(f fault) {
	c := w.shown
	if c.busy() {
		return
	}
	c.sentFiles = slices.DeleteFunc(slices.Clone(c.sentFiles), func(p pending) bool { return p.attachment().Image })
	if f.text == "" && len(c.sentFiles) == 0 {
		w.rewrite(f)
		return
	}
	w.retry(f)
}

// rewrite puts a refused message back into the composer, files and all.
func (w *Window) rewrite(f fault) {
	c := w.shown
	if c.busy() || w.compose.entry.Text != "" {
		return // what is being written goes first
	}
	c.dropFailed()
	c.attached = c.sentFiles
	w.compose.setText(f.text)
	w.compose.setFiles(c.attached)
	w.keepDraft(f.text)
	w.focusComposer()
	w.painter.changed(c)
}
