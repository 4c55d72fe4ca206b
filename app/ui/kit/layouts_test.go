package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"
)

// box returns an object of a size, hidden or not.
func box(w, h float32, hidden bool) fyne.CanvasObject {
	o := Sized(NewSurface(RoleNone, RoleNone, 0), w, h)
	o.Hidden = hidden
	return o
}

type place struct{ X, Y, Width, Height float32 }

func TestLayouts(t *testing.T) {
	newTestApp(t)
	for _, tt := range []struct {
		name string
		made func(o ...fyne.CanvasObject) *fyne.Container
		min  fyne.Size
		want []place // of two objects of 40 × 10 and 20 × 30, and a hidden one, in 200 × 100
	}{
		{"side by side", func(o ...fyne.CanvasObject) *fyne.Container { return Line(8, -1, o...) }, fyne.NewSize(68, 30), []place{{0, 45, 40, 10}, {48, 35, 20, 30}}},
		{"the first stretched", func(o ...fyne.CanvasObject) *fyne.Container { return Line(8, 0, o...) }, fyne.NewSize(68, 30), []place{{0, 45, 172, 10}, {180, 35, 20, 30}}},
		{"the hidden one stretched", func(o ...fyne.CanvasObject) *fyne.Container { return Line(8, 2, o...) }, fyne.NewSize(68, 30), []place{{0, 45, 40, 10}, {48, 35, 20, 30}}},
		{"below each other", func(o ...fyne.CanvasObject) *fyne.Container { return Stack(8, o...) }, fyne.NewSize(40, 48), []place{{0, 0, 200, 10}, {0, 18, 200, 30}}},
		{"without gaps", func(o ...fyne.CanvasObject) *fyne.Container { c := Stack(0, o...); c.Layout = TightLayout{}; return c }, fyne.NewSize(40, 40), []place{{0, 0, 200, 10}, {0, 10, 200, 30}}},
		{"the second gets the rest", func(o ...fyne.CanvasObject) *fyne.Container { c := Stack(0, o...); c.Layout = UnderLayout{}; return c }, fyne.NewSize(40, 40), []place{{0, 0, 200, 10}, {0, 10, 200, 90}}},
		{"a line at the right", func(o ...fyne.CanvasObject) *fyne.Container { c := LineRight(o[0]); c.Objects[1] = o[1]; return c }, fyne.NewSize(41, 10), []place{{0, 0, 199, 100}, {199, 0, 1, 100}}},
		{"centred", func(o ...fyne.CanvasObject) *fyne.Container { c := Centred(120, o[0]); c.Objects = o; return c }, fyne.NewSize(40, 30), []place{{40, 0, 120, 100}, {40, 0, 120, 100}}},
		{"at least as large", func(o ...fyne.CanvasObject) *fyne.Container { c := Sized(o[0], 60, 20); c.Objects = o; return c }, fyne.NewSize(60, 30), []place{{0, 0, 200, 100}, {0, 0, 200, 100}}},
		{"with padding", func(o ...fyne.CanvasObject) *fyne.Container { c := Inset(1, 2, 3, 4, o[0]); c.Objects = o; return c }, fyne.NewSize(47, 33), []place{{3, 1, 193, 97}, {3, 1, 193, 97}}},
	} {
		objects := []fyne.CanvasObject{box(40, 10, false), box(20, 30, false), box(90, 90, true)}
		if tt.name == "at least as large" || tt.name == "centred" {
			objects = objects[:2] // they hold one object, always shown
		}
		c := tt.made(objects...)
		if got := c.MinSize(); got != tt.min {
			t.Errorf("%s: needs %v, want %v", tt.name, got, tt.min)
		}
		c.Resize(fyne.NewSize(200, 100))
		var got []place
		for _, o := range objects[:2] {
			got = append(got, place{o.Position().X, o.Position().Y, o.Size().Width, o.Size().Height})
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	o := box(40, 10, false)
	if PlaceMiddle(o, 5, 60, 100, 30); o.Position() != fyne.NewPos(5, 110) || o.Size() != fyne.NewSize(60, 10) {
		t.Errorf("in a line: at %v, %v", o.Position(), o.Size())
	}
}

func TestAFlowRowContinuesOnTheNextLine(t *testing.T) {
	newTestApp(t)
	for _, tt := range []struct {
		width float32
		right bool
		want  []fyne.Position
		high  float32
	}{
		{200, false, []fyne.Position{{X: 0, Y: 0}, {X: 44, Y: 0}, {X: 88, Y: 0}}, 10},
		{100, false, []fyne.Position{{X: 0, Y: 0}, {X: 44, Y: 0}, {X: 0, Y: 18}}, 28},
		{100, true, []fyne.Position{{X: 16, Y: 0}, {X: 60, Y: 0}, {X: 60, Y: 18}}, 28},
		{30, false, []fyne.Position{{X: 0, Y: 0}, {X: 0, Y: 18}, {X: 0, Y: 36}}, 46},
	} {
		parts := []fyne.CanvasObject{box(40, 10, false), box(9, 9, true), box(40, 10, false), box(40, 10, false)}
		row := NewFlowRow(4, parts...)
		row.Right = tt.right
		hosted(t, row)
		high := row.Measure(tt.width)
		row.Resize(fyne.NewSize(tt.width, high))
		var got []fyne.Position
		for _, o := range parts {
			if o.Visible() {
				got = append(got, o.Position())
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || high != tt.high {
			t.Errorf("%g wide: %g high (-want +got):\n%s", tt.width, high, diff)
		}
	}
}
