//go:build linux

package keygrab

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"mac-stats/app/hotkey"
	"mac-stats/sessionmem/filetest"
)

// startX starts an X server without a visible screen and returns its DISPLAY.
func startX(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-noreset", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v (scripts/setup.sh test installs it)", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // nothing else needs to be closed
		_ = cmd.Wait()
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return ":" + strings.TrimSpace(number)
}

// on returns an environment with this X11 display.
func on(display string) func(string) string {
	return func(key string) string {
		if key == "DISPLAY" {
			return display
		}
		return ""
	}
}

// fingers presses keys as a person does.
type fingers struct {
	t    *testing.T
	conn *xgb.Conn
}

func newFingers(t *testing.T, display string) *fingers {
	t.Helper()
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := xtest.Init(conn); err != nil {
		t.Fatal(err)
	}
	return &fingers{t: t, conn: conn}
}

// press presses keys by their X11 numbers, each held down while the next is pressed.
func (f *fingers) press(keys ...xproto.Keysym) {
	f.t.Helper()
	var codes []byte
	setup := xproto.Setup(f.conn)
	mapping, err := xproto.GetKeyboardMapping(f.conn, setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1)).Reply()
	if err != nil {
		f.t.Fatal(err)
	}
	per := int(mapping.KeysymsPerKeycode)
	for _, key := range keys {
		for i := range len(mapping.Keysyms) / per {
			if mapping.Keysyms[i*per] == key {
				codes = append(codes, byte(setup.MinKeycode)+byte(i))
				break
			}
		}
	}
	if len(codes) != len(keys) {
		f.t.Fatalf("keys %x are at %v", keys, codes)
	}
	for _, code := range codes {
		f.fake(xproto.KeyPress, code)
	}
	for i := range codes {
		f.fake(xproto.KeyRelease, codes[len(codes)-1-i])
	}
}

func (f *fingers) fake(what, code byte) {
	f.t.Helper()
	if err := xtest.FakeInputChecked(f.conn, what, code, 0, 0, 0, 0, 0).Check(); err != nil {
		f.t.Fatal(err)
	}
}

// X11 key numbers.
const (
	control = 0xffe3
	alt     = 0xffe9
	caps    = 0xffe5
	letterK = 'k'
	space   = 0x20
)

func combo(t *testing.T, text string) hotkey.Combo {
	t.Helper()
	c, err := hotkey.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTakeAndClose(t *testing.T) {
	display := startX(t)
	hands := newFingers(t, display)
	pressed := make(chan time.Time, 16)
	grab, err := Take(on(display), combo(t, "Ctrl+Alt+Space"), func() { pressed <- time.Now() })
	if err != nil {
		t.Fatal(err)
	}
	wait := func(what string) {
		t.Helper()
		filetest.Until(t, what, func() bool { return len(pressed) > 0 })
		<-pressed
	}
	hands.press(control, alt, space)
	wait("pressed")
	time.Sleep(2 * repeat)
	hands.press(caps)
	hands.press(control, alt, space)
	wait("with Caps Lock on")
	hands.press(caps)
	time.Sleep(2 * repeat)
	hands.press(control, alt, space) // twice in a row, like a key that repeats
	hands.press(control, alt, space)
	wait("held down")
	hands.press(control, space)
	hands.press(alt, space)
	hands.press(control, alt, letterK)

	// when another program wants it, then it gets an error
	if _, err := Take(on(display), combo(t, "Alt+Ctrl+Space"), func() {}); !errors.Is(err, ErrTaken) || !strings.Contains(err.Error(), "Ctrl+Alt+Space") {
		t.Errorf("taken twice: %v", err)
	}
	grab.Close()
	if len(pressed) != 0 {
		t.Errorf("%d more came than were pressed", len(pressed))
	}

	// when it was released, then others can register it, and no presses arrive any more
	other, err := Take(on(display), combo(t, "Ctrl+Alt+Space"), func() {})
	if err != nil {
		t.Fatal(err)
	}
	hands.press(control, alt, space)
	other.Close()
	if len(pressed) != 0 {
		t.Error("a key came after Close")
	}
}

func TestEveryKeyIsOnAnX11Keyboard(t *testing.T) {
	display := startX(t)
	for _, key := range append(hotkey.Keys(), "A", "Z", "0", "9", "F1", "F12") {
		grab, err := Take(on(display), combo(t, "Super+"+key), func() {})
		if err != nil {
			t.Error(err)
			continue
		}
		grab.Close()
	}
}

func TestTakeWithoutADesktop(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"Wayland":    {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"},
		"no display": {},
	} {
		_, err := Take(func(key string) string { return env[key] }, combo(t, "F5"), func() {})
		if !errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Take(on("/tmp/nothing/here:0"), combo(t, "F5"), func() {}); err == nil {
		t.Error("a display that isn't there is no error")
	}
}
