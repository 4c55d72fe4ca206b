// Package autostart has the app started at login, and reads whether it is.
//
// Linux and its kin: a file in the autostart folder of the desktop. macOS: a launch
// agent, which System Settings lists under the login items, and which works for the bare
// program too; for a signed app the system's own list (SMAppService). Windows: a value in the
// registry's Run key, which the Task Manager lists under Startup apps.
//
// The system's word counts: a file that was removed or switched off by hand is off.
package autostart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotSupported: there is no place for an entry.
var ErrNotSupported = errors.New("launch at login: there is no home folder")

// Entry is what starts the app at login.
type Entry struct {
	place   place  // nil where there is none
	program string // what is started, absolute
	form    form
}

// place is where a system keeps the entry.
type place interface {
	read() (string, error) // "" where there is none, or the system ignores it
	replace(text string) error
	remove() error
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
	if own := systemPlace(program); own != nil {
		old := newEntry(system, getenv, program) // of the app before it was signed: both would start it
		return Entry{place: moved{own, old.place}, program: program, form: runValue{}}
	}
	return newEntry(system, getenv, program)
}

// moved is a place that takes over from another.
type moved struct{ to, from place }

// read moves an entry that is still in the other place.
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
	if strings.Contains(e.program, translocated) {
		return errTranslocated
	}
	if err := e.place.replace(e.form.withProgram(text, e.program)); err != nil {
		return fmt.Errorf("name the program that starts at login: %w", err)
	}
	return nil
}

// Path is the entry's file; "" where it is in none.
func (e Entry) Path() string {
	f, _ := e.place.(file)
	return string(f)
}

// translocated is in the path of an app that macOS runs from a copy it removes again
// when the app ends: one that was downloaded and not moved yet.
const translocated = "/AppTranslocation/"

var errTranslocated = errors.New("macOS runs mac-stats from a temporary copy: move mac-stats.app into the Applications folder with the Finder, and start it there")

// read gives the entry's text, "" where there is none.
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

// file is an entry in a file of its own.
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

// replace puts a file in place of the one before, whole at any time.
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
