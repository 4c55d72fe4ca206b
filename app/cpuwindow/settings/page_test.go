package settings

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/config"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

func (b *bench) row(key string) *row {
	b.t.Helper()
	r := b.page.rows[key]
	if r == nil {
		b.t.Fatalf("there is no row of %s", key)
	}
	return r
}

// wantNote fails the test unless the row says want below its help.
func (r *row) wantNote(t *testing.T, want string) {
	t.Helper()
	if r.note.Hidden || !strings.Contains(r.note.Flat, want) {
		t.Errorf("%s says %q, want %q", r.setting.Key, r.note.Flat, want)
	}
}

// inFile fails the test unless config.toml has this line.
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

// settingsListed returns the settings on the page.
func (b *bench) settingsListed() map[string]bool {
	found := map[string]bool{}
	for _, p := range b.page.View.Rows {
		if r, ok := p.Row.(*row); ok {
			found[r.setting.Key] = true
		}
	}
	return found
}

// listed reports whether a row is on the page.
func (b *bench) listed(r kit.Row) bool {
	return slices.ContainsFunc(b.page.View.Rows, func(p *column.Placed) bool { return p.Row == r })
}

func TestSettings_everyKeyHasARow(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := onPage(t)
		for _, s := range sections() {
			b.page.open[s.key] = true
		}
		b.page.show()
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
		b := onPage(t)
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
		b := onPage(t)
		for _, tt := range []struct{ query, want string }{
			{"num_ctx", "ollama.num_ctx"},
			{"  DARK ", "window.theme"},
			{"MAX_SERVER_MEMORY", "memory.max_server"},
			{"lesson undo", "memory.write"},
		} {
			b.page.search.Entry.SetText(tt.query)
			if listed := b.settingsListed(); !listed[tt.want] || len(listed) > 4 {
				t.Errorf("%q finds %v, want %s", tt.query, listed, tt.want)
			}
		}
		for _, query := range []string{"index", "forget", "memory", "rebuild index", "REMEMBER"} {
			b.page.search.Entry.SetText(query)
			if !b.listed(b.page.index) {
				t.Errorf("%q does not find the search index", query)
			}
		}
		for _, query := range []string{"revoke", "mcp.json", "sign in", "tools.commands"} {
			b.page.Search(query)
			b.tap("Permissions and servers…")
		}
		if b.tools != 4 {
			t.Errorf("the page of tools was asked for %d times", b.tools)
		}
		b.page.search.Entry.SetText("nothing has this")
		b.Sees("No settings found.")
	})
}

func TestSettings_switchIsWrittenInPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		if err := os.WriteFile(b.conffile(), []byte("# mine\n[session]\n# why\nauto_title = true # yes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.open()
		r := b.row("session.auto_title")
		r.control.(*kit.Switch).TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		b.inFile("# mine\n[session]\n# why\nauto_title = false # yes\n")
		if r.control.(*kit.Switch).On {
			t.Error("the switch is still on")
		}
		r.wantNote(t, "Changed from the default (on)")
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
		b := onPage(t)
		f := b.row("session.notify_after").control.(*kit.ValueField)
		f.Entry.SetText("soon")
		f.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		b.row("session.notify_after").wantNote(t, "session.notify_after can't be soon: it must be a time from 1s to 1h")
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
		b.open()
		b.row("ollama.model").wantNote(t, "Set by the environment variable MAC_STATS_OLLAMA_MODEL")
		if f := b.row("ollama.model").control.(*kit.ValueField); !f.Entry.Disabled() || f.Entry.Text != "qwen3:4b" {
			t.Errorf("the field is open: %q", f.Entry.Text)
		}
	})
}

// A restart is needed for what differs from the configuration at the app's start, not at
// the window's.
func TestSettings_restartOnlyIfNeeded(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.set("ollama.model", "qwen3:4b")
		b.set("ollama.keep_alive", "5m")
		b.open()
		if !b.row("ollama.keep_alive").state.needsRestart || b.row("ollama.model").state.needsRestart {
			t.Error("want keep_alive to wait for a restart, and model not to")
		}
		b.set("ollama.keep_alive", "10m")
		b.page.Load()
		b.Settle()
		if b.row("ollama.keep_alive").state.needsRestart {
			t.Error("it waits although it is as it was at the start")
		}
	})
}

func TestSettings_anEditOutsideIsShownAndKeepsTypedText(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := onPage(t)
		host, model := b.row("ollama.host").control.(*kit.ValueField), b.row("ollama.model").control.(*kit.ValueField)
		model.Entry.SetText("half a na")
		b.set("ollama.host", "other:1")
		b.page.Load()
		b.Settle()
		if host.Entry.Text != "other:1" || model.Entry.Text != "half a na" {
			t.Errorf("fields: %q and %q", host.Entry.Text, model.Entry.Text)
		}
	})
}

func TestShortcuts_pressedInSettings(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := onPage(t)
		b.page.open["shortcuts"] = true
		b.page.show()
		f := b.row("shortcuts.find").control.(*shortcutField)
		b.Win.Canvas().Focus(f)
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		f.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault})
		b.Settle()
		b.inFile(`find = "Mod+N"`)
		if c := b.row("shortcuts.find").state.warning; !strings.Contains(c, "“New chat” too") {
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

// Settings changed one after the other are written in that order, however long each takes:
// the last one counts.
func TestSettingsAreWrittenInOrder(t *testing.T) {
	b := onPage(t)
	set := b.page.writer.set
	n := 0
	b.page.writer.set = func(key, value string) error {
		n++
		time.Sleep(time.Duration(20-n) * time.Millisecond) // the first take longest
		return set(key, value)
	}
	for zoom := 81; zoom <= 99; zoom++ {
		b.page.writer.Set("window.zoom", strconv.Itoa(zoom), nil)
		b.page.writer.Set("window.on_top", strconv.FormatBool(zoom%2 == 0), nil)
	}
	for range 500 {
		if len(b.page.writer.waiting) == 0 {
			break
		}
		b.Settle()
	}
	b.inFile("zoom = 99")
	b.inFile("on_top = false")
}
