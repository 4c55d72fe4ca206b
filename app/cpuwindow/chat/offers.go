package chat

import (
	"cmp"

	"fyne.io/fyne/v2"

	"mac-stats/agents/fault"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// The card of a refused message offers more than to send it again.

// offers returns the buttons of a refused message.
func (r *Rows) offers(f conversation.Fault) []fyne.CanvasObject {
	var buttons []fyne.CanvasObject
	if f.Kind == fault.KindNoVision && f.Offer != "" {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.With("Use {{.Offer}}", i18n.Places{"Offer": i18n.Shorten(f.Offer, 24)}), func() { r.Act.UseModel(f.Offer, f) }))
	}
	if f.Kind == fault.KindNoMemory && f.UserID != "" && r.Act.AnswerWith != nil {
		var b *kit.Button
		b = kit.NewButton(kit.ButtonPrimary, i18n.T("Choose another model…"), func() { r.Act.AnswerWith(f.UserID, b) })
		buttons = append(buttons, b)
	}
	if f.Off != nil && r.Act.TurnOn != nil {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.With("Turn on {{.Agent}}", i18n.Places{"Agent": i18n.Shorten(cmp.Or(f.Off.Name, f.Off.Slug), 24)}), func() { r.Act.TurnOn(f) }))
	}
	if f.UserID != "" {
		return buttons
	}
	if f.Kind == fault.KindNoVision {
		kind := kit.ButtonPlain
		if len(buttons) == 0 {
			kind = kit.ButtonPrimary
		}
		buttons = append(buttons, kit.NewButton(kind, i18n.T("Send without the image"), func() { r.Act.SendWithoutImages(f) }))
	}
	if f.Kind == fault.KindTooLong {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.T("Edit message"), func() { r.Act.EditInComposer(f) }))
	}
	return buttons
}
