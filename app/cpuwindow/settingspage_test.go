package cpuwindow

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/backend"
	"mac-stats/app/config"
)

// settingsShown is a window on its settings.
func settingsShown(t *testing.T) *bench {
	b := newBench(t).shown()
	b.w.ShowSettings()
	b.settle()
	return b
}

func (b *bench) row(key string) *settingRow {
	b.t.Helper()
	r := b.w.settings.rows[key]
	if r == nil {
		b.t.Fatalf("there is no row of %s", key)
	}
	return r
}

// says reports where the row does not say something below its help.
func (r *settingRow) says(t *testing.T, want string) {
	t.Helper()
	if r.note.Hidden || !strings.Contains(r.note.flat, want) {
		t.Errorf("%s says %q, want %q", r.setting.Key, r.note.flat, want)
	}
}

// inFile is the line of a key in config.toml.
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

// settingsListed are the settings on the page.
func (b *bench) settingsListed() map[string]bool {
	found := map[string]bool{}
	for _, p := range b.w.pageView.rows {
		if r, ok := p.row.(*settingRow); ok {
			found[r.setting.Key] = true
		}
	}
	return found
}

// onPage reports whether a row is among those of the page.
func (b *bench) onPage(r row) bool {
	return slices.ContainsFunc(b.w.pageView.rows, func(p *placed) bool { return p.row == r })
}

func TestSettings_everyKeyHasARow(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		for _, s := range settingSections() {
			b.w.settings.open[s.key] = true
		}
		b.w.settings.show()
		listed := b.settingsListed()
		for _, s := range config.Settings() {
			if !listed[s.Key] {
				t.Errorf("%s is not on the page", s.Key)
			}
		}
	})
}

func TestSettings_simpleOnesFirst(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		listed := b.settingsListed()
		if !listed["window.theme"] || !listed["ollama.host"] || listed["compaction.threshold"] || listed["shortcuts.quit"] {
			t.Errorf("on the page: %v", listed)
		}
		if n := len(listed); n > len(config.Settings())/2 {
			t.Errorf("%d of %d settings are shown at first", n, len(config.Settings()))
		}
	})
}

func TestSettings_search(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		for _, tt := range []struct{ query, want string }{
			{"num_ctx", "ollama.num_ctx"},
			{"  DARK ", "window.theme"},
			{"MAX_SERVER_MEMORY", "memory.max_server"},
			{"lesson undo", "memory.write"},
		} {
			b.w.settings.search.field.entry.SetText(tt.query)
			if listed := b.settingsListed(); !listed[tt.want] || len(listed) > 4 {
				t.Errorf("%q finds %v, want %s", tt.query, listed, tt.want)
			}
		}
		for _, query := range []string{"index", "forget", "memory", "rebuild index", "REMEMBER"} {
			b.w.settings.search.field.entry.SetText(query)
			if !b.onPage(b.w.settings.index) {
				t.Errorf("%q does not find the search index", query)
			}
		}
		b.w.settings.search.field.entry.SetText("nothing has this")
		b.sees("No setting has these words.")
	})
}

func TestSettings_switchIsWrittenInPlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t)
		if err := os.WriteFile(b.conffile(), []byte("# mine\n[session]\n# why\nauto_title = true # yes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.shown()
		b.w.ShowSettings()
		b.settle()
		r := b.row("session.auto_title")
		r.control.(*toggle).TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.settle()
		b.inFile("# mine\n[session]\n# why\nauto_title = false # yes\n")
		if r.control.(*toggle).on {
			t.Error("the switch is still on")
		}
		r.says(t, "Changed; the default is on.")
		r.reset.Tapped(nil)
		b.settle()
		b.inFile("auto_title = true # yes")
		if !r.reset.Hidden {
			t.Error("Reset stays although nothing differs")
		}
	})
}

func TestSettings_aBadValueSaysWhatIsAllowedAndKeepsWhatWasTyped(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		f := b.row("session.notify_after").control.(*valueField)
		f.entry.SetText("soon")
		f.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.settle()
		b.row("session.notify_after").says(t, "session.notify_after can't be soon: it must be a time from 1s to 1h")
		if f.entry.Text != "soon" {
			t.Errorf("the field has %q", f.entry.Text)
		}
		if _, err := os.Stat(b.conffile()); err == nil {
			t.Error("config.toml was written")
		}
		f.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if f.entry.Text != "10s" {
			t.Errorf("Esc gives %q, want the value of before", f.entry.Text)
		}
		f.entry.SetText("1m")
		f.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.settle()
		b.inFile(`notify_after = "1m"`)
	})
}

func TestSettings_theEnvironmentLocks(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.environ = []string{"MAC_STATS_OLLAMA_MODEL=qwen3:4b"}
		b.shown()
		b.w.ShowSettings()
		b.settle()
		b.row("ollama.model").says(t, "Set by the variable MAC_STATS_OLLAMA_MODEL of the environment")
		if f := b.row("ollama.model").control.(*valueField); !f.entry.Disabled() || f.entry.Text != "qwen3:4b" {
			t.Errorf("the field is open: %q", f.entry.Text)
		}
	})
}

