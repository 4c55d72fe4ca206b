package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
)

func TestLettersDoNotReachTheMessageBelowAQuestion(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		overlay.Confirm(b.w.win.Canvas(), "Delete it?", "It goes to the trash.", kit.ButtonDanger, "Delete", func() { t.Error("done") })
		rootHost{windowHost{b.w}}.Typed('x')
		b.focusedKey(fyne.KeyReturn)
		if got := b.w.chat.Compose.Entry.Text; got != "" || overlay.OpenModal(b.w.win.Canvas()) != nil {
			t.Errorf("%q was typed into the message below", got)
		}
	})
}

// A card that is taller than the window scrolls: by the wheel, by keys, and to the control that
// Tab focuses.
func TestACardTallerThanTheWindowScrolls(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.win.Resize(fyne.NewSize(340, 360))
		b.w.chat.Choices.ShowOptions()
		b.Settle()
		m, c := overlay.OpenModal(b.w.win.Canvas()), b.w.win.Canvas()
		driver := fyne.CurrentApp().Driver()
		bottom := func(o fyne.CanvasObject) float32 { return driver.AbsolutePositionForObject(o).Y + o.Size().Height }
		if m.Port.MaxOffset() <= 0 {
			t.Fatalf("a card %g high doesn't scroll", m.Card.Size().Height)
		}
		m.Port.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -10000)})
		b.Settle()
		if got := bottom(m.Card); got > c.Size().Height+1 {
			t.Errorf("the end of the card is at %g", got)
		}
		stops, _ := b.walk(func() fyne.CanvasObject { return c.Overlays().Top() })
		for range stops {
			c.FocusNext()
			b.Settle()
			o := c.Focused().(fyne.CanvasObject)
			if top := driver.AbsolutePositionForObject(o).Y; top < -1 || bottom(o) > c.Size().Height+1 {
				t.Errorf("%s is at %g to %g", describe(o), top, bottom(o))
			}
		}
		b.w.win.Resize(fyne.NewSize(980, 900))
		if o := driver.AbsolutePositionForObject(m.Card); o.Y <= 0 {
			t.Errorf("in a large window it is at %v", o)
		}
		c.Focus(m.Port)
		b.focusedKey(fyne.KeyEscape)
		if overlay.OpenModal(c) != nil {
			t.Error("Esc doesn't close it")
		}
	})
}

// focusedKey sends a key to the focused control.
func (b *bench) focusedKey(name fyne.KeyName) {
	b.t.Helper()
	f := b.w.win.Canvas().Focused()
	if f == nil {
		b.t.Fatal("nothing has the focus")
	}
	f.TypedKey(&fyne.KeyEvent{Name: name})
	b.Settle()
}
