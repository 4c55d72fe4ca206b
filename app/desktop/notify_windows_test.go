package desktop

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Run under Wine: make test-systems.

func TestNotificationOnWindows(t *testing.T) {
	n := newNotifier(nil)
	pressed := make(chan string, 4)
	for _, title := range []string{"first", "second"} {
		// what would be run by a shell stays text
		if err := n.send(note{title: title, body: "$(calc) \"; & `x`", clicked: func() { pressed <- title }}); err != nil {
			t.Fatal(err)
		}
	}
	// when it is pressed, as the taskbar tells
	if ok, _, err := postMessage.Call(uintptr(n.window), wmNotice, noticeIcon, balloonClick); ok == 0 {
		t.Fatal(err)
	}
	select {
	case got := <-pressed:
		if got != "second" {
			t.Errorf("%s was pressed", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("pressed, and nothing came")
	}
	n.close()
	n.close()
	if err := n.send(note{title: "late"}); err != nil {
		t.Error(err)
	}
}

func TestTextOfANotificationFits(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"short":                       "short",
		"with\x00zero":                "withzero",
		strings.Repeat("x", 100):      strings.Repeat("x", 63),
		strings.Repeat("x", 62) + "😀": strings.Repeat("x", 62),
	} {
		var field [64]uint16
		fill(field[:], text)
		if got := windows.UTF16ToString(field[:]); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	if size := unsafe.Sizeof(notifyIcon{}); unsafe.Sizeof(uintptr(0)) == 8 && size != 976 {
		t.Errorf("NOTIFYICONDATAW has %d bytes, want 976", size)
	}
}
