package header

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// barLayout makes the title as wide as the others allow, but no wider than it needs. If there
// is little room, the choices get a line of their own.
type barLayout struct {
	narrow bool // the list is a drawer
	tight  bool
}

// tightBelow is the least width for title and choices on one line.
const tightBelow float32 = 560

const (
	lineHeight   float32 = 43
	secondHeight float32 = 32
)

func (l *barLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	if l.twoLines(o) {
		return fyne.NewSize(160, lineHeight+secondHeight)
	}
	return fyne.NewSize(160, lineHeight)
}

func (l *barLayout) twoLines(o []fyne.CanvasObject) bool {
	return (l.narrow || l.tight) && o[3].Visible()
}

func (l *barLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	pad := kit.Gap20
	left, choices, right := o[:2], o[2:7], o[7:]
	x := s.Width - pad
	for i := len(right) - 1; i >= 0; i-- {
		if right[i].Visible() {
			w := right[i].MinSize().Width
			x -= w
			kit.PlaceMiddle(right[i], x, w, 0, lineHeight)
			x -= kit.Gap16
		}
	}
	room := x
	x = pad
	if left[0].Visible() {
		w := left[0].MinSize().Width
		kit.PlaceMiddle(left[0], x, w, 0, lineHeight)
		x += w + kit.Gap12
	}
	title := left[1].(*kit.Label)
	want := kit.MeasureText(title.Text, title.TextSize, title.Style).Width + 1
	var at, y float32
	h := lineHeight
	widths := choiceWidths(choices, room-x-min(want, titleLeast)-kit.Gap12)
	if l.twoLines(o) {
		widths = choiceWidths(choices, s.Width-2*pad)
		want = min(want, room-x)
		at, y, h = pad, lineHeight-kit.Gap8, secondHeight
	} else {
		second := float32(0)
		for _, w := range widths {
			second += w + kit.Gap8
		}
		want = min(want, room-x-second-kit.Gap4)
		at = x + max(0, want) + kit.Gap12
	}
	kit.PlaceMiddle(title, x, max(0, want), 0, lineHeight)
	for i, c := range choices {
		if c.Visible() {
			kit.PlaceMiddle(c, at, widths[i], y, h)
			at += widths[i] + kit.Gap8
		}
	}
}

// titleLeast is the least width of a title beside long choices.
const titleLeast float32 = 120

// choiceWidths returns the width of each choice: what it needs or, if that is too much, less
// for the widest ones, which then end in ….
func choiceWidths(choices []fyne.CanvasObject, room float32) []float32 {
	widths := make([]float32, len(choices))
	total := float32(0)
	for i, c := range choices {
		if c.Visible() {
			widths[i] = c.MinSize().Width
			total += widths[i] + kit.Gap8
		}
	}
	for total > room+kit.Gap8 {
		widest, next := 0, float32(0)
		for i, w := range widths {
			if w > widths[widest] {
				widest, next = i, widths[widest]
			} else if i != widest {
				next = max(next, w)
			}
		}
		cut := min(max(widths[widest]-next, 1), total-room-kit.Gap8)
		if widths[widest]-cut < choiceLeast {
			break
		}
		widths[widest] -= cut
		total -= cut
	}
	return widths
}

// choiceLeast is the least width of a choice.
const choiceLeast float32 = 40
