package kit

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"github.com/google/go-cmp/cmp"
)

// toldHost records what a widget passes on.
type toldHost struct{ told []string }

func (h *toldHost) Do(f func()) { f() }
func (h *toldHost) RunKey(k *fyne.KeyEvent) bool {
	h.told = append(h.told, "key "+string(k.Name))
	return k.Name == fyne.KeyF1
}

func (h *toldHost) RunShortcut(s fyne.Shortcut) bool {
	h.told = append(h.told, s.ShortcutName())
	return false
}
func (h *toldHost) Typed(r rune)             { h.told = append(h.told, "letter "+string(r)) }
func (h *toldHost) Escape()                  { h.told = append(h.told, "escape") }
func (h *toldHost) Reveal(fyne.CanvasObject) { h.told = append(h.told, "reveal") }
func (h *toldHost) Remeasure(Row)            { h.told = append(h.told, "remeasure") }

// hosted puts an object into a window with a host.
func hosted(t *testing.T, o fyne.CanvasObject) (*toldHost, fyne.Canvas) {
	t.Helper()
	h, w := &toldHost{}, newTestApp(t).NewWindow("")
	w.SetContent(NewRoot(h, layout.NewStackLayout(), o))
	w.Resize(fyne.NewSize(300, 100))
	return h, w.Canvas()
}

func TestAFieldHandsOnWhatItCantUse(t *testing.T) {
	f := NewField()
	f.OnKey = func(k *fyne.KeyEvent) bool { return k.Name == fyne.KeyUp }
	h, c := hosted(t, f)
	c.Focus(f)
	for _, name := range []fyne.KeyName{fyne.KeyUp, fyne.KeyF1, fyne.KeyEnd} {
		f.TypedKey(&fyne.KeyEvent{Name: name})
	}
	f.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyK, Modifier: fyne.KeyModifierControl})
	want := []string{"key F1", "key End", "CustomDesktop:Control+K"}
	if diff := cmp.Diff(want, h.told); diff != "" {
		t.Errorf("handed on (-want +got):\n%s", diff)
	}
}

func TestAFieldOwnsTheShortcutsItTakes(t *testing.T) {
	f, saved := NewField(), 0
	f.OnShortcut = func(fyne.Shortcut) bool { saved++; return true }
	h, c := hosted(t, f)
	c.Focus(f)
	f.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl})
	if saved != 1 || len(h.told) != 0 {
		t.Errorf("taken %d times, handed on %q", saved, h.told)
	}
}

func TestAFieldForgetsShiftWhereItLosesTheFocus(t *testing.T) {
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

func TestAButtonHandsOnLettersAndEsc(t *testing.T) {
	pressed := 0
	b := NewButton(ButtonPlain, "Save", func() { pressed++ })
	h, c := hosted(t, b)
	c.Focus(b)
	b.TypedRune('x')
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if pressed != 1 || !slices.Equal(h.told, []string{"reveal", "letter x", "escape"}) {
		t.Errorf("pressed %d times, handed on %q", pressed, h.told)
	}
}

// Ctrl+Home and Ctrl+End work as in every editor, with Shift to select.
func TestTheEndsOfATextAreReachedByKey(t *testing.T) {
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

func TestCopyIsConfirmedInItsPlace(t *testing.T) {
	copied := 0
	b := NewCopy(func() { copied++ })
	hosted(t, b)
	words, room := b.words(), b.MinSize()
	b.Tapped(nil)
	if b.words() == words || copied != 1 {
		t.Errorf("pressed: it says %q, copied %d times", b.words(), copied)
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
