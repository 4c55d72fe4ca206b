//go:build !nogui

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"mac-stats/app/autostart"
	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/app/hotkey"
	"mac-stats/app/hotkey/keygrab"
	"mac-stats/sessionmem/wholefile"
)

// systemSettings applies the settings that concern the system, launch at login and the
// hotkey, at startup and at each change. Its methods are safe for concurrent use.
type systemSettings struct {
	backend *backend.Backend
	getenv  func(string) string
	demo    bool // the demo changes nothing of the system
	show    func()
	login   autostart.Entry
	unwatch func()

	mu     sync.Mutex // held while the system is being changed
	closed bool
	asked  bool   // whether the hotkey was registered before
	key    string // as last set
	grab   *keygrab.Grab
}

func newSystemSettings(b *backend.Backend, getenv func(string) string, demo bool, show func()) *systemSettings {
	s := &systemSettings{backend: b, getenv: getenv, demo: demo, show: show}
	program, err := os.Executable()
	if err != nil {
		b.Logger.Warn("the program's own path is not known, so it can't start at login", "error", err)
		return s
	}
	s.login = autostart.New(getenv, program)
	return s
}

// start applies the settings and follows their changes until close.
func (s *systemSettings) start() {
	if s.demo {
		return
	}
	s.unwatch = s.backend.OnNotice(func(n backend.Notice) {
		if n.Kind == backend.NoticeReload {
			s.apply()
		}
	})
	go s.apply()
}

// close releases the hotkey.
func (s *systemSettings) close() {
	if s.unwatch != nil {
		s.unwatch()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.free()
}

// apply applies the settings to the system.
func (s *systemSettings) apply() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.demo || s.closed {
		return
	}
	cfg := s.backend.Config()
	s.applyKey(cfg.Window.Hotkey)
	if err := s.applyLogin(cfg.App.LaunchAtLogin); err != nil {
		s.backend.SetNotice(backend.Notice{Kind: backend.NoticeLogin, Text: "app.launch_at_login: " + err.Error(), Next: "mac-stats works as before; start it by hand."})
		return
	}
	s.backend.SetNotice(backend.Notice{Kind: backend.NoticeLogin})
}

// applyKey registers the hotkey if it changed.
func (s *systemSettings) applyKey(key string) {
	if s.asked && s.key == key {
		return
	}
	s.asked, s.key = true, key
	s.free()
	s.backend.SetNotice(backend.Notice{Kind: backend.NoticeHotkey})
	if key == "" {
		return
	}
	combo, err := hotkey.Parse(key)
	if err == nil {
		s.grab, err = keygrab.Take(s.getenv, combo, s.show)
	}
	if err != nil {
		s.grab = nil
		s.backend.SetNotice(backend.Notice{Kind: backend.NoticeHotkey, Text: "The hotkey does not work: " + err.Error()})
		return
	}
	if s.grab.Kept != "" {
		s.backend.SetNotice(backend.Notice{
			Kind: backend.NoticeHotkey, Text: "The desktop kept the hotkey " + s.grab.Kept + " instead of " + combo.String(),
			Next: "Change it in the desktop's keyboard settings.",
		})
	}
}

func (s *systemSettings) free() {
	if s.grab != nil {
		s.grab.Close()
		s.grab = nil
	}
}

// applyLogin makes launch at login and the setting agree. If the setting changed since they
// last agreed, it wins; otherwise the system wins, and the setting follows.
func (s *systemSettings) applyLogin(wanted bool) error {
	is, err := s.login.On()
	if err != nil {
		return err
	}
	agreed, err := s.agreed()
	if err != nil {
		return err
	}
	if is == wanted {
		if is {
			if err := s.login.Follow(); err != nil {
				return err
			}
		}
		return s.agree(wanted)
	}
	setting, _ := config.Lookup("app.launch_at_login")
	switch {
	case wanted == agreed && setting.Overridden(os.Environ()) == "":
		s.backend.Logger.Info("launch at login was changed in the system's settings", "on", is)
		wanted = is
		err = s.backend.Set(setting.Key, strconv.FormatBool(is))
	default:
		err = s.login.Set(wanted)
	}
	if err != nil {
		return err
	}
	return s.agree(wanted)
}

// agreedFile returns the path of the file with the state that setting and system last
// agreed on. If it is lost, the setting wins.
func (s *systemSettings) agreedFile() string {
	return filepath.Join(s.backend.Paths.Cache, "launch-at-login")
}

func (s *systemSettings) agreed() (bool, error) {
	text, err := wholefile.Read(s.agreedFile(), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return strings.TrimSpace(string(text)) == "true", err
}

func (s *systemSettings) agree(on bool) error {
	if before, err := s.agreed(); err == nil && before == on {
		return nil
	}
	if err := os.MkdirAll(s.backend.Paths.Cache, 0o700); err != nil {
		return err
	}
	return os.WriteFile(s.agreedFile(), []byte(strconv.FormatBool(on)+"\n"), 0o600)
}
