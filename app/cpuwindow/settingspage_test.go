package cpuwindow

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

// settingsShown is a window on its settings.
func settingsShown(t *testing.T) *bench {
	b := newBench(t).shown()
	b.w.ShowSettings()
	b.Settle()
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
	if r.note.Hidden || !strings.Contains(r.note.Flat, want) {
		t.Errorf("%s says %q, want %q", r.setting.Key, r.note.Flat, want)
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
	for _, p := range b.w.pageView.Rows {
		if r, ok := p.Row.(*settingRow); ok {
			found[r.setting.Key] = true
		}
	}
	return found
}

// onPage reports whether a row is among those of the page.
func (b *bench) onPage(r kit.Row) bool {
	return slices.ContainsFunc(b.w.pageView.Rows, func(p *kit.Placed) bool { return p.Row == r })
}

func TestSettings_everyKeyHasARow(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
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
	screentest.InBubble(t, func(t *testing.T) {
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
	screentest.InBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		for _, tt := range []struct{ query, want string }{
			{"num_ctx", "ollama.num_ctx"},
			{"  DARK ", "window.theme"},
			{"MAX_SERVER_MEMORY", "memory.max_server"},
			{"lesson undo", "memory.write"},
		} {
			b.w.settings.search.Field.Entry.SetText(tt.query)
			if listed := b.settingsListed(); !listed[tt.want] || len(listed) > 4 {
				t.Errorf("%q finds %v, want %s", tt.query, listed, tt.want)
			}
		}
		for _, query := range []string{"index", "forget", "memory", "rebuild index", "REMEMBER"} {
			b.w.settings.search.Field.Entry.SetText(query)
			if !b.onPage(b.w.settings.index) {
				t.Errorf("%q does not find the search index", query)
			}
		}
		b.w.settings.search.Field.Entry.SetText("nothing has this")
		b.Sees("No setting has these words.")
	})
}

func TestSettings_switchIsWrittenInPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		if err := os.WriteFile(b.conffile(), []byte("# mine\n[session]\n# why\nauto_title = true # yes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.shown()
		b.w.ShowSettings()
		b.Settle()
		r := b.row("session.auto_title")
		r.control.(*kit.Switch).TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		b.inFile("# mine\n[session]\n# why\nauto_title = false # yes\n")
		if r.control.(*kit.Switch).On {
			t.Error("the switch is still on")
		}
		r.says(t, "Changed; the default is on.")
		r.reset.Tapped(nil)
		b.Settle()
		b.inFile("auto_title = true # yes")
		if !r.reset.Hidden {
			t.Error("Reset stays although nothing differs")
		}
	})
}

func TestSettings_aBadValueSaysWhatIsAllowedAndKeepsWhatWasTyped(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		f := b.row("session.notify_after").control.(*kit.ValueField)
		f.Entry.SetText("soon")
		f.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		b.row("session.notify_after").says(t, "session.notify_after can't be soon: it must be a time from 1s to 1h")
		if f.Entry.Text != "soon" {
			t.Errorf("the field has %q", f.Entry.Text)
		}
		if _, err := os.Stat(b.conffile()); err == nil {
			t.Error("config.toml was written")
		}
		f.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if f.Entry.Text != "10s" {
			t.Errorf("Esc gives %q, want the value of before", f.Entry.Text)
		}
		f.Entry.SetText("1m")
		f.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		b.inFile(`notify_after = "1m"`)
	})
}

func TestSettings_theEnvironmentLocks(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.environ = []string{"MAC_STATS_OLLAMA_MODEL=qwen3:4b"}
		b.shown()
		b.w.ShowSettings()
		b.Settle()
		b.row("ollama.model").says(t, "Set by the variable MAC_STATS_OLLAMA_MODEL of the environment")
		if f := b.row("ollama.model").control.(*kit.ValueField); !f.Entry.Disabled() || f.Entry.Text != "qwen3:4b" {
			t.Errorf("the field is open: %q", f.Entry.Text)
		}
	})
}

