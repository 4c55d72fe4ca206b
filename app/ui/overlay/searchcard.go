package overlay

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

const findTop float32 = 72 // from the window's upper edge, at most

// SearchCard lies over the window until Esc or a click beside it: a field, the results
// below it, and a line of text.
type SearchCard struct {
	widget.BaseWidget
	Entry   *kit.Field
	OnKey   func(*fyne.KeyEvent) bool // moves the selection in the results
	Port    *column.Viewport
	Hint    *kit.Label
	card    *kit.Surface
	scrim   *Scrim
	rule    fyne.CanvasObject
	maxSize fyne.Size // maximum width, and maximum height of the results
}

// NewSearchCard returns a card with a placeholder; leave is called to close it.
func NewSearchCard(hint string, maxSize fyne.Size, leave func()) *SearchCard {
	c := &SearchCard{
		Port: column.NewViewport(), Hint: kit.Small(hint).Squeezable(), card: kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusBubble),
		scrim: NewScrim(leave), rule: kit.Hairline(), maxSize: maxSize,
	}
	c.Port.Follow, c.Port.Fixed = false, true
	c.Port.Disable()
	c.Entry = kit.NewField()
	c.Entry.OnKey = func(k *fyne.KeyEvent) bool {
		if k.Name == fyne.KeyEscape {
			leave()
			return true
		}
		return c.OnKey(k)
	}
	c.ExtendBaseWidget(c)
	return c
}

// Open shows the card over a window, with the focus in its field.
func (c *SearchCard) Open(over fyne.Canvas) {
	c.Resize(over.Size())
	over.Overlays().Add(c)
	over.Focus(c.Entry)
}

// Fill replaces the results.
func (c *SearchCard) Fill(rows []*column.Placed) {
	c.Port.Offset = 0
	c.Port.SetRows(rows)
	c.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (c *SearchCard) CreateRenderer() fyne.WidgetRenderer {
	return kit.NewRenderer(c, c.layOut, c.scrim, c.card, c.Entry, c.rule, c.Port, c.Hint)
}

// layOut places the parts for a size.
func (c *SearchCard) layOut(s fyne.Size) {
	c.scrim.Resize(s)
	w := min(c.maxSize.Width, s.Width-2*kit.Gap16)
	x, top := (s.Width-w)/2, min(findTop, s.Height/8)
	field := c.Entry.MinSize().Height
	c.Entry.Move(fyne.NewPos(x+kit.Gap8, top+kit.Gap4))
	c.Entry.Resize(fyne.NewSize(w-kit.Gap16, field))
	y := top + field + kit.Gap8
	c.rule.Move(fyne.NewPos(x, y))
	c.rule.Resize(fyne.NewSize(w, 1))
	y++
	foot := c.Hint.MinSize().Height + kit.Gap16
	c.Port.Resize(fyne.NewSize(w, 100)) // gives the rows a width
	rows := max(0, min(c.Port.Total, c.maxSize.Height, s.Height-y-foot-kit.Gap20))
	if len(c.Port.Rows) == 0 {
		rows = 0
	}
	c.Port.Move(fyne.NewPos(x, y))
	c.Port.Resize(fyne.NewSize(w, rows))
	y += rows
	c.Hint.Move(fyne.NewPos(x+kit.Gap16, y+kit.Gap8))
	c.Hint.Resize(fyne.NewSize(w-2*kit.Gap16, foot-kit.Gap16))
	c.card.Move(fyne.NewPos(x, top))
	c.card.Resize(fyne.NewSize(w, y+foot-top))
}
