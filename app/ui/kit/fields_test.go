package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"github.com/google/go-cmp/cmp"
)

func TestAFieldByKeys(t *testing.T) {
	newTestApp(t)
	f, left := NewField(), 0
	f.SetEscape(func() { left++ })
	_, c := hosted(t, f)
	var focus []bool
	f.OnFocus = func(on bool) { focus = append(focus, on) }
	changed := 0
	f.OnChanged = func(string) { changed++ }
	f.Put("put")
	if f.Text != "put" || changed != 0 {
		t.Errorf("put: %q, reported %d times", f.Text, changed)
	}
	c.Focus(f)
	f.TypedRune('x')
	key(c, fyne.KeyEscape, fyne.KeyLeft)
	f.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftRight})
	f.KeyUp(&fyne.KeyEvent{Name: fyne.KeyA})
	held := f.Shift
	f.KeyUp(&fyne.KeyEvent{Name: desktop.KeyShiftRight})
	c.Unfocus()
	if changed != 1 || left != 1 || !held || f.Shift || !cmp.Equal(focus, []bool{true, false}) {
		t.Errorf("changed %d times, left %d times, Shift held %t, then %t, focus %v", changed, left, held, f.Shift, focus)
	}
	if f.AcceptsTab() {
		t.Error("Tab doesn't leave a field")
	}
	if f.Tabs = true; !f.AcceptsTab() {
		t.Error("Tab leaves a field that takes it")
	}
}

// A field scrolls into view for the keyboard; what is clicked doesn't move.
func TestAFieldIsRevealedForTheKeyboardOnly(t *testing.T) {
	newTestApp(t)
	for name, fields := range map[string]func() (fyne.CanvasObject, *Field){
		"a line":  func() (fyne.CanvasObject, *Field) { f := NewLineField("", "Add"); return f, f.Entry },
		"a value": func() (fyne.CanvasObject, *Field) { f := NewValueField("", func(string) {}); return f, f.Entry },
		"a text":  func() (fyne.CanvasObject, *Field) { f := NewTextBox("a"); return f, f.Entry },
	} {
		o, f := fields()
		h, c := hosted(t, o)
		c.Focus(f)
		c.Unfocus()
		if diff := cmp.Diff([]string{"reveal"}, h.calls); diff != "" {
			t.Errorf("%s, by Tab (-want +got):\n%s", name, diff)
		}
		f.MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary})
		c.Focus(f)
		if f.byMouse = true; len(h.calls) > 2 {
			t.Errorf("%s, by a click: %q", name, h.calls)
		}
	}
}

func TestTheMenuOfAField(t *testing.T) {
	newTestApp(t)
	f := NewField()
	_, c := hosted(t, f)
	fyne.CurrentApp().Clipboard().SetContent("from elsewhere")
	choose := func(nth int) {
		t.Helper()
		test.TapSecondary(f)
		p, ok := c.Overlays().Top().(*menuPopUp)
		if !ok {
			t.Fatal("no menu of ours is open")
		}
		p.TypedRune('x') // nothing is typed into the field below
		for range nth {
			key(c, fyne.KeyDown)
		}
		key(c, fyne.KeyReturn)
		if c.Overlays().Top() != nil || c.Focused() != fyne.Focusable(f) {
			t.Errorf("after the choice %T has the focus", c.Focused())
		}
	}
	choose(5) // undo, redo, cut, copy, paste
	if f.Text != "from elsewhere" {
		t.Errorf("pasted is %q", f.Text)
	}
	choose(6) // select all
	choose(3)
	if f.Text != "" || fyne.CurrentApp().Clipboard().Content() != "from elsewhere" {
		t.Errorf("after a cut of all: %q, on the clipboard %q", f.Text, fyne.CurrentApp().Clipboard().Content())
	}
	choose(1)
	if f.Text != "from elsewhere" {
		t.Errorf("after an undo: %q", f.Text)
	}
	f.Disable()
	test.TapSecondary(f)
	if p, ok := c.Overlays().Top().(*menuPopUp); !ok || len(p.menu.Items) != 2 {
		t.Error("what can only be read can't be copied, or can be changed")
	} else {
		test.WidgetRenderer(p).Refresh()
		p.close()
	}
	test.TapSecondary(NewField()) // in no window
}

func TestAMenuOpensBelowItsButton(t *testing.T) {
	newTestApp(t)
	b := NewButton(ButtonPill, "Model", nil)
	_, c := hosted(t, Stack(0, b))
	ShowMenu(fyne.NewMenu("", fyne.NewMenuItem("One", func() {})), b, c)
	p := c.Overlays().Top().(*menuPopUp)
	if want := fyne.CurrentApp().Driver().AbsolutePositionForObject(b).AddXY(0, b.Size().Height+Gap4); p.at != want {
		t.Errorf("it is at %v, want %v", p.at, want)
	}
	look := flatTheme{}
	if look.Color(theme.ColorNameShadow, 0) == Color(theme.ColorNameShadow) || look.Color(RoleText, theme.VariantDark) != (themeNow{}).Color(RoleText, theme.VariantDark) {
		t.Error("the menu is drawn in another theme than the rest, or with a second shadow")
	}
	if look.Font(fyne.TextStyle{}) != look.now().Font(fyne.TextStyle{}) || look.Icon(theme.IconNameCancel) != look.now().Icon(theme.IconNameCancel) || look.Size(theme.SizeNamePadding) != Gap4 {
		t.Error("the menu has another font, icon or padding than the rest")
	}
}

