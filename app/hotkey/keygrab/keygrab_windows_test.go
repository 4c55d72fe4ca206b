package keygrab

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mac-stats/app/hotkey"
)

// This test runs under Wine: make test-systems.

func TestTakeAndCloseOnWindows(t *testing.T) {
	combo, err := hotkey.Parse("Ctrl+Alt+F7")
	if err != nil {
		t.Fatal(err)
	}
	pressed := make(chan struct{}, 16)
	grab, err := Take(nil, combo, func() { pressed <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	// the message that the system posts at a press
	if ok, _, err := postThreadMessage.Call(uintptr(grab.thread), wmHotkey, hotkeyID, 0); ok == 0 {
		t.Fatal(err)
	}
	select {
	case <-pressed:
	case <-time.After(time.Minute):
		t.Fatal("pressed, and nothing came")
	}
	if _, err := Take(nil, combo, func() {}); !errors.Is(err, ErrTaken) || !strings.Contains(err.Error(), "Ctrl+Alt+F7") {
		t.Errorf("taken twice: %v", err)
	}
	grab.Close()
	again, err := Take(nil, combo, func() {})
	if err != nil {
		t.Fatalf("given back and taken again: %v", err)
	}
	again.Close()
}

func TestEveryKeyHasANumber(t *testing.T) {
	for _, key := range append(hotkey.Keys(), "A", "Z", "0", "9", "F1", "F24") {
		if virtualKey(key) == 0 {
			t.Errorf("%s has none", key)
		}
	}
	if got := virtualKey("F24"); got != 0x87 {
		t.Errorf("F24 is %#x", got)
	}
}
