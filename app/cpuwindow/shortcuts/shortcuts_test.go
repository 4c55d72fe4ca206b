package shortcuts

import (
	"runtime"
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
)

// Every shortcut is the same after conversion to Fyne's keys and back.
func TestShortcutsSurviveTheWayToKeysAndBack(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, key := range config.ShortcutKeys() {
			for _, mods := range []string{"Mod+", "Mod+Shift+", "Alt+"} {
				list, err := config.ParseShortcuts(mods + key)
				if err != nil || len(list) != 1 {
					t.Fatalf("%s%s: %v, %v", mods, key, list, err)
				}
				keys := Keys(list[0], goos)
				if got, ok := From(keys[0].KeyName, keys[0].Modifier, goos); !ok || got.Same(goos) != list[0].Same(goos) {
					t.Errorf("%s: %s is %v, and that is %s", goos, list[0], keys[0], got)
				}
			}
		}
	}
	if s, ok := From(fyne.KeyA, 0, "linux"); ok {
		t.Errorf("a letter alone is the shortcut %s", s)
	}
}

func TestConflictsNameTheOtherActions(t *testing.T) {
	c := config.Default()
	c.Shortcuts.Find = "Mod+N"
	actions := []Action{{Name: "new_chat", Title: "New chat"}, {Name: "find", Title: "Find in what is shown"}, {Name: "stop", Title: "Stop"}}
	found := Conflicts(c, actions, "linux")
	if len(found) != 2 || found["shortcuts.find"] == "" || found["shortcuts.new_chat"] == "" {
		t.Errorf("the conflicts are %v", found)
	}
}

func TestShortcutsInWords(t *testing.T) {
	for _, c := range []struct{ setting, other, mac string }{
		{"", "", ""},
		{"Mod+/ F1", "Ctrl+/ or F1", "⌘/ or F1"},
		{"no keys", "no keys", "no keys"},
		{"Mod+Plus Mod+Shift+Delete", "Ctrl++ or Ctrl+Shift+Delete", "⌘+ or ⇧⌘Delete"},
	} {
		want := c.other
		if runtime.GOOS == "darwin" {
			want = c.mac
		}
		if got := Words(c.setting); got != want {
			t.Errorf("%q is shown as %q, want %q", c.setting, got, want)
		}
	}
}
