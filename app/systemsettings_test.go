//go:build !nogui && !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/backend"
	"mac-stats/app/config"
)

// systemOf sets up a new home folder and returns a function that starts the app there.
func systemOf(t *testing.T) (start func() *systemSettings) {
	t.Helper()
	dir := t.TempDir()
	environ := []string{
		"HOME=" + dir, "MAC_STATS_HOME=" + filepath.Join(dir, "data"), "MAC_STATS_CACHE=" + filepath.Join(dir, "cache"), "OLLAMA_HOST=127.0.0.1:1",
	}
	return func() *systemSettings {
		b, err := backend.Open(t.Context(), backend.Options{Environ: environ})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		s := newSystemSettings(b, func(key string) string {
			for _, kv := range environ {
				if v, ok := strings.CutPrefix(kv, key+"="); ok {
					return v
				}
			}
			return ""
		}, false, func() {})
		t.Cleanup(s.close)
		s.apply()
		return s
	}
}

// is checks the system's state and config.toml.
func (s *systemSettings) is(t *testing.T, want bool) {
	t.Helper()
	on, err := s.login.On()
	if err != nil || on != want {
		t.Errorf("the system: %v, %v; want %v", on, err, want)
	}
	cfg, _ := config.Load(s.backend.Paths.ConfigFile(), nil)
	if cfg.App.LaunchAtLogin != want {
		t.Errorf("config.toml: %v, want %v", cfg.App.LaunchAtLogin, want)
	}
}

func (s *systemSettings) set(t *testing.T, key, value string) {
	t.Helper()
	if err := config.Set(s.backend.Paths.ConfigFile(), key, value); err != nil {
		t.Fatal(err)
	}
}

func TestLaunchAtLoginFollowsTheLastChange(t *testing.T) {
	start := systemOf(t)
	s := start()
	s.is(t, false)
	if _, err := os.Stat(filepath.Dir(s.login.Path())); err == nil {
		t.Error("something was written though nobody asked for it")
	}

	// when the setting is switched on, then the system starts the app
	s.set(t, "app.launch_at_login", "true")
	s = start()
	s.is(t, true)

	// when the file is removed by hand, then the setting is off and stays off
	if err := os.Remove(s.login.Path()); err != nil {
		t.Fatal(err)
	}
	s.apply()
	s.is(t, false)
	s = start()
	s.is(t, false)

	// when it is switched on again, then it is on again, and the setting can switch it off
	s.set(t, "app.launch_at_login", "true")
	s = start()
	s.is(t, true)
	s.set(t, "app.launch_at_login", "false")
	s = start()
	s.is(t, false)
}

func TestTheDemoChangesNothingOfTheSystem(t *testing.T) {
	s := systemOf(t)()
	s.set(t, "app.launch_at_login", "true")
	d := newSystemSettings(s.backend, s.getenv, true, func() {})
	d.start()
	d.apply()
	d.close()
	if on, err := s.login.On(); on || err != nil {
		t.Errorf("on: %v, %v", on, err)
	}
}

func TestAnUnavailableHotkeyIsANotice(t *testing.T) {
	start := systemOf(t)
	s := start()
	s.set(t, "window.hotkey", "Ctrl+Alt+Space")
	s = start() // there is no display
	told := func() string {
		for _, n := range s.backend.Notices() {
			if n.Kind == backend.NoticeHotkey {
				return n.Text
			}
		}
		return ""
	}
	if text := told(); !strings.HasPrefix(text, "The hotkey does not work: ") {
		t.Errorf("told %q", text)
	}
	s.applyKey("")
	if text := told(); text != "" {
		t.Errorf("without one, told %q", text)
	}
}
