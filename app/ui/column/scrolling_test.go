package column

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
)

// showing returns a viewport of 300 × 200 in a window.
func showing(t *testing.T, rows ...*Placed) (*Viewport, fyne.Canvas) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	v := NewViewport()
	w := test.NewTempWindow(t, v)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(300, 200))
	v.SetRows(rows)
	return v, w.Canvas()
}

// blocks returns n rows that are 20 high.
func blocks(n int) []*Placed {
	out := make([]*Placed, n)
	for i := range out {
		out[i] = &Placed{Row: NewBoxRow(Spacer(20))}
	}
	return out
}

// grow makes a row of blocks higher.
func grow(v *Viewport, p *Placed) {
	p.Row.(*BoxRow).Content = Spacer(90)
	v.Remeasure(p.Row)
}

func TestWhatTheReaderLooksAtStaysInPlace(t *testing.T) {
	for name, change := range map[string]func(v *Viewport){
		"rows come above":    func(v *Viewport) { v.SetRows(append(blocks(7), v.Rows...)) },
		"rows come below":    func(v *Viewport) { v.SetRows(append(v.Rows, blocks(7)...)) },
		"rows go above":      func(v *Viewport) { v.SetRows(v.Rows[3:]) },
		"a row above grows":  func(v *Viewport) { grow(v, v.Rows[1]) },
		"a row below grows":  func(v *Viewport) { grow(v, v.Rows[40]) },
		"the window is wide": func(v *Viewport) { v.Resize(fyne.NewSize(500, 200)) },
	} {
		t.Run(name, func(t *testing.T) {
			v, _ := showing(t, blocks(50)...)
			v.ScrollTo(313)
			first := v.Rows[v.FirstVisible()]
			before := first.Row.Position().Y
			change(v)
			if got := first.Row.Position().Y; got != before {
				t.Errorf("the first visible row is at %g, was at %g", got, before)
			}
			if v.Follow || v.Offset == v.MaxOffset() {
				t.Error("the reader was moved to the end")
			}
		})
	}
}

func TestAReaderAtTheEndFollowsIt(t *testing.T) {
	v, _ := showing(t, blocks(50)...)
	var away []bool
	v.OnAway = func(a bool) { away = append(away, a) }
	atEnd := func(what string, want bool) {
		t.Helper()
		if got := v.Offset == v.MaxOffset(); got != want || v.Follow != want {
			t.Errorf("%s: at the end %t, follows %t, want %t", what, got, v.Follow, want)
		}
	}
	atEnd("when shown", true)
	v.SetRows(append(v.Rows, blocks(9)...))
	atEnd("after new rows", true)
	v.ChangeInPlace(func() { grow(v, v.Rows[50]) })
	if v.Follow {
		t.Error("opening something visible moved the reader to the end")
	}
	v.ToEnd()
	v.ScrollTo(v.MaxOffset() - nearEnd - 1)
	v.SetRows(append(v.Rows, blocks(9)...))
	atEnd("after scrolling up", false)
	v.ScrollTo(v.MaxOffset() + 1000)
	atEnd("after scrolling to the end", true)
	if diff := cmp.Diff([]bool{true, false, true, false}, away); diff != "" {
		t.Errorf("reported as away (-want +got):\n%s", diff)
	}
	v.Fixed = true
	v.ToEnd()
	if v.Follow {
		t.Error("a list follows its end")
	}
}

// A list at its top stays there when rows come above, also while it is laid out again.
func TestAListAtItsTopStaysThere(t *testing.T) {
	v, _ := showing(t)
	v.Follow, v.Fixed = false, true
	v.SetRows(blocks(50))
	v.SetRows(append(blocks(5), v.Rows...))
	if v.Offset != 0 {
		t.Errorf("it was scrolled to %g", v.Offset)
	}
}

func TestKeysScroll(t *testing.T) {
	v, _ := showing(t, blocks(50)...)
	end := v.MaxOffset()
	for _, tt := range []struct {
		key        fyne.KeyName
		from, want float32
	}{
		{fyne.KeyPageUp, 400, 240},
		{fyne.KeyPageDown, 400, 560},
		{fyne.KeySpace, 400, 560},
		{fyne.KeyUp, 400, 360},
		{fyne.KeyDown, 400, 440},
		{fyne.KeyHome, 400, 0},
		{fyne.KeyEnd, 400, end},
		{fyne.KeyUp, 10, 0},
		{fyne.KeyDown, end - 1, end},
		{fyne.KeyTab, 400, 400},
	} {
		v.ScrollTo(tt.from)
		v.TypedKey(&fyne.KeyEvent{Name: tt.key})
		if v.Offset != tt.want {
			t.Errorf("%s from %g: %g, want %g", tt.key, tt.from, v.Offset, tt.want)
		}
	}
}