func TestALineIsSubmitted(t *testing.T) {
	newTestApp(t)
	f := NewLineField("Add a lesson", "Add")
	var got []string
	_, c := hosted(t, f)
	c.Focus(f.Entry)
	key(c, fyne.KeyReturn) // nobody takes it
	f.OnSubmit = func(text string) { got = append(got, text) }
	for _, tt := range []struct {
		text    string
		enabled bool
	}{{"  ", false}, {" likes tea ", true}} {
		f.Entry.SetText(tt.text)
		if f.Button.Disabled() == tt.enabled {
			t.Errorf("%q can be submitted: %t", tt.text, !tt.enabled)
		}
		key(c, fyne.KeyReturn)
	}
	test.Tap(f.Button)
	if diff := cmp.Diff([]string{"likes tea", "likes tea"}, got); diff != "" {
		t.Errorf("submitted (-want +got):\n%s", diff)
	}
	f.Clear("another text")
	kept := f.Entry.Text
	f.Clear("likes tea")
	if kept != " likes tea " || f.Entry.Text != "" {
		t.Errorf("cleared after another text: %q, after its own: %q", kept, f.Entry.Text)
	}
	f.Resize(fyne.NewSize(300, f.Measure(300)))
	if end := f.Button.Position().X + f.Button.Size().Width; end > 300 || f.Entry.Size().Width > f.Button.Position().X {
		t.Errorf("the field is %v wide, its button at %v", f.Entry.Size(), f.Button.Position())
	}
	c.Focus(f.Entry)
	if f.MinSize().Width != 120 || f.box.Stroke != RoleAccent {
		t.Errorf("it needs %v and has a line of %s", f.MinSize(), f.box.Stroke)
	}
}

func TestAValueIsTakenOnceAndRestored(t *testing.T) {
	newTestApp(t)
	var got []string
	f := NewValueField("port", func(v string) { got = append(got, v) })
	typed := 0
	f.OnChange = func(string) { typed++ }
	_, c := hosted(t, f)
	f.SetValue("11434", false)
	c.Focus(f.Entry)
	c.Unfocus() // unchanged
	c.Focus(f.Entry)
	f.Entry.SetText("80")
	key(c, fyne.KeyEscape)
	if f.Entry.Text != "11434" {
		t.Errorf("Esc leaves %q", f.Entry.Text)
	}
	f.Entry.SetText(" 81 ")
	f.SetValue("11434", false) // the file was read again meanwhile
	if f.Entry.Text != " 81 " {
		t.Errorf("what is typed was replaced by %q", f.Entry.Text)
	}
	key(c, fyne.KeyReturn, fyne.KeyLeft)
	f.SetValue("81", false)
	f.Entry.SetText("82")
	c.Unfocus()
	f.SetValue("90", true)
	if diff := cmp.Diff([]string{"81", "82"}, got); diff != "" {
		t.Errorf("taken (-want +got):\n%s", diff)
	}
	if f.Entry.Text != "90" || !f.Entry.Disabled() || typed == 0 || f.Measure(0) != f.MinSize().Height {
		t.Errorf("it shows %q, locked %t, %d changes", f.Entry.Text, f.Entry.Disabled(), typed)
	}
}

func TestEscClearsAFilter(t *testing.T) {
	newTestApp(t)
	f := NewFieldRow("Filter", "disk")
	h, c := hosted(t, f)
	c.Focus(f.Entry)
	key(c, fyne.KeyEscape)
	if f.Entry.Text != "" {
		t.Errorf("Esc leaves %q", f.Entry.Text)
	}
	h.calls = nil
	key(c, fyne.KeyEscape)
	if diff := cmp.Diff([]string{"key Escape"}, h.calls); diff != "" {
		t.Errorf("a second Esc (-want +got):\n%s", diff)
	}
}

func TestATextBoxShowsThatItHasTheFocus(t *testing.T) {
	newTestApp(t)
	b := NewTextBox("one\ntwo")
	_, c := hosted(t, b)
	c.Focus(b.Entry)
	on := b.box.Stroke
	c.Unfocus()
	if on != RoleAccent || b.box.Stroke != RoleLine || b.Entry.Text != "one\ntwo" || b.Measure(200) < 3*SizeText {
		t.Errorf("its line is %s with the focus, %s without; %q, %g high", on, b.box.Stroke, b.Entry.Text, b.Measure(200))
	}
	if look := (barlessTheme{}); look.Color(theme.ColorNameScrollBar, 0) == Color(theme.ColorNameScrollBar) || look.Color(RoleText, theme.VariantDark) != (themeNow{}).Color(RoleText, theme.VariantDark) {
		t.Error("a field of one line has a scroll bar, or other colours")
	}
}

// A widget in none of our windows works, without one to pass keys to.
func TestWithoutAHost(t *testing.T) {
	newTestApp(t)
	pressed := 0
	b := NewButton(ButtonPlain, "Save", func() { pressed++ })
	w := test.NewTempWindow(t, b)
	w.Canvas().Focus(b)
	b.TypedRune('x')
	key(w.Canvas(), fyne.KeySpace, fyne.KeyEscape, fyne.KeyF1)
	f := NewField()
	w.SetContent(f)
	w.Canvas().Focus(f)
	f.TypedRune('y')
	f.TypedShortcut(&fyne.ShortcutSelectAll{})
	HostOf(f).Remeasure(nil)
	if pressed != 1 || f.SelectedText() != "y" {
		t.Errorf("pressed %d times, selected %q", pressed, f.SelectedText())
	}
}
