// Package autostart makes the system start the app at login, and reports whether it does.
//
// On Linux and other free desktops this is a file in the desktop's autostart folder. On
// macOS it is a launch agent, which System Settings lists under the login items and which
// works for an unpackaged program too; for a signed app it is the system's own list
// (SMAppService). On Windows it is a value in the registry's Run key, which the Task
// Manager lists under Startup apps.
//
// The system decides: an entry that was removed or switched off by hand is off.
package autostart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotSupported means that there is no place for an entry.
var ErrNotSupported = errors.New("launch at login: there is no home folder")

// Entry is the entry that starts the app at login.
type Entry struct {
	place   place  // nil if there is none
	program string // absolute path of the program to start
	form    form
}

// place is where a system keeps the entry.
type place interface {
	read() (string, error) // "" if there is none, or if the system ignores it
	replace(text string) error
	remove() error
}

// form is the format of a system's entries.
type form interface {
	text(program string) string
	on(text string) bool                     // whether the text doesn't switch it off
	program(text string) string              // the program that it starts; "" if unknown
	withProgram(text, program string) string // the same text with another program
}

// New returns this system's entry. program is the app's own path (os.Executable); getenv is
// usually os.Getenv.
func New(getenv func(string) string, program string) Entry {
	if own := systemPlace(program); own != nil {
		old := newEntry(system, getenv, program) // from before the app was signed: both would start it
		return Entry{place: moved{own, old.place}, program: program, form: runValue{}}
	}
	return newEntry(system, getenv, program)
}

// moved is a place that replaces an older one.
type moved struct{ to, from place }

// read moves an entry that is still in the old place.
func (m moved) read() (string, error) {
	text, err := m.to.read()
	if err != nil || text != "" || m.from == nil {
		return text, err
	}
	old, err := m.from.read()
	if err != nil || old == "" {
		return "", err
	}
	if err := m.replace(""); err != nil {
		return "", err
	}
	return m.to.read()
}

func (m moved) replace(text string) error {
	err := m.to.replace(text)
	if err == nil && m.from != nil {
		err = m.from.remove()
	}
	return err
}

func (m moved) remove() error {
	err := m.to.remove()
	if m.from != nil {
		err = errors.Join(err, m.from.remove())
	}
	return err
}

func newEntry(goos string, getenv func(string) string, program string) Entry {
	home := getenv("HOME")
	e := Entry{program: program}
	switch {
	case goos == "windows":
		e.place, e.form = registryPlace(), runValue{}
	case goos == "darwin" && home != "":
		e.place, e.form = file(filepath.Join(home, "Library", "LaunchAgents", label+".plist")), launchAgent{}
	case goos != "darwin":
		config := getenv("XDG_CONFIG_HOME")
		if !filepath.IsAbs(config) && home != "" {
			config = filepath.Join(home, ".config")
		}
		if config != "" {
			e.place, e.form = file(filepath.Join(config, "autostart", "mac-stats.desktop")), desktopFile{}
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

// Set switches the entry on or off. If it already is, Set leaves it unchanged.
func (e Entry) Set(on bool) error {
	is, err := e.On()
	if err != nil {
		return err
	}
	if is == on {
		return nil
	}
	if !on {
		if err := e.place.remove(); err != nil {
			return fmt.Errorf("switch launch at login off: %w", err)
		}
		return nil
	}
	if e.place == nil {
		return ErrNotSupported
	}
	if strings.Contains(e.program, translocated) {
		return errTranslocated
	}
	if err := e.place.replace(e.form.text(e.program)); err != nil {
		return fmt.Errorf("switch launch at login on: %w", err)
	}
	return nil
}

// Follow updates the entry to this program if the program it names is gone, because the app
// has moved. It keeps people's other changes.
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
		return nil //nolint:nilerr // the program exists, or nobody can tell
	}
	if strings.Contains(e.program, translocated) {
		return errTranslocated
	}
	if err := e.place.replace(e.form.withProgram(text, e.program)); err != nil {
		return fmt.Errorf("name the program that starts at login: %w", err)
	}
	return nil
}

// Path returns the entry's file; "" if it isn't in a file.
func (e Entry) Path() string {
	f, _ := e.place.(file)
	return string(f)
}

// translocated is part of the path of an app that macOS runs from a temporary copy, because
// it was downloaded and not moved yet.
const translocated = "/AppTranslocation/"

var errTranslocated = errors.New("macOS runs mac-stats from a temporary copy: move mac-stats.app into the Applications folder with the Finder, and start it there")

// read returns the entry's text, "" if there is none.
func (e Entry) read() (string, error) {
	if e.place == nil {
		return "", nil
	}
	text, err := e.place.read()
	if err != nil {
		return "", fmt.Errorf("read whether mac-stats starts at login: %w", err)
	}
	return text, nil
}

// file is an entry in its own file.
type file string

// maxFile is how much of an entry is read, in bytes.
const maxFile = 64 << 10

func (f file) read() (string, error) {
	path := string(f)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		err = fmt.Errorf("%s is not a file of some lines", path)
	}
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

// replace replaces the file atomically.
func (f file) replace(text string) error {
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o755); err != nil {
		return err
	}
	tmp := string(f) + ".new"
	if err := os.WriteFile(tmp, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, string(f))
}

func (f file) remove() error {
	if err := os.Remove(string(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
