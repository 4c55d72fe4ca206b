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
