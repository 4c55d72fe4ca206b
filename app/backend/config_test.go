package backend

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

const private = "[session]\nin_memory_only = true\n\n[memory]\nwrite = \"off\"\n"

// withConfig opens an app in a folder with this config.toml.
func withConfig(t *testing.T, text string) *Backend {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "data", "config.toml"), text)
	return open(t, Options{Environ: environ(dir), Watch: true})
}

func keepsNothing(b *Backend) bool {
	c := b.Config()
	return c.Session.InMemoryOnly && c.Memory.Write == "off"
}

// A running app gives up no privacy while config.toml is being saved: emptied, cut short
// but still valid TOML, or missing.
func TestARunningAppKeepsPrivacyDuringASave(t *testing.T) {
	for name, save := range map[string]func(path string) error{
		"emptied":        func(path string) error { return os.Truncate(path, 0) },
		"cut short":      func(path string) error { return os.WriteFile(path, []byte("[session]\n"), 0o600) },
		"half of it":     func(path string) error { return os.WriteFile(path, []byte(private[:34]), 0o600) },
		"gone":           os.Remove,
		"moved away":     func(path string) error { return os.Rename(path, path+"~") },
		"a syntax error": func(path string) error { return os.WriteFile(path, []byte("[session\n"), 0o600) },
		"zero bytes":     func(path string) error { return os.WriteFile(path, make([]byte, len(private)), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for !keepsPrivacy(t, save) { // the machine was busy
			}
		})
	}
}

// keepsPrivacy saves the file in one way, and finishes half a second later. It returns false if
// that came so late that the app was right to believe the file.
func keepsPrivacy(t *testing.T, save func(path string) error) bool {
	b := withConfig(t, private)
	if !keepsNothing(b) {
		t.Fatal("the settings are not read")
	}
	began := time.Now()
	if err := save(b.Paths.ConfigFile()); err != nil {
		t.Fatal(err)
	}
	saved := false
	for time.Since(began) < 2500*time.Millisecond {
		if !saved && time.Since(began) > 500*time.Millisecond {
			write(t, b.Paths.ConfigFile(), private)
			if time.Since(began) > 3*openAfter/4 {
				return false
			}
			saved = true
		}
		if !keepsNothing(b) {
			t.Fatalf("it opened up after %v", time.Since(began))
		}
		time.Sleep(2 * time.Millisecond)
	}
	return true
}

// A file that stays unreadable changes nothing in a running app; an app that starts with
// one saves no conversations.
func TestAnUnreadableConfigKeepsPrivacy(t *testing.T) {
	b := withConfig(t, private)
	waitNotice(t, b, "config.toml: it is empty", func() { write(t, b.Paths.ConfigFile(), "") })
	time.Sleep(2 * openAfter)
	if !keepsNothing(b) {
		t.Error("it opened up")
	}
	again := open(t, Options{Environ: b.Environ()})
	if !keepsNothing(again) {
		t.Error("the next start opened up")
	}
}

// A setting that gives up privacy takes effect a moment after the file is saved, or at once
// if it is changed in the app.
func TestPrivacyEndsAMomentAfterTheSettingIsSaved(t *testing.T) {
	b := withConfig(t, private)
	waitNotice(t, b, "config.toml reloaded", func() {
		write(t, b.Paths.ConfigFile(), "[session]\nin_memory_only = false\n\n[memory]\nwrite = \"off\"\n")
	})
	if c := b.Config(); c.Session.InMemoryOnly || c.Memory.Write != "off" {
		t.Errorf("in_memory_only = %v, memory.write = %s", c.Session.InMemoryOnly, c.Memory.Write)
	}
	if err := b.Set("memory.write", "auto"); err != nil || b.Config().Memory.Write != "auto" {
		t.Errorf("memory.write = %s, %v", b.Config().Memory.Write, err)
	}
}

// Settings refuse at once a folder that RUN_CMD would refuse later; ~ is the user's home.
func TestSettingsCheckTheCommandFolder(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir())})
	home := lookup(b.environ)("HOME")
	for _, folder := range []string{b.Paths.Home, filepath.Join(b.Paths.Home, "agents"), "~", "/", "project"} {
		if err := b.Set("tools.command_folder", folder); err == nil || b.Config().Tools.CommandFolder != "" {
			t.Errorf("%s: %v", folder, err)
		}
	}
	if err := b.Set("tools.command_folder", "~/project"); err != nil || b.Outside.settings().Folder != filepath.Join(home, "project") {
		t.Errorf("%v %s", err, b.Outside.settings().Folder)
	}
	if err := b.Set("tools.command_folder", ""); err != nil || b.Outside.settings().Folder != filepath.Join(b.Paths.Home, "work") {
		t.Errorf("%v %s", err, b.Outside.settings().Folder)
	}
}
