package autostart

import (
	"testing"

	"golang.org/x/sys/windows/registry"
)

// These tests run under Wine: make test-systems.

// testEntry returns an entry with its own registry keys.
func testEntry(t *testing.T) Entry {
	t.Helper()
	const top = `Software\mac-stats-test`
	place := runEntry{top + `\Run`, top + `\Approved`}
	t.Cleanup(func() {
		for _, path := range []string{place.run, place.approved, top} {
			_ = registry.DeleteKey(registry.CURRENT_USER, path) // it may be missing
		}
	})
	return Entry{place: place, form: runValue{}, program: `C:\Program Files\mac-stats\mac-stats.exe`}
}

func TestTheRunKey(t *testing.T) {
	e := testEntry(t)
	if isOn(t, e) {
		t.Error("on before anybody asked for it")
	}
	for range 2 {
		if err := e.Set(true); err != nil || !isOn(t, e) {
			t.Errorf("on: %v", err)
		}
	}
	// when it is switched off in the Task Manager
	key, _, err := registry.CreateKey(registry.CURRENT_USER, e.place.(runEntry).approved, registry.SET_VALUE)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	if err := key.SetBinaryValue(runName, []byte{3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}); err != nil {
		t.Fatal(err)
	}
	if isOn(t, e) {
		t.Error("switched off in the Task Manager, it is on")
	}
	// then our setting switches it on again
	if err := e.Set(true); err != nil || !isOn(t, e) {
		t.Errorf("on again: %v", err)
	}
	// and a program that moved is updated
	e.program = `D:\mac-stats.exe`
	if err := e.Follow(); err != nil {
		t.Fatal(err)
	}
	if text, err := e.read(); err != nil || text != `"D:\mac-stats.exe"` {
		t.Errorf("%q, %v", text, err)
	}
	for range 2 {
		if err := e.Set(false); err != nil || isOn(t, e) {
			t.Errorf("off: %v", err)
		}
	}
}
