package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
)

// Layout helpers, on the 4-pixel grid.

// Line places objects side by side, centred vertically, with a gap. The object at index
// stretch gets the remaining width; -1 stands for none. If there isn't room for all, the widest
// labels are shortened.
func Line(gap float32, stretch int, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&lineLayout{gap: gap, stretch: stretch}, objects...)
}

type lineLayout struct {
	gap     float32
	stretch int
}

func (l *lineLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	n := 0
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		s.Width += m.Width
		s.Height = max(s.Height, m.Height)
		n++
	}
	s.Width += l.gap * float32(max(0, n-1))
	return s
}

func (l *lineLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	spare := size.Width - l.MinSize(objects).Width
	widths := make([]float32, len(objects))
	for i, o := range objects {
		widths[i] = o.MinSize().Width
	}
	if s := l.stretch; s >= 0 && objects[s].Visible() {
		grown := max(0, widths[s]+spare)
		spare -= grown - widths[s]
		widths[s] = grown
	}
	for i := widestLabel(objects, widths); spare < 0 && i >= 0; i = widestLabel(objects, widths) {
		cut := min(-spare, widths[i])
		widths[i] -= cut
		spare += cut
	}
	x := float32(0)
	for i, o := range objects {
		if !o.Visible() {
			continue
		}
		h := o.MinSize().Height
		o.Move(fyne.NewPos(x, (size.Height-h)/2))
		o.Resize(fyne.NewSize(widths[i], h))
		x += widths[i] + l.gap
	}
}

// widestLabel returns the index of the widest visible label, or -1 if none has any width.
func widestLabel(objects []fyne.CanvasObject, widths []float32) int {
	widest := -1
	for i, o := range objects {
		if _, ok := o.(*Label); ok && o.Visible() && widths[i] > 0 && (widest < 0 || widths[i] > widths[widest]) {
			widest = i
		}
	}
	return widest
}

// LineRight adds a hairline at the right edge of an object.
func LineRight(o fyne.CanvasObject) *fyne.Container {
	return container.New(lineRightLayout{}, o, Hairline())
}

type lineRightLayout struct{}

func (lineRightLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(1, 0)
}

func (lineRightLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	o[0].Resize(fyne.NewSize(s.Width-1, s.Height))
	o[1].Move(fyne.NewPos(s.Width-1, 0))
	o[1].Resize(fyne.NewSize(1, s.Height))
}

// Stack places objects below each other with a gap.
func Stack(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedVBoxLayout(gap), objects...)
}

// Inset adds padding around an object.
func Inset(top, bottom, left, right float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedLayout(top, bottom, left, right), o)
}

// Sized sets a minimum size for an object.
func Sized(o fyne.CanvasObject, w, h float32) *fyne.Container {
	return container.New(&minLayout{fyne.NewSize(w, h)}, o)
}

type minLayout struct{ min fyne.Size }

func (m *minLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	s := m.min
	for _, o := range objects {
		s = s.Max(o.MinSize())
	}
	return s
}

func (m *minLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.Position{})
		o.Resize(size)
	}
}

// Centred centres an object and limits its width.
func Centred(width float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(&centredLayout{width}, o)
}

type centredLayout struct{ width float32 }

func (c *centredLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, o := range objects {
		s = s.Max(o.MinSize())
	}
	return s
}

func (c *centredLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w := min(size.Width, c.width)
	for _, o := range objects {
		o.Move(fyne.NewPos((size.Width-w)/2, 0))
		o.Resize(fyne.NewSize(w, size.Height))
	}
}

// TightLayout stacks visible objects without gaps.
type TightLayout struct{}

// MinSize implements fyne.Layout.
func (TightLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, x := range o {
		if x.Visible() {
			m := x.MinSize()
			s = fyne.NewSize(max(s.Width, m.Width), s.Height+m.Height)
		}
	}
	return s
}

// Layout implements fyne.Layout.
func (TightLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	y := float32(0)
	for _, x := range o {
		if x.Visible() {
			h := x.MinSize().Height
			x.Move(fyne.NewPos(0, y))
			x.Resize(fyne.NewSize(s.Width, h))
			y += h
		}
	}
}

// UnderLayout places the second object directly below the first and gives it the rest.
type UnderLayout struct{}

// MinSize implements fyne.Layout.
func (UnderLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return TightLayout{}.MinSize(o) }

// Layout implements fyne.Layout.
func (UnderLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	h := o[0].MinSize().Height
	o[0].Resize(fyne.NewSize(s.Width, h))
	o[1].Move(fyne.NewPos(0, h))
	o[1].Resize(fyne.NewSize(s.Width, max(0, s.Height-h)))
}

// PlaceMiddle moves an object to x, centred vertically in a line that begins at y.
func PlaceMiddle(o fyne.CanvasObject, x, width, y, height float32) {
	h := o.MinSize().Height
	o.Move(fyne.NewPos(x, y+(height-h)/2))
	o.Resize(fyne.NewSize(width, h))
}
