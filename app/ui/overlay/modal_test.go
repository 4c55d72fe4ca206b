package overlay

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

// opened returns a window of a size.
func opened(t *testing.T, width, height float32, content fyne.CanvasObject) (*screentest.Screen, fyne.Canvas) {
	t.Helper()
	s := screentest.New(t)
	if content == nil {
		content = kit.NewSurface(kit.RoleWindow, kit.RoleNone, 0)
	}
	s.Win = test.NewTempWindow(t, kit.NewRoot(host{Screen: s}, layout.NewStackLayout(), content))
	s.Win.SetPadded(false)
	s.Win.Resize(fyne.NewSize(width, height))
	return s, s.Win.Canvas()
}

// host is a window without keys of its own.
type host struct {
	kit.Host
	*screentest.Screen
}

func (h host) Do(f func())              { h.Screen.Do(f) }
func (host) RunKey(*fyne.KeyEvent) bool { return false }
func (host) Reveal(fyne.CanvasObject)   {}
func (host) Typed(rune)                 {}
func (h host) Escape() {
	if m := OpenModal(h.Canvas()); m != nil {
		m.Close()
	}
}

func keys(c fyne.Canvas, names ...fyne.KeyName) {
	for _, name := range names {
		c.Focused().TypedKey(&fyne.KeyEvent{Name: name})
	}
}

func TestAQuestionIsAnsweredByKeys(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(c fyne.Canvas)
		open bool
		done bool
	}{
		"Enter alone is not enough": {func(c fyne.Canvas) { keys(c, fyne.KeyReturn) }, false, false},
		"Esc closes it":             {func(c fyne.Canvas) { keys(c, fyne.KeyEscape) }, false, false},
		"Shift+Tab and Enter":       {func(c fyne.Canvas) { c.FocusPrevious(); keys(c, fyne.KeyReturn) }, false, true},
		"a click beside it":         {func(c fyne.Canvas) { test.TapCanvas(c, fyne.NewPos(3, 3)) }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := opened(t, 420, 700, nil)
			if OpenModal(c) != nil {
				t.Error("a card is open before")
			}
			done := false
			Confirm(c, "Delete it?", "It goes to the trash. That is a long story, which does not fit on one line.", kit.ButtonDanger, "Delete", func() { done = true })
			m := OpenModal(c)
			if at := m.Card.Position(); at.X < kit.Gap20 || at.X+m.Card.Size().Width > 420-kit.Gap20 || m.Card.Size().Width > confirmWidth {
				t.Errorf("the card is at %v, %v wide", at, m.Card.Size())
			}
			if m.Card.Bg.Stroke != kit.RoleLine {
				t.Error("the card has no line around it")
			}
			s.Sees("Delete it?", "It goes to the trash.")
			tt.do(c)
			if open := OpenModal(c) != nil; done != tt.done || open != tt.open {
				t.Errorf("done %v, want %v; open %v, want %v", done, tt.done, open, tt.open)
			}
		})
	}
}

// A card that is taller than the window scrolls; in a larger window it is centred again.
func TestACardTallerThanTheWindowScrolls(t *testing.T) {
	_, c := opened(t, 340, 200, nil)
	m := ShowModal(c, column.NewCardRow(kit.RoleNone, column.Spacer(400)), 300)
	if m.Port.MaxOffset() <= 0 || m.Port.Size().Height != 200 {
		t.Fatalf("a card %g high doesn't scroll in %v", m.Card.Size().Height, m.Port.Size())
	}
	m.Port.ScrollTo(1000)
	if bottom := m.Card.Position().Y + m.Card.Size().Height; bottom > 200 {
		t.Errorf("the end of the card is at %g", bottom)
	}
	m.Resize(fyne.NewSize(800, 600))
	if at, size := m.Card.Position(), m.Card.Size(); at.X != 250 || size.Width != 300 || at.Y <= 0 || at.Y != (600-size.Height)/2 {
		t.Errorf("in a larger window it is at %v, %v", at, size)
	}
	m.Resize(fyne.NewSize(340, 200))
	c.Focus(m.Port)
	keys(c, fyne.KeyEscape)
	if OpenModal(c) != nil {
		t.Error("Esc doesn't close it")
	}
}

