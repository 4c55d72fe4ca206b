package overlay

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
)

func TestAPictureIsZoomedMovedAndClosedByKey(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	w := test.NewTempWindow(t, kit.NewSurface(kit.RoleWindow, kit.RoleNone, 0))
	w.Resize(fyne.NewSize(340, 400))
	opened := 0
	p := ShowPicture(w.Canvas(), image.NewNRGBA(image.Rect(0, 0, 1200, 600)), "shot.png", func() { opened++ })
	if got := p.scale(); got != 0.25 {
		t.Errorf("fitted into 340 × 400: %g", got)
	}
	p.TypedRune('0')
	p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	if p.scale() != 1 || p.at.X != -moveStep {
		t.Errorf("at 100 %%, moved once: %g, %v", p.scale(), p.at)
	}
	for range 50 {
		p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	}
	if right := p.at.X + 600; right < 100 || right > 170 {
		t.Errorf("it was moved out of sight: its right edge is %g from the middle", right)
	}
	for range 30 {
		p.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 10)})
	}
	if p.scale() != mostZoom {
		t.Errorf("zoomed in: %g", p.scale())
	}
	p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if opened != 1 || w.Canvas().Overlays().Top() != nil {
		t.Errorf("Enter: opened %d times, still there: %v", opened, w.Canvas().Overlays().Top() != nil)
	}
}

func TestAPictureIsUsedByMouse(t *testing.T) {
	_, c := opened(t, 340, 400, nil)
	p := ShowPicture(c, image.NewNRGBA(image.Rect(0, 0, 1200, 600)), "a very long name of a picture that does not fit below it.png", func() { t.Error("opened") })
	c.Focus(p)
	p.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 10)})
	zoomed := p.scale()
	p.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -10)})
	p.Scrolled(&fyne.ScrollEvent{})
	if zoomed != 0.25*zoomStep || p.scale() != 0.25 {
		t.Errorf("one notch: %g, and back: %g", zoomed, p.scale())
	}
	for _, tt := range []struct {
		r    rune
		want float32
	}{{'+', 0.25 * zoomStep}, {'-', 0.25}, {'=', 0.25 * zoomStep}, {'1', 1}, {'x', 1}} {
		if p.TypedRune(tt.r); p.scale() != tt.want {
			t.Errorf("after %c: %g, want %g", tt.r, p.scale(), tt.want)
		}
	}
	p.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(30, -20)})
	p.DragEnd()
	if p.at != fyne.NewPos(30, -20) {
		t.Errorf("dragged to %v", p.at)
	}
	for key, want := range map[fyne.KeyName]fyne.Position{fyne.KeyLeft: {X: 30 + moveStep, Y: -20}, fyne.KeyUp: {X: 30, Y: moveStep - 20}, fyne.KeyDown: {X: 30, Y: -20 - moveStep}} {
		p.at = fyne.NewPos(30, -20)
		if p.TypedKey(&fyne.KeyEvent{Name: key}); p.at != want {
			t.Errorf("%s: %v, want %v", key, p.at, want)
		}
	}
	if p.back.Position().X < 0 || p.back.Position().X+p.back.Size().Width > 340 {
		t.Errorf("the caption is at %v, %v", p.back.Position(), p.back.Size())
	}
	c.Unfocus()
	test.Tap(p)
	if c.Overlays().Top() != nil {
		t.Error("a click doesn't close it")
	}
}
