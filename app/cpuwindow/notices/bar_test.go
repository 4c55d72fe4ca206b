package notices

import (
	"testing"

	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m, "../../../assets") }

func TestTheNoticeFitsANarrowWindow(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	b := newBar(func() {})
	b.set("mac-stats stopped unexpectedly the last time it ran", "Copy it")
	b.setAction("Copy diagnostics", func() {})
	b.SetWidth(420)
	w := test.NewTempWindow(t, b)
	w.SetPadded(false)
	w.Resize(b.MinSize().AddWidthHeight(420-b.MinSize().Width, 0))
	if end := b.text.Position().X + b.text.Size().Width; end > b.action.Position().X || b.action.Position().X+b.action.Size().Width > b.dismiss.Position().X {
		t.Errorf("the words end at %v, the offer begins at %v, Dismiss at %v", end, b.action.Position().X, b.dismiss.Position().X)
	}
}
