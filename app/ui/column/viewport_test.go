package column

import (
	"runtime"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

func TestANotchOfTheWheelIsThreeLines(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the system says how far")
	}
	for given, want := range map[float32]float32{25: 60, -50: -120, 0: 0, 6.25: 6.25, -3: -3} {
		if got := wheelStep(given); got != want {
			t.Errorf("%v scrolls %v, not %v", given, got, want)
		}
	}
}

// Between the rows of a list there is nothing to copy.
func TestARightClickOnAListOfButtonsOpensNoMenu(t *testing.T) {
	for _, tt := range []struct {
		row  kit.Row
		menu bool
	}{
		{NewBoxRow(kit.NewButton(kit.ButtonRow, "a session", nil)), false},
		{prose.NewParagraph("words to copy", kit.RoleText), true},
	} {
		v := NewViewport()
		test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
		w := test.NewTempWindow(t, v)
		w.Resize(fyne.NewSize(300, 100))
		v.SetRows([]*Placed{{Row: tt.row}})
		v.TappedSecondary(&fyne.PointEvent{Position: fyne.NewPos(5, 60), AbsolutePosition: fyne.NewPos(5, 60)})
		if got := w.Canvas().Overlays().Top() != nil; got != tt.menu {
			t.Errorf("%T: a menu %t, want %t", tt.row, got, tt.menu)
		}
	}
}

func TestAShortColumnAfterALongOneHasNoScrollBar(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	v := NewViewport()
	test.NewTempWindow(t, v).Resize(fyne.NewSize(300, 200))
	long := make([]*Placed, 50)
	for i := range long {
		long[i] = &Placed{Row: prose.NewParagraph("a line", kit.RoleText)}
	}
	v.SetRows(long)
	if drawn := v.bar.s.Size(); drawn.IsZero() {
		t.Fatal("a long column has no scroll bar")
	}
	v.bar.CreateRenderer().Layout(fyne.Size{}) // the toolkit makes a new renderer if it dropped the first
	if drawn := v.bar.s.Size(); !drawn.IsZero() {
		t.Errorf("the scroll bar of the long column still stands: %v", drawn)
	}
}
