package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseShortcuts(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []Shortcut
		mac, other string // in words
	}{
		{"none", "", nil, "", ""},
		{"a letter with the system's key", "Mod+K", []Shortcut{{Mod: true, Key: "K"}}, "⌘K", "Ctrl+K"},
		{"any case", "ctrl+SHIFT+n", []Shortcut{{Ctrl: true, Shift: true, Key: "N"}}, "⌃⇧N", "Ctrl+Shift+N"},
		{"the plus sign", "Mod++", []Shortcut{{Mod: true, Key: "Plus"}}, "⌘+", "Ctrl++"},
		{"a comma", "Mod+,", []Shortcut{{Mod: true, Key: "Comma"}}, "⌘,", "Ctrl+,"},
		{"a key by name", "Alt+pagedown", []Shortcut{{Alt: true, Key: "PageDown"}}, "⌥PageDown", "Alt+PageDown"},
		{"two", "Mod+/ F1", []Shortcut{{Mod: true, Key: "Slash"}, {Key: "F1"}}, "⌘/ F1", "Ctrl+/ F1"},
		{"twice the same is one", "F1 f1", []Shortcut{{Key: "F1"}}, "F1", "F1"},
		{"the platform's own key", "Cmd+K", []Shortcut{{Cmd: true, Key: "K"}}, "⌘K", "Super+K"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseShortcuts(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			words := func(goos string) string {
				var parts []string
				for _, s := range got {
					parts = append(parts, s.Words(goos))
				}
				return strings.Join(parts, " ")
			}
			if words("darwin") != tt.mac || words("linux") != tt.other {
				t.Errorf("words = %q and %q, want %q and %q", words("darwin"), words("linux"), tt.mac, tt.other)
			}
		})
	}
}

func TestParseShortcuts_refuses(t *testing.T) {
	for name, text := range map[string]string{
		"a letter alone is typed":       "K",
		"a capital is typed":            "Shift+K",
		"F alone is a letter":           "F",
		"Tab goes through the window":   "Tab",
		"Escape stops, closes, leaves":  "Escape",
		"a modifier alone":              "Ctrl+",
		"an unknown modifier":           "Hyper+K",
		"an unknown key":                "Ctrl+Foo",
		"two keys":                      "Ctrl+K+L",
		"one of two can't be read":      "Mod+K what",
		"a function key there is not":   "F13",
		"the name of a sign as it were": "Ctrl+Commma",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := ParseShortcuts(text); err == nil {
				t.Errorf("ParseShortcuts(%q) = %v, want an error", text, got)
			}
		})
	}
}

// By default no two actions share a shortcut on any system.
func TestDefaultShortcutsDoNotCollide(t *testing.T) {
	for _, goos := range []string{"darwin", "linux", "windows"} {
		taken := map[Shortcut]string{}
		for _, s := range Settings() {
			if s.Kind != KindShortcut {
				continue
			}
			list, err := ParseShortcuts(s.Default)
			if err != nil || len(list) == 0 {
				t.Errorf("%s = %q: %v", s.Key, s.Default, err)
			}
			for _, k := range list {
				if other := taken[k.Same(goos)]; other != "" {
					t.Errorf("%s: %s is of %s and %s", goos, k, other, s.Key)
				}
				taken[k.Same(goos)] = s.Key
			}
		}
	}
}

// A formatted shortcut parses to the same value.
func FuzzParseShortcuts(f *testing.F) {
	for _, text := range []string{"", "Mod+K", "Mod+/ F1", "Ctrl++", "ctrl+shift+-", "+", "++", "F1 f1", "Mod+Plus"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseShortcuts(text)
		if err != nil {
			return
		}
		var words []string
		for _, s := range list {
			words = append(words, s.String())
		}
		again, err := ParseShortcuts(strings.Join(words, " "))
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, words, err)
		}
		if diff := cmp.Diff(list, again); diff != "" {
			t.Error(diff)
		}
	})
}

// The window marks exactly those settings as waiting that a restart changes.
func TestWaiting(t *testing.T) {
	started, now := Default(), Default()
	now.Ollama.Host, now.Ollama.Model, now.Window.Zoom = "127.0.0.1:1", "qwen3:4b", 200
	if diff := cmp.Diff([]string{"ollama.host"}, Waiting(started, now)); diff != "" {
		t.Error(diff)
	}
}

// A change that gives up privacy is one from a setting's strictest value.
func TestOpensUp(t *testing.T) {
	private := Default()
	private.Session.InMemoryOnly = true
	if !OpensUp(private, Default()) || OpensUp(Default(), private) || OpensUp(private, private) {
		t.Error("saving conversations again gives up privacy, and nothing else does")
	}
}