// What waits for a restart differs from the start of the app, not from when the
// window was made.
func TestSettings_restartOnlyWhereItIsTrue(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.set("ollama.model", "qwen3:4b")
		b.set("ollama.keep_alive", "5m")
		b.shown()
		b.w.ShowSettings()
		b.Settle()
		if !b.row("ollama.keep_alive").state.waits || b.row("ollama.model").state.waits {
			t.Error("want keep_alive to wait for a restart, and model not to")
		}
		b.set("ollama.keep_alive", "10m")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.Settle()
		if b.row("ollama.keep_alive").state.waits {
			t.Error("it waits although it is as it was at the start")
		}
	})
}

func TestSettings_anEditOutsideIsSeenAndLeavesWhatIsTyped(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		host, model := b.row("ollama.host").control.(*kit.ValueField), b.row("ollama.model").control.(*kit.ValueField)
		model.Entry.SetText("half a na")
		b.set("ollama.host", "other:1")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.Settle()
		if host.Entry.Text != "other:1" || model.Entry.Text != "half a na" {
			t.Errorf("fields: %q and %q", host.Entry.Text, model.Entry.Text)
		}
	})
}

func TestShortcuts_areBoundAsConfigured(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.set("shortcuts.settings", "Ctrl+Alt+S F5")
		b.shown()
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "config.toml reloaded"})
		b.Settle()
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
		b.Settle()
		if b.w.runKey(&fyne.KeyEvent{Name: fyne.KeyF5}) {
			t.Error("F5 is still bound after a reload")
		}
	})
}

func TestShortcuts_pressedInSettings(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := settingsShown(t)
		b.w.settings.open["shortcuts"] = true
		b.w.settings.show()
		f := b.row("shortcuts.find").control.(*shortcutField)
		b.w.win.Canvas().Focus(f)
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		f.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault})
		b.Settle()
		b.inFile(`find = "Mod+N"`)
		if c := b.row("shortcuts.find").state.conflict; !strings.Contains(c, "“New chat” too") {
			t.Errorf("conflict = %q", c)
		}
		f.Tapped(nil)
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace})
		b.Settle()
		b.inFile(`find = ""`)
		f.Tapped(nil)
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if f.waiting || f.Text != "none" {
			t.Errorf("after Esc: %q", f.Text)
		}
	})
}

func TestShortcuts_list(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.runKey(&fyne.KeyEvent{Name: fyne.KeyF1})
		l := b.w.shortcuts
		if l == nil {
			t.Fatal("F1 opens nothing")
		}
		if want := len(b.w.shortcutActions()); len(l.Port.Rows) < want {
			t.Errorf("%d rows for %d actions", len(l.Port.Rows), want)
		}
		test.Type(l.Entry, "zoom in")
		if len(l.Port.Rows) != 1 {
			t.Errorf("%d rows are found", len(l.Port.Rows))
		}
		l.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		b.inFile("zoom = 110")
		if b.w.shortcuts != nil {
			t.Error("the list stays open")
		}
	})
}

func TestShortcuts_everyActionHasASetting(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
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
		p := kit.NewProse([]kit.Run{{Text: "one line"}}, kit.SizeText, kit.RoleText)
		if h := p.Measure(500); h < 30 {
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

// Settings that are changed one after the other are written in that order, however long
// each takes: the last one counts.
func TestSettingsAreWrittenInOrder(t *testing.T) {
	b := settingsShown(t)
	set := b.w.parts.set
	n := 0
	b.w.parts.set = func(key, value string) error {
		n++
		time.Sleep(time.Duration(20-n) * time.Millisecond) // the first take the longest
		return set(key, value)
	}
	for zoom := 81; zoom <= 99; zoom++ {
		b.w.setSetting("window.zoom", strconv.Itoa(zoom), nil)
		b.w.setSetting("window.on_top", strconv.FormatBool(zoom%2 == 0), nil)
	}
	for range 500 {
		if len(b.w.changes) == 0 {
			break
		}
		b.Settle()
	}
	b.inFile("zoom = 99")
	b.inFile("on_top = false")
}
