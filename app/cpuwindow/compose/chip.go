package compose

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
)

// Chip is a file that goes with a message: its name, and a × if it can be removed.
type Chip struct {
	widget.BaseWidget
	bg     *kit.Surface
	Name   *kit.Label
	Remove *kit.Button
}

const (
	chipHeight float32 = 24
	chipMax    float32 = 260
)

func newChip(label string, onRemove func()) *Chip {
	c := &Chip{bg: kit.NewSurface(kit.RolePanel, kit.RoleLine, kit.RadiusRow), Name: kit.NewLabel(label, kit.RoleText, kit.SizeSmall).Squeezable()}
	c.Remove = kit.NewButton(kit.ButtonQuiet, "×", onRemove)
	c.Remove.TextSize = kit.SizeText
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer implements fyne.Widget.
func (c *Chip) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewStack(c.bg, kit.Inset(0, 0, kit.Gap8, kit.Gap8, kit.Line(kit.Gap8, 0, c.Name, c.Remove))))
}

// MinSize implements fyne.CanvasObject: as wide as the name, up to a limit.
func (c *Chip) MinSize() fyne.Size {
	w := kit.MeasureText(c.Name.Text, c.Name.TextSize, c.Name.Style).Width + c.Remove.MinSize().Width + 3*kit.Gap8 + 1
	return fyne.NewSize(min(w, chipMax), chipHeight)
}
