package desktop

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// These tests run under Wine: make test-systems.

func TestNotificationOnWindows(t *testing.T) {
	n := newNotifier(nil, nil)
	pressed := make(chan string, 4)
	for _, title := range []string{"first", "second"} {
		// text that a shell would run stays text
		if err := n.send(note{title: title, body: "$(calc) \"; & `x`", clicked: func() { pressed <- title }}); err != nil {
			t.Fatal(err)
		}
	}
	// when it is clicked, with the taskbar's message
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

func TestTheEndOfTheSessionOnWindows(t *testing.T) {
	u := newUI(t)
	l := newLoop(u.post, never, ignore, time.Second, make(wakeChannel, 1))
	l.start()
	var did []string
	d := &Desktop{loop: l, notifier: newNotifier(nil, nil), onTerminate: func() func() {
		did = append(did, "typed text")
		return func() { did = append(did, "the rest") }
	}}
	d.begin()
	send := user32.NewProc("SendMessageW")
	_, _, _ = send.Call(uintptr(d.notifier.window), wmEnd, 0, 0) // another program refused, so the session continues
	if len(did) > 0 {
		t.Errorf("the session goes on, and it did %v", did)
	}
	_, _, _ = send.Call(uintptr(d.notifier.window), wmEnd, 1, 0)
	if !slices.Equal(did, []string{"typed text", "the rest"}) {
		t.Errorf("at the end it did %v", did)
	}
	l.stop()
	l.setVisible(true) // releases a parked turn
	d.notifier.close()
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
