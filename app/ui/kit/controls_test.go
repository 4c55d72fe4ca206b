package kit

import (
	"image/color"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"github.com/google/go-cmp/cmp"
)

// key sends keys to the focused control, as the driver does.
func key(c fyne.Canvas, names ...fyne.KeyName) {
	for _, name := range names {
		c.Focused().TypedKey(&fyne.KeyEvent{Name: name})
	}
}

// drawn returns the texts and the rectangles that an object draws.
func drawn(o fyne.CanvasObject) (texts []*canvas.Text, rects []*canvas.Rectangle) {
	for _, x := range test.LaidOutObjects(o) {
		switch x := x.(type) {
		case *canvas.Text:
			texts = append(texts, x)
		case *canvas.Rectangle:
			rects = append(rects, x)
		}
	}
	return texts, rects
}

// Every control is used by keys, shows that it has the focus, and passes on what it can't use.
func TestControlsAreUsedByKeys(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(pressed func()) fyne.CanvasObject
		want []string // of the host, after: focus, a letter, Esc, F2
	}{
		{"a button", func(pressed func()) fyne.CanvasObject { return NewButton(ButtonPrimary, "Save", pressed) }, []string{"reveal", "letter x", "escape", "key F2"}},
		{"a switch", func(pressed func()) fyne.CanvasObject { return NewSwitch(func(string) { pressed() }) }, []string{"reveal", "escape", "key F2"}},
		{"a slider", func(func()) fyne.CanvasObject { return NewSlider(0, 10, 1, func(string) {}) }, []string{"reveal", "escape", "key F2"}},
		{"any content", func(pressed func()) fyne.CanvasObject {
			return NewTappable(NewSurface(RoleCard, RoleLine, 4), Text("x"), pressed)
		}, []string{"reveal", "letter x", "escape", "key F2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pressed := 0
			newTestApp(t)
			o := tt.make(func() { pressed++ })
			h, c := hosted(t, o)
			_, plain := drawn(o)
			before := lines(plain)
			c.Focus(o.(fyne.Focusable))
			_, focused := drawn(o)
			if tt.name != "a slider" && cmp.Equal(before, lines(focused)) {
				t.Errorf("the focus isn't shown: %v", before)
			}
			c.Focused().TypedRune('x')
			key(c, fyne.KeyEscape, fyne.KeyF2)
			if diff := cmp.Diff(tt.want, h.calls); diff != "" {
				t.Errorf("handed on (-want +got):\n%s", diff)
			}
			key(c, fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter)
			if tt.name != "a slider" && pressed != 3 {
				t.Errorf("Space, Return and Enter press it %d times", pressed)
			}
			c.Unfocus()
			_, after := drawn(o)
			if !cmp.Equal(before, lines(after)) {
				t.Error("the focus is still shown")
			}
		})
	}
}

// lines returns the colours and widths of the lines around rectangles.
func lines(rects []*canvas.Rectangle) (out []any) {
	for _, r := range rects {
		out = append(out, r.StrokeColor, r.StrokeWidth)
	}
	return out
}

func TestAControlThatIsLockedCannotBeChanged(t *testing.T) {
	var got []string
	note := func(v string) { got = append(got, v) }
	newTestApp(t)
	s, seg, b := NewSwitch(note), NewSegments([]string{"a", "b"}, func(v string) string { return "the " + v }, note), NewButton(ButtonPlain, "Save", func() { note("saved") })
	hosted(t, Stack(0, s, seg, b))
	for _, locked := range []bool{false, true} {
		s.SetValue("true", locked)
		seg.SetValue("a", locked)
		SetEnabled(b, !locked)
		s.Tapped(nil)
		test.Tap(seg.buttons[1])
		b.Tapped(nil)
	}
	s.SetValue("", false)
	s.Tapped(nil)
	if diff := cmp.Diff([]string{"false", "b", "saved", "true"}, got); diff != "" {
		t.Errorf("changed to (-want +got):\n%s", diff)
	}
	if !seg.buttons[0].Selected || seg.buttons[1].Selected || seg.buttons[0].Text != "the a" {
		t.Error("the chosen value isn't shown")
	}
	if b.Cursor() != desktop.DefaultCursor || s.Cursor() != desktop.PointerCursor || seg.buttons[0].Cursor() != desktop.DefaultCursor {
		t.Error("the pointer doesn't show what can be pressed")
	}
	b.Enable()
	if b.Cursor() != desktop.PointerCursor {
		t.Error("the pointer doesn't show a button that can be pressed")
	}
}