func TestASearchCard(t *testing.T) {
	s, c := opened(t, 900, 700, nil)
	left, moved := 0, []fyne.KeyName{}
	card := NewSearchCard("Search all conversations", fyne.NewSize(500, 300), func() { left++ })
	card.OnKey = func(k *fyne.KeyEvent) bool { moved = append(moved, k.Name); return k.Name == fyne.KeyDown }
	card.Open(c)
	s.Sees("Search all conversations")
	if c.Focused() != fyne.Focusable(card.Entry) || card.Port.Size().Height != 0 {
		t.Errorf("%T has the focus, the results are %v", c.Focused(), card.Port.Size())
	}
	empty := card.card.Size().Height
	for _, tt := range []struct{ rows, high float32 }{{3, 60}, {100, 300}, {0, 0}} {
		var rows []*column.Placed
		for range int(tt.rows) {
			rows = append(rows, &column.Placed{Row: column.NewBoxRow(column.Spacer(20))})
		}
		card.Port.Offset = 40
		card.Fill(rows)
		want := tt.high
		if tt.rows == 3 {
			want += card.Port.Top + card.Port.Bottom
		}
		if card.Port.Size().Height != want || card.Port.Offset != 0 || card.card.Size().Height != empty+want {
			t.Errorf("%g results: %v at %g, want %g; the card is %v", tt.rows, card.Port.Size(), card.Port.Offset, want, card.card.Size())
		}
		if x, w := card.card.Position().X, card.card.Size().Width; x != 200 || w != 500 {
			t.Errorf("the card is at %g, %g wide", x, w)
		}
	}
	keys(c, fyne.KeyDown, fyne.KeyRight, fyne.KeyEscape)
	test.Tap(card.scrim)
	if diff := cmp.Diff([]fyne.KeyName{fyne.KeyDown, fyne.KeyRight}, moved); diff != "" || left != 2 {
		t.Errorf("closed %d times, keys of the results (-want +got):\n%s", left, diff)
	}
	card.Resize(fyne.NewSize(300, 300)) // a small window
	if end := card.card.Position().X + card.card.Size().Width; end > 300-kit.Gap16 {
		t.Errorf("in a small window it ends at %g", end)
	}
}

func TestAToastOffersToUndoForAWhile(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		toast := NewToast()
		edge := float32(0)
		s, _ := opened(t, 400, 300, toast.Above(func() float32 { return edge }))
		undone := 0
		toast.Offer("Deleted “fan?”", "Undo", func() { undone++ })
		s.Sees("Deleted “fan?”", "Undo")
		if bottom := toast.Position().Y + toast.Size().Height; bottom != 300-kit.Gap12 || toast.Size().Width > 300 {
			t.Errorf("it ends at %g, %v", bottom, toast.Size())
		}
		test.Tap(toast.Act)
		if undone != 1 || toast.Visible() {
			t.Errorf("undone %d times, still there: %t", undone, toast.Visible())
		}
		time.Sleep(undoTime / 2)
		edge = 40
		toast.Offer("Deleted a session with a title that is far too long for this window, whatever is done", "", nil)
		if bottom := toast.Position().Y + toast.Size().Height; bottom != 300-40-kit.Gap12 || toast.Position().X < kit.Gap16 {
			t.Errorf("above what is below it, it ends at %g, begins at %g", bottom, toast.Position().X)
		}
		if toast.Act.Visible() {
			t.Error("it offers what can't be undone")
		}
		toast.press() // nothing to do
		toast.Offer("Moved 3 sessions", "Undo", func() { undone++ })
		forgot := 0
		toast.AlsoOffer("Forget…", func() { forgot++ })
		s.Sees("Moved 3 sessions", "Undo", "Forget…")
		time.Sleep(undoTime * 3 / 4) // the first toast's time is over
		s.Settle()
		s.Sees("Moved 3 sessions")
		test.Tap(toast.also)
		if forgot != 1 || undone != 1 || toast.Visible() {
			t.Errorf("the second action was done %d times, the first %d, still there: %t", forgot, undone, toast.Visible())
		}
		toast.Offer("Deleted", "Undo", func() { undone++ })
		if toast.also.Visible() {
			t.Error("the second action of another toast is still offered")
		}
		time.Sleep(undoTime)
		s.Settle()
		s.SeesNot("Deleted")
	})
}