func TestTheEndsAreReported(t *testing.T) {
	v, _ := showing(t, blocks(50)...)
	var got []string
	v.OnTop, v.OnEnd = func() { got = append(got, "top") }, func() { got = append(got, "end") }
	v.ScrollTo(400)
	v.ScrollTo(10)
	v.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -3)}) // a touchpad
	v.ScrollTo(v.MaxOffset() - 10)
	if diff := cmp.Diff([]string{"top", "top", "end"}, got); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
}

// What the column doesn't need goes to its window or to those who use it.
func TestKeysAreHandedOn(t *testing.T) {
	v, _ := showing(t, blocks(50)...)
	var got []string
	note := func(what string) { got = append(got, what) }
	v.TypedRune('a') // nobody wants it
	v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	v.TypedShortcut(&fyne.ShortcutUndo{})
	v.OnRune = func(r rune) { note(string(r)) }
	v.OnEscape = func() { note("esc") }
	v.OnShortcut = func(s fyne.Shortcut) bool { note(s.ShortcutName()); return true }
	v.OnKey = func(k *fyne.KeyEvent) bool { note(string(k.Name)); return k.Name == fyne.KeyDown }
	at := v.Offset
	v.TypedRune('x')
	v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	v.TypedShortcut(&fyne.ShortcutUndo{})
	if diff := cmp.Diff([]string{"x", "Down", "Escape", "esc", "Undo"}, got); diff != "" {
		t.Errorf("handed on (-want +got):\n%s", diff)
	}
	if v.Offset != at {
		t.Error("a key that was taken scrolls")
	}
}

func TestTheFocusIsShownIfItCameByKey(t *testing.T) {
	v, c := showing(t)
	v.SetRows([]*Placed{TextRow("words", kit.RoleText, 0)})
	c.Focus(v)
	if !v.ring.Visible() || v.Shown[len(v.Shown)-1] != fyne.CanvasObject(v.ring) || v.ring.Size() != v.Size() {
		t.Error("the focus isn't shown")
	}
	c.Unfocus()
	if v.ring.Visible() {
		t.Error("the focus is still shown")
	}
	v.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(30, 20)}, Button: desktop.MouseButtonPrimary})
	if c.Focused() != fyne.Focusable(v) || v.ring.Visible() {
		t.Errorf("after a click %T has the focus, shown: %t", c.Focused(), v.ring.Visible())
	}
	var told []bool
	v.OnFocus = func(on bool) { told = append(told, on) } // a list shows it itself
	c.Unfocus()
	c.Focus(v)
	if diff := cmp.Diff([]bool{false, true}, told); diff != "" || v.ring.Visible() {
		t.Errorf("shown %t, told (-want +got):\n%s", v.ring.Visible(), diff)
	}
}

func TestTheActionsOfTheRowUnderThePointerShow(t *testing.T) {
	rows := blocks(3)
	rows[0].Hover, rows[2].Hover = &kit.HoverGroup{}, &kit.HoverGroup{}
	v, _ := showing(t, rows...)
	for _, tt := range []struct {
		row         int // under the pointer; -1 after it left
		first, last bool
	}{{0, true, false}, {1, false, false}, {2, false, true}, {0, true, false}, {-1, false, false}} {
		if tt.row < 0 {
			v.MouseOut()
		} else {
			v.MouseIn(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(40, rows[tt.row].Top+5-v.Offset)}})
		}
		if a, b := rows[0].Hover.Visible(), rows[2].Hover.Visible(); a != tt.first || b != tt.last {
			t.Errorf("on row %d: the first row's show %t, the last's %t", tt.row, a, b)
		}
	}
}

func TestReveal(t *testing.T) {
	for _, tt := range []struct {
		name        string
		offset      float32
		top, bottom float32
		want        float32
	}{
		{"visible", 400, 480, 500, 400},
		{"above", 400, 200, 220, 200 - FocusMargin},
		{"below", 400, 700, 720, 720 + FocusMargin - 200},
		{"its margin is above", 400, 410, 430, 410 - FocusMargin},
		{"as high as the window", 400, 300, 500, 300},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, _ := showing(t, blocks(50)...)
			v.ScrollTo(tt.offset)
			if v.Reveal(tt.top, tt.bottom); v.Offset != tt.want {
				t.Errorf("scrolled to %g, want %g", v.Offset, tt.want)
			}
		})
	}
	v, _ := showing(t, blocks(50)...)
	v.ScrollTo(0)
	if v.RevealRow(v.Rows[30].Row); v.Rows[30].Top < v.Offset || v.Rows[30].Top+20 > v.Offset+200 {
		t.Errorf("row 30 at %g isn't visible at %g", v.Rows[30].Top, v.Offset)
	}
	at := v.Offset
	if v.RevealRow(NewBoxRow(Spacer(1))); v.Offset != at {
		t.Error("a row of another column moves it")
	}
}

