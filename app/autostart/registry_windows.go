package autostart

import (
	"errors"

	"golang.org/x/sys/windows/registry"
)

// The keys below HKEY_CURRENT_USER, and the name of our value in both. In the second one
// the system records what was switched off in the Task Manager or in Settings: the lowest
// bit of the first byte.
const (
	runKey      = `Software\Microsoft\Windows\CurrentVersion\Run`
	approvedKey = `Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`
	runName     = "mac-stats"
)

// runEntry is our value in the Run key.
type runEntry struct{ run, approved string }

func registryPlace() place { return runEntry{runKey, approvedKey} }

func (e runEntry) read() (string, error) {
	if e.switchedOff() {
		return "", nil
	}
	key, err := registry.OpenKey(registry.CURRENT_USER, e.run, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = key.Close() }() // nothing is lost
	text, _, err := key.GetStringValue(runName)
	if errors.Is(err, registry.ErrNotExist) {
		return "", nil
	}
	return text, err
}

// switchedOff reports whether the system ignores the entry.
func (e runEntry) switchedOff() bool {
	key, err := registry.OpenKey(registry.CURRENT_USER, e.approved, registry.QUERY_VALUE)
	if err != nil {
		return false // nothing was ever switched off
	}
	defer func() { _ = key.Close() }() // nothing is lost
	state, _, err := key.GetBinaryValue(runName)
	return err == nil && len(state) > 0 && state[0]&1 == 1
}

func (e runEntry) replace(text string) error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, e.run, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer func() { _ = key.Close() }() // nothing is lost
	if err := key.SetStringValue(runName, text); err != nil {
		return err
	}
	return deleteValue(e.approved)
}

func (e runEntry) remove() error { return deleteValue(e.run) }

func deleteValue(path string) error {
	key, err := registry.OpenKey(registry.CURRENT_USER, path, registry.SET_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = key.Close() }() // nothing is lost
	if err := key.DeleteValue(runName); err != nil && !errors.Is(err, registry.ErrNotExist) {
		return err
	}
	return nil
}
