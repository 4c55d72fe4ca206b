package keygrab

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"

	"mac-stats/app/hotkey"
)

// Grab is a registered hotkey.
type Grab struct {
	Kept   string // always empty: Windows gives the wanted key or none
	thread uint32
	ended  chan struct{}
}

var (
	user32            = windows.NewLazySystemDLL("user32.dll")
	registerHotKey    = user32.NewProc("RegisterHotKey")
	unregisterHotKey  = user32.NewProc("UnregisterHotKey")
	getMessage        = user32.NewProc("GetMessageW")
	peekMessage       = user32.NewProc("PeekMessageW")
	postThreadMessage = user32.NewProc("PostThreadMessageW")
)

// Messages and constants of Windows (winuser.h).
const (
	wmQuit   = 0x0012
	wmHotkey = 0x0312

	modAlt, modControl, modShift, modWin, modNoRepeat = 1, 2, 4, 8, 0x4000

	hotkeyID = 1
)

// message is MSG.
type message struct {
	window  windows.HWND
	message uint32
	wParam  uintptr
	lParam  uintptr
	time    uint32
	x, y    int32
}

// Take registers a key until Close. pressed is called for each press on the grab's
// goroutine, which waits for it. Errors wrap ErrTaken or come from Windows.
func Take(_ func(string) string, combo hotkey.Combo, pressed func()) (*Grab, error) {
	g := &Grab{ended: make(chan struct{})}
	started := make(chan error)
	go g.run(combo, pressed, started)
	if err := <-started; err != nil {
		return nil, err
	}
	return g, nil
}

// run waits for the key. Its messages go to the thread that registered it.
func (g *Grab) run(combo hotkey.Combo, pressed func(), started chan<- error) {
	defer close(g.ended)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g.thread = windows.GetCurrentThreadId()
	var m message
	_, _, _ = peekMessage.Call(uintptr(unsafe.Pointer(&m)), 0, 0, 0, 0) // creates the thread's queue, which Close writes to
	if ok, _, err := registerHotKey.Call(0, hotkeyID, modifiers(combo), virtualKey(combo.Key)); ok == 0 {
		if errors.Is(err, windows.ERROR_HOTKEY_ALREADY_REGISTERED) {
			err = ErrTaken
		}
		started <- fmt.Errorf("%s: %w", combo, err)
		return
	}
	defer func() { _, _, _ = unregisterHotKey.Call(0, hotkeyID) }() // the end of the thread releases it too
	started <- nil
	for {
		if got, _, _ := getMessage.Call(uintptr(unsafe.Pointer(&m)), 0, 0, 0); int32(got) <= 0 {
			return
		}
		if m.message == wmHotkey {
			pressed()
		}
	}
}

// Close releases the key.
func (g *Grab) Close() {
	_, _, _ = postThreadMessage.Call(uintptr(g.thread), wmQuit, 0, 0) // fails only if the thread has ended
	<-g.ended
}

// modifiers returns the modifiers for RegisterHotKey. A key that is held down is reported
// once.
func modifiers(c hotkey.Combo) uintptr {
	var m uintptr = modNoRepeat
	for _, held := range []struct {
		on  bool
		bit uintptr
	}{{c.Alt, modAlt}, {c.Ctrl, modControl}, {c.Shift, modShift}, {c.Super, modWin}} {
		if held.on {
			m |= held.bit
		}
	}
	return m
}

// virtualKey returns the Windows number of a key of package hotkey.
func virtualKey(key string) uintptr {
	if len(key) == 1 { // letters and digits have the number of their character
		return uintptr(key[0])
	}
	const f1 = 0x70
	if n, err := strconv.Atoi(key[1:]); err == nil && key[0] == 'F' {
		return uintptr(f1 + n - 1)
	}
	return map[string]uintptr{
		"Space": 0x20, "Tab": 0x09, "Enter": 0x0D, "Escape": 0x1B, "Backspace": 0x08, "Insert": 0x2D, "Delete": 0x2E,
		"Home": 0x24, "End": 0x23, "PageUp": 0x21, "PageDown": 0x22, "Left": 0x25, "Right": 0x27, "Up": 0x26, "Down": 0x28,
	}[key]
}
