package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

func TestAQuestionIsAnsweredByKeys(t *testing.T) {
	tests := map[string]struct {
		do   func(b *bench)
		done bool
	}{
		"Enter alone is not enough": {func(b *bench) { b.focusedKey(fyne.KeyReturn) }, false},
		"Esc closes it":             {func(b *bench) { b.focusedKey(fyne.KeyEscape) }, false},
		"Shift+Tab and Enter":       {func(b *bench) { b.w.win.Canvas().FocusPrevious(); b.focusedKey(fyne.KeyReturn) }, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.w.win.Resize(fyne.NewSize(420, 700))
				done := false
				kit.Confirm(b.w.win.Canvas(), "Delete it?", "It goes to the trash. That is a long story, which does not fit on one line.", "Delete", func() { done = true })
				m := kit.OpenModal(b.w.win.Canvas())
				if at := m.Card.Position(); at.X < kit.Gap20 || at.X+m.Card.Size().Width > 420-kit.Gap20 {
					t.Errorf("the card is at %v, %v wide", at, m.Card.Size())
				}
				if m.Card.Bg.Stroke != kit.RoleLine {
					t.Error("the card has no line around it")
				}
				windowHost{b.w}.Typed('x')
				tt.do(b)
				if done != tt.done || kit.OpenModal(b.w.win.Canvas()) != nil || b.w.win.Canvas().Overlays().Top() != nil {
					t.Errorf("done %v, want %v; still open: %v", done, tt.done, kit.OpenModal(b.w.win.Canvas()) != nil)
				}
				if got := b.w.compose.Entry.Text; got != "" {
					t.Errorf("%q was typed into the message below", got)
				}
			})
		})
	}
}

// focusedKey presses a key where the focus is.
func (b *bench) focusedKey(name fyne.KeyName) {
	b.t.Helper()
	f := b.w.win.Canvas().Focused()
	if f == nil {
		b.t.Fatal("nothing has the focus")
	}
	f.TypedKey(&fyne.KeyEvent{Name: name})
	b.Settle()
}
