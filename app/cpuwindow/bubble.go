package cpuwindow

import (
	"fmt"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// newBubble is the user's message.
func newBubble(text string, actions fyne.CanvasObject) *kit.Framed {
	f := kit.NewFramed(kit.NewProse([]kit.Run{{Text: text}}, kit.SizeText, kit.RoleText), kit.RoleBubble, kit.RoleNone, kit.RadiusBubble, kit.Gap12, kit.Gap8)
	f.Right, f.Share = true, 0.8
	f.Header = actions
	return f
}

// speedWords is "41 tokens/s".
func speedWords(v float64) string {
	switch {
	case v <= 0:
		return ""
	case v < 10:
		return i18n.With("{{.V}} tokens/s", i18n.Places{"V": fmt.Sprintf("%.1f", v)})
	}
	return i18n.With("{{.V}} tokens/s", i18n.Places{"V": fmt.Sprintf("%.0f", v)})
}
