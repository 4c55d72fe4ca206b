package cpuwindow

import (
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// What the card of a message that was refused offers, beside sending it again.

// offers are the buttons of a refused message.
func (c *chatView) offers(f conversation.Fault) []fyne.CanvasObject {
	var buttons []fyne.CanvasObject
	if f.Kind == agents.KindNoVision && f.Offer != "" {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.With("Use {{.Offer}}", i18n.Places{"Offer": i18n.Shorten(f.Offer, 24)}), func() { c.act.useModel(f.Offer, f) }))
	}
	if f.UserID != "" {
		return buttons
	}
	if f.Kind == agents.KindNoVision {
		kind := kit.ButtonPlain
		if len(buttons) == 0 {
			kind = kit.ButtonPrimary
		}
		buttons = append(buttons, kit.NewButton(kind, i18n.T("Send without the image"), func() { c.act.sendBare(f) }))
	}
	if f.Kind == agents.KindTooLong {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.T("Change it"), func() { c.act.rewrite(f) }))
	}
	return buttons
}

// useModel chooses a model for the conversation and runs the turn again.
func (w *Window) useModel(model string, f conversation.Fault) {
	c := w.shown
	if c.Busy() {
		return
	}
	s := c.Chosen()
	s.Model = model
	w.choose(c, s)
	w.retry(f)
}

// sendBare sends a refused message again without its images.
func (w *Window) sendBare(f conversation.Fault) {
	c := w.shown
	if c.Busy() {
		return
	}
	files := slices.DeleteFunc(c.FilesSent(), func(p conversation.File) bool { return p.Attachment().Image })
	c.SendFiles(files)
	if f.Text == "" && len(files) == 0 {
		w.rewrite(f)
		return
	}
	w.retry(f)
}

// rewrite puts a refused message back into the composer, files and all.
func (w *Window) rewrite(f conversation.Fault) {
	c := w.shown
	if c.Busy() || w.compose.entry.Text != "" {
		return // what is being written goes first
	}
	c.DropFailed()
	files := c.FilesSent()
	c.Attach(files)
	w.compose.setText(f.Text)
	w.compose.setFiles(files)
	w.keepDraft(f.Text)
	w.focusComposer()
	w.painter.changed(c)
}