// What waits for a restart differs from the start of the app, not from when the
// window was made.
func TestSettings_restartOnlyWhereItIsTrue(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.set("ollama.model", "qwen3:4b")
		b.set("ollama.keep_alive", "5m")
		b.shown()
		b.w.ShowSettings()
		b.settle()
		if !b.row("ollama.keep_alive").state.waits || b.row("ollama.model").state.waits {
			t.Error("want keep_alive to wait for a restart, and model not to")
		}
		b.set("ollama.keep_alive", "10m")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.settle()
		if b.row("ollama.keep_alive").state.waits {
			t.Error("it waits although it is as it was at the start")
		}
	})
}

func TestSettings_anEditOutsideIsSeenAndLeavesWhatIsTyped(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		host, model := b.row("ollama.host").control.(*valueField), b.row("ollama.model").control.(*valueField)
		model.entry.SetText("half a na")
		b.set("ollama.host", "other:1")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.settle()
		if host.entry.Text != "other:1" || model.entry.Text != "half a na" {
			t.Errorf("fields: %q and %q", host.entry.Text, model.entry.Text)
		}
	})
}

func TestShortcuts_areBoundAsConfigured(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.set("shortcuts.settings", "Ctrl+Alt+S F5")
		b.shown()
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.settle()
		if b.w.runShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyComma, Modifier: fyne.KeyModifierShortcutDefault}) {
			t.Error("the old shortcut still does something")
		}
		if !b.w.runShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl | fyne.KeyModifierAlt}) || b.w.page != pageSettings {
			t.Error("the new shortcut does nothing")
		}
		b.w.showPage(pageChat)
		b.w.compose.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF5})
		if b.w.page != pageSettings {
			t.Error("F5 in the composer does nothing")
		}
		b.set("shortcuts.settings", "Mod+,")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.settle()
		if b.w.runKey(&fyne.KeyEvent{Name: fyne.KeyF5}) {
			t.Error("F5 is still bound after a reload")
		}
	})
}

func TestShortcuts_pressedInSettings(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		b.w.settings.open["shortcuts"] = true
		b.w.settings.show()
		f := b.row("shortcuts.find").control.(*shortcutField)
		b.w.win.Canvas().Focus(f)
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.settle()
		f.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault})
		b.settle()
		b.inFile(`find = "Mod+N"`)
		if c := b.row("shortcuts.find").state.conflict; !strings.Contains(c, "“New chat” too") {
			t.Errorf("conflict = %q", c)
		}
		f.Tapped(nil)
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace})
		b.settle()
		b.inFile(`find = ""`)
		f.Tapped(nil)
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if f.waiting || f.text != "none" {
			t.Errorf("after Esc: %q", f.text)
		}
	})
}

func TestShortcuts_list(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.runKey(&fyne.KeyEvent{Name: fyne.KeyF1})
		l := b.w.shortcuts
		if l == nil {
			t.Fatal("F1 opens nothing")
		}
		if want := len(b.w.shortcutActions()); len(l.port.rows) < want {
			t.Errorf("%d rows for %d actions", len(l.port.rows), want)
		}
		test.Type(l.entry, "zoom in")
		if len(l.port.rows) != 1 {
			t.Errorf("%d rows are found", len(l.port.rows))
		}
		l.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.settle()
		b.inFile("zoom = 110")
		if b.w.shortcuts != nil {
			t.Error("the list stays open")
		}
	})
}

func TestShortcuts_everyActionHasASetting(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t)
		names := map[string]bool{}
		for _, a := range b.w.shortcutActions() {
			names["shortcuts."+a.name] = true
			if len(shortcutsOf(config.Default(), a.name)) == 0 {
				t.Errorf("%s has no shortcut", a.name)
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
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.set("window.theme", "light")
		b.set("window.text_size", "20")
		b.set("window.density", "compact")
		b.set("window.zoom", "200")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.settle()
		if got, want := ink(roleWindow), lightPalette()[roleWindow]; got != want {
			t.Errorf("the window is %v, want light", got)
		}
		if textScale() < 1.5 || density() >= 1 {
			t.Errorf("text × %g, density %g", textScale(), density())
		}
		if os.Getenv(envScale) != "2.00" {
			t.Errorf("scale = %s", os.Getenv(envScale))
		}
		p := newProse([]run{{text: "one line"}}, sizeText, roleText)
		if h := p.measure(500); h < 30 {
			t.Errorf("a line of larger text is %g high", h)
		}
	})
}

func TestZoomSteps(t *testing.T) {
	for _, tt := range []struct{ now, up, down int }{{100, 110, 90}, {300, 300, 250}, {50, 60, 50}, {135, 150, 130}} {
		if up, down := zoomFrom(tt.now, 1), zoomFrom(tt.now, -1); up != tt.up || down != tt.down {
			t.Errorf("from %d: %d and %d, want %d and %d", tt.now, up, down, tt.up, tt.down)
		}
	}
}
