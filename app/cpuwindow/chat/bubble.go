package chat

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// newBubble is the user's message.
func newBubble(text string, actions fyne.CanvasObject) *kit.Framed {
	f := kit.NewFramed(kit.NewProse([]kit.Run{{Text: text}}, kit.SizeText, kit.RoleText), kit.RoleBubble, kit.RoleNone, kit.RadiusBubble, kit.Gap12, kit.Gap8)
	f.Right, f.Share = true, 0.8
	f.Header = actions
	return f
}
