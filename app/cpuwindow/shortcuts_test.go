package cpuwindow

import (
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/app/ui/screentest"
)

func TestShortcuts_areBoundAsConfigured(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.set("shortcuts.settings", "Ctrl+Alt+S F5")
		b.shown()
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.Settle()
		if b.w.commands.keys.Run(&desktop.CustomShortcut{KeyName: fyne.KeyComma, Modifier: fyne.KeyModifierShortcutDefault}) {
			t.Error("the old shortcut still does something")
		}
		if !b.w.commands.keys.Run(&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl | fyne.KeyModifierAlt}) || b.w.panes.page != pageSettings {
			t.Error("the new shortcut does nothing")
		}
		b.w.showPage(pageChat)
		b.w.chat.Compose.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF5})
		if b.w.panes.page != pageSettings {
			t.Error("F5 in the composer does nothing")
		}
		b.set("shortcuts.settings", "Mod+,")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.Settle()
		if b.w.commands.keys.RunKey(&fyne.KeyEvent{Name: fyne.KeyF5}) {
			t.Error("F5 is still bound after a reload")
		}
	})
}

func TestShortcuts_list(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.commands.keys.RunKey(&fyne.KeyEvent{Name: fyne.KeyF1})
		l := b.w.commands.list
		if l == nil {
			t.Fatal("F1 opens nothing")
		}
		if want := len(b.w.commands.actions()); len(l.Port.Rows) < want {
			t.Errorf("%d rows for %d actions", len(l.Port.Rows), want)
		}
		test.Type(l.Entry, "zoom in")
		if len(l.Port.Rows) != 1 {
			t.Errorf("%d rows are found", len(l.Port.Rows))
		}
		l.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		b.inFile("zoom = 110")
		if b.w.commands.list != nil {
			t.Error("the list stays open")
		}
	})
}

func TestShortcuts_everyActionHasASetting(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		names := map[string]bool{}
		for _, a := range b.w.commands.actions() {
			names["shortcuts."+a.Name] = true
			if len(shortcuts.Of(config.Default(), a.Name)) == 0 {
				t.Errorf("%s has no shortcut", a.Name)
			}
		}
		for _, s := range config.Settings() {
			if s.Kind == config.KindShortcut && !names[s.Key] {
				t.Errorf("%s is of no action", s.Key)
			}
		}
	})
}

func TestAppearance(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.set("window.theme", "light")
		b.set("window.text_size", "20")
		b.set("window.density", "compact")
		b.set("window.zoom", "200")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.Settle()
		if got, want := kit.Color(kit.RoleWindow), kit.NewTheme(kit.Look{}).Color(kit.RoleWindow, theme.VariantLight); got != want {
			t.Errorf("the window is %v, want light", got)
		}
		if kit.TextScale() < 1.5 || kit.Density() >= 1 {
			t.Errorf("text × %g, density %g", kit.TextScale(), kit.Density())
		}
		if os.Getenv(envScale) != "2.00" {
			t.Errorf("scale = %s", os.Getenv(envScale))
		}
		p := prose.New([]prose.Run{{Text: "one line"}}, kit.SizeText, kit.RoleText)
		if h := p.Measure(500); h < 30 {
			t.Errorf("a line of larger text is %g high", h)
		}
		b.w.End() // the programs started next must not be zoomed
		if got := os.Getenv(envScale); got != "1" {
			t.Errorf("afterwards the scale is %s", got)
		}
	})
}

// inFile fails the test unless config.toml contains want.
func (b *bench) inFile(want string) {
	b.t.Helper()
	data, err := os.ReadFile(b.conffile())
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	if !strings.Contains(string(data), want) {
		b.t.Errorf("config.toml has no %q:\n%s", want, data)
	}
}

func TestTheFootOfTheShortcutsFitsTheNarrowestWindow(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.win.Resize(fyne.NewSize(340, 700))
		b.w.commands.toggleList()
		b.Settle()
		hint := b.w.commands.list.Hint
		german, _ := translations(t)["de"][hint.Text].(string)
		for _, text := range []string{hint.Text, german} {
			if need := kit.MeasureText(text, hint.TextSize, hint.Style).Width; text == "" || need > hint.Size().Width {
				t.Errorf("%q needs %g and has %g", text, need, hint.Size().Width)
			}
		}
	})
}