func TestSwatchesShowTheirColours(t *testing.T) {
	newTestApp(t)
	s := NewSwatches([]string{"green", "pink"}, func(string) {})
	hosted(t, s)
	for i, name := range []string{"green", "pink"} {
		if _, _, text := s.buttons[i].Roles(); Color(text) != Color(accentRole(name)) {
			t.Errorf("%s is shown in %v", name, Color(text))
		}
	}
}

func TestTheLookOfAButton(t *testing.T) {
	newTestApp(t)
	for _, tt := range []struct {
		name             string
		kind             ButtonKind
		do               func(b *Button)
		fill, line, text fyne.ThemeColorName
	}{
		{"plain", ButtonPlain, func(*Button) {}, RoleCard, RoleLine, RoleText},
		{"primary", ButtonPrimary, func(*Button) {}, RoleAccent, RoleNone, RoleOnAccent},
		{"primary with the focus", ButtonPrimary, func(b *Button) { b.FocusGained() }, RoleAccent, RoleText, RoleOnAccent},
		{"primary that is off", ButtonPrimary, func(b *Button) { b.Disable() }, RoleCard, RoleLine, RoleFaint},
		{"stop", ButtonDanger, func(*Button) {}, RoleCard, RoleLine, RoleHot},
		{"a pill under the pointer", ButtonPill, func(b *Button) { b.MouseIn(nil); b.MouseMoved(nil) }, RoleWindow, RoleLine, RoleText},
		{"a pill after it", ButtonPill, func(b *Button) { b.MouseIn(nil); b.MouseOut() }, RoleWindow, RoleLine, RoleMuted},
		{"a link", ButtonLink, func(*Button) {}, RoleNone, RoleNone, RoleAccent},
		{"a row under the pointer", ButtonRow, func(b *Button) { b.MouseIn(nil) }, RoleHover, RoleNone, RoleText},
		{"the chosen row", ButtonRow, func(b *Button) { b.SetSelected(true) }, RoleAccentSoft, RoleNone, RoleText},
		{"a chosen colour", ButtonPlain, func(b *Button) { b.Tone = RoleWarn; b.SetSelected(true) }, RoleAccentSoft, RoleLine, RoleWarn},
		{"an unknown kind", ButtonKind(99), func(*Button) {}, RoleNone, RoleNone, RoleText},
	} {
		b := NewButton(tt.kind, "text", nil)
		tt.do(b)
		if fill, line, text := b.Roles(); fill != tt.fill || line != tt.line || text != tt.text {
			t.Errorf("%s: %q, %q, %q, want %q, %q, %q", tt.name, fill, line, text, tt.fill, tt.line, tt.text)
		}
	}
}

func TestAButtonShowsItsText(t *testing.T) {
	newTestApp(t)
	row := NewButton(ButtonRow, "a session with a long title", nil)
	row.Trailing = "3"
	hosted(t, row)
	row.Resize(fyne.NewSize(100, 30))
	texts, _ := drawn(row)
	if got := texts[0].Text; got == row.Text || got == "" || texts[0].Position().X+texts[0].Size().Width > texts[1].Position().X {
		t.Errorf("%q is drawn beside %q", got, texts[1].Text)
	}
	if min := row.MinSize(); min.Width > 60 {
		t.Errorf("a row needs %v", min)
	}
	row.SetText("short")
	if texts, _ := drawn(row); texts[0].Text != "short" || texts[1].Text != "3" || texts[1].Color != Color(RoleAccent) {
		t.Errorf("drawn: %q, %q", texts[0].Text, texts[1].Text)
	}
	pill := NewButton(ButtonPill, "model", nil)
	hosted(t, pill)
	if _, rects := drawn(pill); rects[0].CornerRadius != rects[0].Size().Height/2 {
		t.Errorf("the ends of a pill have a radius of %g", rects[0].CornerRadius)
	}
}

