package overlay

import (
	"fmt"
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Picture shows an image over the window, fitted into it. +, − and the wheel zoom; the
// arrow keys and dragging move it; 0 shows it at 100 %; Enter opens it in another program;
// a click or Esc closes it.
type Picture struct {
	widget.BaseWidget
	over    fyne.Canvas
	img     *canvas.Image
	size    fyne.Size // at 100 %
	name    string
	caption *kit.Label
	back    *kit.Surface
	scrim   *Scrim
	zoom    float32       // 0 means fitted
	at      fyne.Position // centre of the image, relative to the window's
	open    func()
}

const (
	leastZoom  float32 = 0.1
	mostZoom   float32 = 8
	zoomStep   float32 = 1.25
	moveStep   float32 = 60
	captionPad         = kit.Gap8
)

// ShowPicture shows an image over a window; open opens it in another program.
func ShowPicture(over fyne.Canvas, img image.Image, name string, open func()) *Picture {
	p := &Picture{over: over, img: canvas.NewImageFromImage(img), name: name, caption: kit.NewLabel("", kit.RoleText, kit.SizeSmall), back: kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusRow), open: open}
	b := img.Bounds()
	p.size = fyne.NewSize(float32(b.Dx()), float32(b.Dy()))
	p.img.FillMode, p.img.ScaleMode = canvas.ImageFillStretch, canvas.ImageScaleSmooth
	p.scrim = NewScrim(p.close)
	p.ExtendBaseWidget(p)
	p.Resize(over.Size())
	over.Overlays().Add(p)
	over.Focus(p)
	return p
}

// close removes the picture.
func (p *Picture) close() {
	p.over.Overlays().Remove(p)
	p.img.Image = nil
}

// fitted returns the zoom at which the whole image is visible, 100 % at most.
func (p *Picture) fitted() float32 {
	room := p.Size().SubtractWidthHeight(2*kit.Gap20, 4*kit.Gap20)
	return max(min(1, room.Width/p.size.Width, room.Height/p.size.Height), 0.01)
}

// scale returns the current zoom.
func (p *Picture) scale() float32 {
	if p.zoom == 0 {
		return p.fitted()
	}
	return p.zoom
}

// setZoom zooms and keeps the centre of the visible part in place.
func (p *Picture) setZoom(z float32) {
	z = min(max(z, min(leastZoom, p.fitted())), mostZoom)
	before := p.scale()
	p.zoom = z
	p.at = fyne.NewPos(p.at.X*z/before, p.at.Y*z/before)
	p.move(0, 0)
}

// move moves the image, up to its edges.
func (p *Picture) move(dx, dy float32) {
	w, h := p.size.Width*p.scale(), p.size.Height*p.scale()
	clamp := func(v, limit float32) float32 { return min(max(v, -limit), limit) }
	p.at = fyne.NewPos(clamp(p.at.X+dx, max(0, (w-p.Size().Width)/2+kit.Gap20)), clamp(p.at.Y+dy, max(0, (h-p.Size().Height)/2+2*kit.Gap20)))
	p.Refresh()
}

// Scrolled implements fyne.Scrollable.
func (p *Picture) Scrolled(ev *fyne.ScrollEvent) {
	if ev.Scrolled.DY > 0 {
		p.setZoom(p.scale() * zoomStep)
	} else if ev.Scrolled.DY < 0 {
		p.setZoom(p.scale() / zoomStep)
	}
}

// Dragged implements fyne.Draggable.
func (p *Picture) Dragged(ev *fyne.DragEvent) { p.move(ev.Dragged.DX, ev.Dragged.DY) }

// DragEnd implements fyne.Draggable.
func (p *Picture) DragEnd() {}

// Tapped implements fyne.Tappable.
func (p *Picture) Tapped(*fyne.PointEvent) { p.close() }

// FocusGained implements fyne.Focusable.
func (p *Picture) FocusGained() {}

// FocusLost implements fyne.Focusable.
func (p *Picture) FocusLost() {}

// TypedRune implements fyne.Focusable.
func (p *Picture) TypedRune(r rune) {
	switch r {
	case '+', '=':
		p.setZoom(p.scale() * zoomStep)
	case '-':
		p.setZoom(p.scale() / zoomStep)
	case '0', '1':
		p.setZoom(1)
	}
}

// TypedKey implements fyne.Focusable.
func (p *Picture) TypedKey(k *fyne.KeyEvent) {
	switch k.Name {
	case fyne.KeyEscape, fyne.KeySpace:
		p.close()
	case fyne.KeyReturn, fyne.KeyEnter:
		p.close()
		p.open()
	case fyne.KeyLeft:
		p.move(moveStep, 0)
	case fyne.KeyRight:
		p.move(-moveStep, 0)
	case fyne.KeyUp:
		p.move(0, moveStep)
	case fyne.KeyDown:
		p.move(0, -moveStep)
	}
}

// CreateRenderer implements fyne.Widget.
func (p *Picture) CreateRenderer() fyne.WidgetRenderer {
	return kit.NewRenderer(p, p.layOut, p.scrim, p.img, p.back, p.caption)
}

// layOut places the parts for a size.
func (p *Picture) layOut(s fyne.Size) {
	p.scrim.Resize(s)
	w, h := p.size.Width*p.scale(), p.size.Height*p.scale()
	p.img.Move(fyne.NewPos((s.Width-w)/2+p.at.X, (s.Height-h)/2+p.at.Y))
	p.img.Resize(fyne.NewSize(w, h))
	tail := "  ·  " + fmt.Sprintf("%.0f %%", 100*p.scale()) + "  ·  " + i18n.T("+ − zoom, Enter opens, Esc closes")
	limit := s.Width - 2*kit.Gap20 - 2*captionPad
	p.caption.Text = kit.Ellipsize(p.name, max(limit-kit.MeasureText(tail, kit.SizeSmall, fyne.TextStyle{}).Width, 0), kit.SizeSmall, fyne.TextStyle{}) + tail
	c := kit.MeasureText(p.caption.Text, kit.SizeSmall, fyne.TextStyle{})
	c.Width = min(c.Width+1, limit)
	at := fyne.NewPos((s.Width-c.Width)/2, s.Height-c.Height-kit.Gap20)
	p.back.Move(at.SubtractXY(captionPad, kit.Gap4))
	p.back.Resize(c.AddWidthHeight(2*captionPad, 2*kit.Gap4))
	p.caption.Move(at)
	p.caption.Resize(c)
}
