// Package autostart has the app started at login, and reads whether it is.
//
// Linux and its kin: a file in the autostart folder of the desktop. macOS: a launch
// agent, which System Settings lists under the login items; SMAppService would want a
// signed bundle, and this works for the bare program too. Windows: not supported.
//
// The system's word counts: a file that was removed or switched off by hand is off.
package autostart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotSupported: this system is not known here.
var ErrNotSupported = errors.New("launch at login is not supported on Windows: put a shortcut to mac-stats into the folder shell:startup")

// Entry is what starts the app at login.
type Entry struct {
	path    string // of its file; "" where the system is not supported
	program string // what is started, absolute
	form    form
}

// form is how a system's entries are written.
type form interface {
	text(program string) string
	on(text string) bool                     // it is not switched off in the file
	program(text string) string              // what it starts; "" where that can't be told
	withProgram(text, program string) string // the same, starting another program
}

// New is the entry of this system. program is the app's own path (os.Executable);
// getenv is usually os.Getenv.
func New(getenv func(string) string, program string) Entry {
	return newEntry(system, getenv, program)
}

func newEntry(goos string, getenv func(string) string, program string) Entry {
	home := getenv("HOME")
	e := Entry{program: program}
	switch {
	case goos == "windows":
	case goos == "darwin" && home != "":
		e.path, e.form = filepath.Join(home, "Library", "LaunchAgents", label+".plist"), launchAgent{}
	case goos != "darwin":
		config := getenv("XDG_CONFIG_HOME")
		if !filepath.IsAbs(config) && home != "" {
			config = filepath.Join(home, ".config")
		}
		if config != "" {
			e.path, e.form = filepath.Join(config, "autostart", "mac-stats.desktop"), desktopFile{}
		}
	}
	return e
}

// On reports whether the system starts the app at login.
func (e Entry) On() (bool, error) {
	text, err := e.read()
	if err != nil || text == "" {
		return false, err
	}
	return e.form.on(text), nil
}

// Set switches it on or off. What is already so is left as it is.
func (e Entry) Set(on bool) error {
	is, err := e.On()
	if err != nil {
		return err
	}
	if is == on {
		return nil
	}
	if !on {
		if err := os.Remove(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("switch launch at login off: %w", err)
		}
		return nil
	}
	if e.path == "" {
		return e.unsupported()
	}
	if err := replaceFile(e.path, e.form.text(e.program)); err != nil {
		return fmt.Errorf("switch launch at login on: %w", err)
	}
	return nil
}

// Follow names this program in the entry where the one it names is gone: the app has
// moved. What else people changed in it stays.
func (e Entry) Follow() error {
	text, err := e.read()
	if err != nil || text == "" {
		return err
	}
	named := e.form.program(text)
	if named == "" || named == e.program {
		return nil
	}
	if _, err := os.Stat(named); !errors.Is(err, fs.ErrNotExist) {
		return nil //nolint:nilerr // it is there, or nobody can tell
	}
	if err := replaceFile(e.path, e.form.withProgram(text, e.program)); err != nil {
		return fmt.Errorf("name the program that starts at login: %w", err)
	}
	return nil
}

// Path is the entry's file; "" where the system is not supported.
func (e Entry) Path() string { return e.path }

func (e Entry) unsupported() error {
	if system == "windows" {
		return ErrNotSupported
	}
	return fmt.Errorf("launch at login: %w: HOME is not set", ErrNotSupported)
}

// maxFile is how much of an entry is read, in bytes.
const maxFile = 64 << 10

// read gives the entry's text, "" where there is none.
func (e Entry) read() (string, error) {
	if e.path == "" {
		return "", nil
	}
	info, err := os.Stat(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		err = fmt.Errorf("%s is not a file of some lines", e.path)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(e.path)
	}
	if err != nil {
		return "", fmt.Errorf("read whether mac-stats starts at login: %w", err)
	}
	return string(data), nil
}

// replaceFile puts a file in place of the one before, whole at any time.
func replaceFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