// The actions of a message are drawn together: under the pointer, with the focus, or always.
func TestActionsAreShownTogether(t *testing.T) {
	newTestApp(t)
	g := &HoverGroup{}
	a, b := g.Add("Copy", nil), g.Add("Edit", nil)
	hosted(t, Line(4, -1, a, b))
	shown := func(what string, want bool) {
		t.Helper()
		for _, x := range []*Button{a, b} {
			if texts, _ := drawn(x); (texts[0].Color != color.Transparent) != want || g.Visible() != want {
				t.Errorf("%s: %s is drawn in %v, want it shown: %t", what, x.Text, texts[0].Color, want)
			}
		}
	}
	shown("at rest", false)
	g.Show(true)
	g.Show(true)
	shown("under the pointer", true)
	g.Show(false)
	a.FocusGained()
	shown("with the focus on one", true)
	a.FocusLost()
	shown("after it", false)
	b.MouseIn(nil)
	shown("with the pointer on one", true)
	b.MouseOut()
	g.Pinned = true
	g.Refresh()
	shown("pinned", true)
	var none *HoverGroup
	none.Show(true)
	if !none.Visible() {
		t.Error("a button without a group isn't shown")
	}
}

// The confirmation of a press ends by itself, on the UI goroutine.
func TestACopyIsConfirmedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := NewCopy(func() {}), &laterHost{later: make(chan func(), 1)}
		newTestApp(t).NewWindow("").SetContent(NewRoot(h, layout.NewStackLayout(), b))
		b.Tapped(nil)
		time.Sleep(confirmTime - time.Millisecond)
		synctest.Wait()
		if b.words() == b.Text || len(h.later) != 0 {
			t.Fatal("it isn't confirmed long enough")
		}
		(<-h.later)()
		if b.words() != b.Text {
			t.Errorf("it says %q", b.words())
		}
	})
}

// laterHost gives the test what is to run on the UI goroutine.
type laterHost struct {
	recordingHost
	later chan func()
}

func (h *laterHost) Do(f func()) { h.later <- f }

func TestAGaugeIsFilledToItsFraction(t *testing.T) {
	newTestApp(t)
	g := NewGauge(80)
	hosted(t, g)
	for _, tt := range []struct {
		fraction float64
		role     fyne.ThemeColorName
		width    float32
	}{{0, RoleAccent, 0}, {0.25, RoleAccent, 20}, {0.25, RoleHot, 20}, {0.25, RoleHot, 20}, {7, RoleHot, 80}, {-1, RoleHot, 0}} {
		g.Resize(fyne.NewSize(80, 20))
		g.Set(tt.fraction, tt.role)
		if _, rects := drawn(g); rects[1].Size().Width != tt.width || rects[1].FillColor != Color(tt.role) || rects[0].Size().Width != 80 {
			t.Errorf("%v: %v of %v, in %v", tt.fraction, rects[1].Size(), rects[0].Size(), rects[1].FillColor)
		}
	}
	if g.MinSize() != fyne.NewSize(80, 4) {
		t.Errorf("it needs %v", g.MinSize())
	}
}

func TestALabelIsShortenedAndCannotBeReversed(t *testing.T) {
	newTestApp(t)
	for _, l := range []*Label{Text(""), Muted(""), Small(""), Bold(""), Title("")} {
		hosted(t, l)
		l.SetText("photo\u202egpj.exe")
		if texts, _ := drawn(l); texts[0].Text != "photogpj.exe" {
			t.Errorf("drawn: %q", texts[0].Text)
		}
	}
	l := NewLabel("a long line of text 日本語", RoleText, SizeText)
	hosted(t, l)
	whole := l.MinSize().Width
	l.Squeezable()
	for _, width := range []float32{whole, whole - 20, 60, 20, 1, 0} {
		l.Resize(fyne.NewSize(width, 20))
		texts, _ := drawn(l)
		got := texts[0].Text
		if end := MeasureText(got, SizeText, fyne.TextStyle{}).Width; end > width+1 || (got == l.Text) != (width == whole) {
			t.Errorf("in %g: %q, %g wide", width, got, end)
		}
	}
	l.Set("now", RoleHot)
	l.Resize(fyne.NewSize(100, 20))
	if texts, _ := drawn(l); texts[0].Text != "now" || texts[0].Color != Color(RoleHot) {
		t.Errorf("drawn: %q in %v", texts[0].Text, texts[0].Color)
	}
}

