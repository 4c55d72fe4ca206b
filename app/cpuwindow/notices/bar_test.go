package notices

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
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
	b.SetRoom(420, 400)
	w := test.NewTempWindow(t, b)
	w.SetPadded(false)
	w.Resize(b.MinSize().AddWidthHeight(420-b.MinSize().Width, 0))
	if end := b.text.Position().X + b.text.Size().Width; end > b.action.Position().X || b.action.Position().X+b.action.Size().Width > b.dismiss.Position().X {
		t.Errorf("the words end at %v, the offer begins at %v, Dismiss at %v", end, b.action.Position().X, b.dismiss.Position().X)
	}
}

// A long notice leaves room for the chat, and all of it can be read.
func TestALongNoticeScrolls(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	b := newBar(func() {})
	b.set(strings.Repeat("There is no tray icon, because this desktop shows none. ", 12), "The last words.")
	w := test.NewTempWindow(t, b)
	w.SetPadded(false)
	for _, most := range []float32{80, 10, 2000} {
		b.SetRoom(455, most)
		height := b.MinSize().Height
		w.Resize(fyne.NewSize(455, height))
		b.Resize(fyne.NewSize(455, height))
		words := b.text.Measure(b.textWidth())
		switch {
		case most > words && (b.tall || height < words):
			t.Errorf("%g for %g: it scrolls, %g high", most, words, height)
		case most < words && (!b.tall || height > max(most, 60)):
			t.Errorf("%g for %g: it doesn't scroll, %g high", most, words, height)
		}
		if drawn := strings.Contains(test.RenderToMarkup(w.Canvas()), "The last words."); most > words && !drawn {
			t.Errorf("%g for %g: the last words aren't drawn", most, words)
		}
		if b.tall {
			b.port.ToEnd()
			if end := b.port.Offset + b.port.Size().Height; end < words-1 || b.port.Size().Height > height {
				t.Errorf("%g for %g: the last words are at %g, and %g are shown", most, words, end, b.port.Size().Height)
			}
		}
	}
}
