package shortcuts

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/config"
	"mac-stats/app/ui/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m, "../../../assets") }

// host is the window that the list is over.
type host struct {
	*screentest.Screen
	keys []string // keys and shortcuts passed on to it
}

func (h *host) RunKey(k *fyne.KeyEvent) bool { h.keys = append(h.keys, string(k.Name)); return true }

func (h *host) RunShortcut(s fyne.Shortcut) bool {
	h.keys = append(h.keys, s.ShortcutName())
	return true
}

// opened returns an open list of three actions, which are counted by their names.
func opened(t *testing.T) (h *host, l *List, did map[string]int) {
	t.Helper()
	h, did = &host{Screen: screentest.New(t)}, map[string]int{}
	h.Win = test.NewTempWindow(t, widget.NewLabel(""))
	h.Win.Resize(fyne.NewSize(600, 500))
	now := config.Default()
	now.Shortcuts.ZoomIn = "Mod+Plus Mod+9"
	now.Shortcuts.Stop = ""
	var actions []Action
	for _, a := range [][2]string{{"new_chat", "New chat"}, {"zoom_in", "Zoom in"}, {"stop", "Stop"}} {
		actions = append(actions, Action{Name: a[0], Title: a[1], Run: func() { did[a[0]]++ }})
	}
	return h, Open(h, actions, now, func() { did["closed"]++ }), did
}

func TestTheListIsSearchedAndRuns(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		h, l, did := opened(t)
		h.Sees("New chat", "Zoom in", "Send", "Enter", "Shift+Enter", "none", "Change them in Settings or config.toml")
		all := len(l.Port.Rows)
		key := func(name fyne.KeyName) { l.Entry.TypedKey(&fyne.KeyEvent{Name: name}); h.Settle() }
		key(fyne.KeyReturn) // nothing is looked for
		if did["closed"] != 0 {
			t.Fatal("Enter alone closes it")
		}
		test.Type(l.Entry, "in ZOOM")
		if len(l.Port.Rows) != 1 {
			t.Errorf("%d of %d are found", len(l.Port.Rows), all)
		}
		l.Entry.SetText("shift")
		h.Sees("New line")
		h.SeesNot("Zoom in")
		l.Entry.SetText("nothing like it")
		key(fyne.KeyReturn)
		if did["closed"] != 0 || len(l.Port.Rows) != 0 {
			t.Errorf("closed %d times, %d rows", did["closed"], len(l.Port.Rows))
		}
		l.Entry.SetText("zoom")
		key(fyne.KeyDown)
		key(fyne.KeyReturn)
		if did["zoom_in"] != 1 || did["closed"] != 1 || h.Canvas().Overlays().Top() != nil {
			t.Errorf("done %v, still open: %v", did, h.Canvas().Overlays().Top() != nil)
		}
	})
}

func TestTheListPassesShortcutsOnAndCloses(t *testing.T) {
	for name, do := range map[string]func(l *List){
		"F1": func(l *List) { l.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF1}) },
		"a shortcut": func(l *List) {
			l.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierControl})
		},
		"Esc":   func(l *List) { l.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape}) },
		"Close": func(l *List) { l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				h, l, did := opened(t)
				do(l)
				h.Settle()
				passed := map[string]int{"F1": 1, "a shortcut": 1}[name]
				if did["closed"] != 1 || len(h.keys) != passed || h.Canvas().Overlays().Top() != nil {
					t.Errorf("closed %d times, passed on %q", did["closed"], h.keys)
				}
			})
		})
	}
}

func TestShortcutsAreBoundAsConfigured(t *testing.T) {
	screentest.New(t)
	canvas := test.NewTempWindow(t, widget.NewLabel("")).Canvas()
	did := map[string]int{}
	var actions []Action
	for _, name := range []string{"new_chat", "find", "shortcuts"} {
		actions = append(actions, Action{Name: name, Title: name, Run: func() { did[name]++ }})
	}
	now := config.Default()
	now.Shortcuts.NewChat, now.Shortcuts.Find, now.Shortcuts.Shortcuts = "Ctrl+N", "Ctrl+N Ctrl+Plus", "F1"
	var b Bindings
	if !b.Bind(canvas, actions, now) || b.Bind(canvas, actions, now) {
		t.Error("the same shortcuts are bound twice")
	}
	ctrl := func(key fyne.KeyName) *desktop.CustomShortcut {
		return &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierControl}
	}
	b.Run(ctrl(fyne.KeyN)) // the first action keeps it
	plus := &desktop.CustomShortcut{KeyName: fyne.KeyEqual, Modifier: fyne.KeyModifierControl | fyne.KeyModifierShift}
	if !b.Run(plus) || !b.RunKey(&fyne.KeyEvent{Name: fyne.KeyF1}) || b.RunKey(&fyne.KeyEvent{Name: fyne.KeyF2}) || b.Run(&fyne.ShortcutCopy{}) {
		t.Error("the wrong ones are bound")
	}
	if did["new_chat"] != 1 || did["find"] != 1 || did["shortcuts"] != 1 {
		t.Errorf("done: %v", did)
	}
	now.Shortcuts.NewChat = "Ctrl+M"
	b.Bind(canvas, actions, now)
	b.Run(ctrl(fyne.KeyN)) // find has it now
	if did["new_chat"] != 1 || did["find"] != 2 {
		t.Errorf("after a change: %v", did)
	}
}

func TestAWrongShortcutIsNone(t *testing.T) {
	c := config.Default()
	c.Shortcuts.Find = "Hyper+F"
	if got := Of(c, "find"); got != nil || First(c, "find") != "" || Of(c, "no_such_action") != nil {
		t.Errorf("the shortcuts are %v", got)
	}
}