func TestASurfaceShowsItsRoles(t *testing.T) {
	newTestApp(t)
	s := NewSurface(RoleCard, RoleNone, 6)
	hosted(t, s)
	_, rects := drawn(s)
	if rects[0].FillColor != Color(RoleCard) || rects[0].StrokeWidth != 0 || rects[0].CornerRadius != 6 {
		t.Errorf("%v %v %v, %v", rects[0].FillColor, rects[0].StrokeColor, rects[0].StrokeWidth, Color(RoleCard))
	}
	s.Set(RoleNone, RoleWarn)
	s.Set(RoleNone, RoleWarn)
	_, rects = drawn(s)
	if rects[0].FillColor != color.Transparent || rects[0].StrokeWidth != 1 || rects[0].StrokeColor != Color(RoleWarn) {
		t.Errorf("%v %v %v, %v", rects[0].FillColor, rects[0].StrokeColor, rects[0].StrokeWidth, Color(RoleCard))
	}
	if NewDot(RoleHot).Fill != RoleHot || Hairline().MinSize() != fyne.NewSize(1, 1) || s.MinSize() != (fyne.Size{}) {
		t.Error("a dot, a line or a surface isn't as large as it should be")
	}
}

// Text of the bundled font and other text alternate; spaces go with what follows.
func TestSameFont(t *testing.T) {
	for text, want := range map[string]string{"plain": "plain", "hot 🔥 now": "hot", " 🔥 now": " 🔥", "风扇 x": "风扇", "  ": "  ", "": ""} {
		if got := text[:SameFont(text)]; got != want {
			t.Errorf("%q begins with %q in one font, want %q", text, got, want)
		}
	}
}

func TestTheThemeFollowsTheLook(t *testing.T) {
	app := newTestApp(t)
	base := theme.DefaultTheme()
	for _, tt := range []struct {
		look        Look
		text, dense float32
	}{
		{Look{}, 1, 1},
		{Look{TextSize: 2 * SizeText, Compact: true, HighContrast: true, Accent: "pink"}, 2, compactDensity},
		{Look{Variant: "light"}, 1, 1},
		{Look{Variant: "dark"}, 1, 1},
	} {
		th := NewTheme(tt.look)
		app.Settings().SetTheme(th)
		if TextScale() != tt.text || Density() != tt.dense {
			t.Errorf("%+v: text %g, density %g", tt.look, TextScale(), Density())
		}
		if same := th.Color(RoleText, theme.VariantLight) == th.Color(RoleText, theme.VariantDark); same != (tt.look.Variant != "") {
			t.Errorf("%+v: light and dark are the same: %t", tt.look, same)
		}
		for _, name := range []fyne.ThemeSizeName{theme.SizeNameText, theme.SizeNameCaptionText, theme.SizeNameSubHeadingText, theme.SizeNameHeadingText, theme.SizeNamePadding, theme.SizeNameInnerPadding, theme.SizeNameInputRadius, theme.SizeNameCardRadius, theme.SizeNameScrollBar, theme.SizeNameScrollBarSmall, theme.SizeNameSeparatorThickness, theme.SizeNameInlineIcon} {
			if th.Size(name) <= 0 {
				t.Errorf("%s is %g", name, th.Size(name))
			}
		}
		if got := th.Size(theme.SizeNameText); got != SizeText*tt.text {
			t.Errorf("text is %g", got)
		}
		// Fyne's own widgets look like ours, and none is invisible by accident.
		for name, want := range map[fyne.ThemeColorName]fyne.ThemeColorName{
			theme.ColorNameMenuBackground: RoleCard, theme.ColorNameButton: RoleLine, theme.ColorNamePlaceHolder: RoleMuted, theme.ColorNameFocus: RoleAccentSoft,
			theme.ColorNameHyperlink: RoleAccent, theme.ColorNameHeaderBackground: RolePanel,
		} {
			if got := th.Color(name, theme.VariantDark); got != th.Color(want, theme.VariantDark) {
				t.Errorf("%s is %v", name, got)
			}
		}
		for _, name := range []fyne.ThemeColorName{theme.ColorNameInputBackground, theme.ColorNameInputBorder, theme.ColorNameScrollBarBackground} {
			if th.Color(name, theme.VariantLight) != color.Transparent {
				t.Errorf("%s can be seen", name)
			}
		}
		if th.Color("no such colour", theme.VariantLight) != base.Color("no such colour", theme.VariantLight) || th.Font(fyne.TextStyle{Bold: true}) != base.Font(fyne.TextStyle{Bold: true}) {
			t.Error("what is not ours is not Fyne's")
		}
	}
	test.ApplyTheme(t, test.NewTheme())
	if TextScale() != 1 || Density() != 1 {
		t.Errorf("in another theme: text %g, density %g", TextScale(), Density())
	}
}
