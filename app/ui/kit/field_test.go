package kit

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"github.com/google/go-cmp/cmp"
)

// recordingHost records what a widget passes on.
type recordingHost struct{ calls []string }

func (h *recordingHost) Do(f func()) { f() }
func (h *recordingHost) RunKey(k *fyne.KeyEvent) bool {
	h.calls = append(h.calls, "key "+string(k.Name))
	return k.Name == fyne.KeyF1
}

func (h *recordingHost) RunShortcut(s fyne.Shortcut) bool {
	h.calls = append(h.calls, s.ShortcutName())
	return false
}
func (h *recordingHost) Typed(r rune)             { h.calls = append(h.calls, "letter "+string(r)) }
func (h *recordingHost) Escape()                  { h.calls = append(h.calls, "escape") }
func (h *recordingHost) Reveal(fyne.CanvasObject) { h.calls = append(h.calls, "reveal") }
func (h *recordingHost) Remeasure(Row)            { h.calls = append(h.calls, "remeasure") }

// hosted puts an object into a window with a host.
func hosted(t *testing.T, o fyne.CanvasObject) (*recordingHost, fyne.Canvas) {
	t.Helper()
	h, w := &recordingHost{}, newTestApp(t).NewWindow("")
	w.SetContent(NewRoot(h, layout.NewStackLayout(), o))
	w.Resize(fyne.NewSize(300, 100))
	return h, w.Canvas()
}

func TestAFieldPassesOnWhatItCantUse(t *testing.T) {
	f := NewField()
	f.OnKey = func(k *fyne.KeyEvent) bool { return k.Name == fyne.KeyUp }
	h, c := hosted(t, f)
	c.Focus(f)
	for _, name := range []fyne.KeyName{fyne.KeyUp, fyne.KeyF1, fyne.KeyEnd} {
		f.TypedKey(&fyne.KeyEvent{Name: name})
	}
	f.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyK, Modifier: fyne.KeyModifierControl})
	want := []string{"key F1", "key End", "CustomDesktop:Control+K"}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Errorf("handed on (-want +got):\n%s", diff)
	}
}

func TestAFieldOwnsTheShortcutsItTakes(t *testing.T) {
	f, saved := NewField(), 0
	f.OnShortcut = func(fyne.Shortcut) bool { saved++; return true }
	h, c := hosted(t, f)
	c.Focus(f)
	f.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl})
	if saved != 1 || len(h.calls) != 0 {
		t.Errorf("taken %d times, handed on %q", saved, h.calls)
	}
}

func TestAFieldForgetsShiftWhenItLosesTheFocus(t *testing.T) {
	f := NewField()
	_, c := hosted(t, f)
	c.Focus(f)
	f.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	if !f.Shift {
		t.Error("a Shift that is held is not seen")
	}
	c.Unfocus()
	if f.Shift {
		t.Error("a Shift let go elsewhere is still held")
	}
}

func TestAButtonPassesOnLettersAndEsc(t *testing.T) {
	pressed := 0
	b := NewButton(ButtonPlain, "Save", func() { pressed++ })
	h, c := hosted(t, b)
	c.Focus(b)
	b.TypedRune('x')
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if pressed != 1 || !slices.Equal(h.calls, []string{"reveal", "letter x", "escape"}) {
		t.Errorf("pressed %d times, handed on %q", pressed, h.calls)
	}
}

// Ctrl+Home and Ctrl+End work as in every editor, with Shift to select.
func TestKeysReachTheEndsOfAText(t *testing.T) {
	ctrl := func(key fyne.KeyName) fyne.Shortcut {
		return &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierControl}
	}
	f := NewTextArea()
	_, c := hosted(t, f)
	c.Focus(f)
	f.SetText("# Memory\n\nlikes tea")
	f.TypedShortcut(ctrl(fyne.KeyEnd))
	f.TypedRune('!')
	f.TypedShortcut(ctrl(fyne.KeyHome))
	f.TypedRune('>')
	if want := "># Memory\n\nlikes tea!"; f.Text != want {
		t.Errorf("typed at the ends: %q, want %q", f.Text, want)
	}
	f.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	f.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyEnd, Modifier: fyne.KeyModifierControl | fyne.KeyModifierShift})
	if got := f.SelectedText(); got != "# Memory\n\nlikes tea!" {
		t.Errorf("selected by Ctrl+Shift+End: %q", got)
	}
}

func TestADisabledSignLooksDisabled(t *testing.T) {
	b := NewButton(ButtonQuiet, "›", nil)
	hosted(t, b)
	_, _, enabled := b.Roles()
	b.Disable()
	_, _, disabled := b.Roles()
	for _, variant := range []fyne.ThemeVariant{theme.VariantLight, theme.VariantDark} {
		p := NewTheme(Look{}).(*appTheme).palette(variant)
		if c := contrast(p[enabled], p[disabled]); c < 2 {
			t.Errorf("variant %d: %s and %s differ only by %.2f", variant, enabled, disabled, c)
		}
	}
}

func TestCopyIsConfirmedInItsPlace(t *testing.T) {
	copied := 0
	b := NewCopy(func() { copied++ })
	hosted(t, b)
	words, room := b.words(), b.MinSize()
	if written := MeasureText(words, SizeSmall, fyne.TextStyle{}).Width; room.Width != written {
		t.Errorf("%q is %v wide and takes %v", words, written, room.Width)
	}
	b.Tapped(nil)
	if b.words() == words || copied != 1 {
		t.Errorf("pressed: it says %q, copied %d times", b.words(), copied)
	}
	if written := MeasureText(b.words(), SizeSmall, fyne.TextStyle{}).Width; b.MinSize().Width != written {
		t.Errorf("%q is %v wide and takes %v", b.words(), written, b.MinSize().Width)
	}
	b.Tapped(nil)
	b.confirm(-1) // the first press's confirmation is over, the second's isn't
	if b.words() == words {
		t.Error("a second press is not confirmed for as long as the first")
	}
	b.confirm(-1)
	if b.words() != words || b.MinSize() != room {
		t.Errorf("afterwards it says %q in %v, before %q in %v", b.words(), b.MinSize(), words, room)
	}
}