// Tab finds only what is visible, so the controls around the focused one are shown too.
func TestRevealFocusShowsTheNeighbours(t *testing.T) {
	v, _ := showing(t)
	words := func() *Placed { return TextRow("words", kit.RoleText, 0) }
	rows := append(blocks(3), words(), words(), words())
	rows = append(rows, blocks(3)...)
	rows = append(rows, words(), words(), words())
	rows = append(rows, blocks(20)...)
	v.SetRows(rows)
	v.ScrollTo(0)
	focused := rows[6]
	v.RevealFocus(focused.Top, focused.Top+focused.Height)
	for _, i := range []int{2, 7} { // the controls above and below
		if p := rows[i]; p.Top+p.Height < v.Offset || p.Top > v.Offset+v.Size().Height {
			t.Errorf("row %d at %g isn't visible at %g", i, p.Top, v.Offset)
		}
	}
}

func TestTheScrollBarIsDragged(t *testing.T) {
	v, _ := showing(t, blocks(50)...)
	v.ScrollTo(0)
	room := v.Size().Height - v.bar.Size().Height
	v.bar.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(0, room/2)})
	if got, want := v.Offset, v.MaxOffset()/2; got < want-1 || got > want+1 {
		t.Errorf("dragged half the way: %g, want %g", got, want)
	}
	if y := v.bar.Position().Y; y < room/2-1 || y > room/2+1 {
		t.Errorf("the bar is at %g, want %g", y, room/2)
	}
	v.bar.MouseIn(nil)
	if v.bar.s.Fill != kit.RoleFaint {
		t.Error("the bar doesn't show that it is under the pointer")
	}
	v.bar.MouseOut()
	v.bar.DragEnd()
	if v.bar.s.Fill != kit.RoleLine {
		t.Error("the bar still shows it")
	}
}

func TestRowsAreAsWideAsTheyNeed(t *testing.T) {
	code := &wideRow{BoxRow: NewBoxRow(Spacer(20)), natural: 900}
	indented, narrow, table := &Placed{Row: NewBoxRow(Spacer(20)), Indent: 30}, &Placed{Row: NewBoxRow(Spacer(20)), Max: 100}, &Placed{Row: code}
	v, _ := showing(t, indented, narrow, table)
	v.Resize(fyne.NewSize(1400, 200))
	for _, tt := range []struct {
		name string
		p    *Placed
		want float32
	}{
		{"indented", indented, kit.ColumnMax - 30}, {"narrow", narrow, 100}, {"a table", table, 900},
	} {
		if got := tt.p.Width; got != tt.want {
			t.Errorf("%s: %g wide, want %g", tt.name, got, tt.want)
		}
	}
	code.natural = 5000
	if v.Remeasure(code); v.Left+table.Width > v.Size().Width {
		t.Errorf("a table ends at %g", v.Left+table.Width)
	}
	if !v.Holds(code) || v.Holds(NewBoxRow(Spacer(1))) {
		t.Error("the column doesn't know which rows it has")
	}
}

// wideRow is a row that doesn't wrap.
type wideRow struct {
	*BoxRow
	natural float32
}

func (w *wideRow) NaturalWidth() float32 { return w.natural }

// A key goes to the window before it scrolls.
func TestAKeyOfTheWindowDoesNotScroll(t *testing.T) {
	v, _ := showing(t, blocks(50)...)
	h := &keyHost{}
	test.NewTempWindow(t, kit.NewRoot(h, layout.NewStackLayout(), v)).Resize(fyne.NewSize(300, 200))
	at := v.Offset
	v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyHome})
	v.TypedShortcut(&fyne.ShortcutUndo{})
	if v.Offset != at || h.keys != 1 || h.shortcuts != 1 {
		t.Errorf("scrolled to %g, %d keys, %d shortcuts", v.Offset, h.keys, h.shortcuts)
	}
}

type keyHost struct {
	kit.Host
	keys, shortcuts int
}

func (h *keyHost) RunKey(*fyne.KeyEvent) bool     { h.keys++; return true }
func (h *keyHost) RunShortcut(fyne.Shortcut) bool { h.shortcuts++; return true }
