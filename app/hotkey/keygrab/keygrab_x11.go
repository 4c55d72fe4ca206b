//go:build !darwin && !windows

package keygrab

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"mac-stats/app/hotkey"
)

// repeat is the time within which a second press counts as the keyboard's repetition.
const repeat = 400 * time.Millisecond

// Grab is a registered hotkey.
type Grab struct {
	Kept  string // the key that the desktop has instead of the wanted one, if it tells
	close func()
}

// Close releases the key; pressed isn't called any more. pressed must not call Close.
func (g *Grab) Close() { g.close() }

// x11Grab is a key registered with an X server.
type x11Grab struct {
	conn    *xgb.Conn
	root    xproto.Window
	combo   hotkey.Combo
	pressed func()
	codes   []xproto.Keycode // registered at the moment
	done    sync.WaitGroup
}

// Take registers a key until Close. pressed is called for each press on the grab's
// goroutine, which waits for it. getenv, usually os.Getenv, names the display. Errors wrap
// ErrNotHere or ErrTaken, or say that the display can't be reached.
func Take(getenv func(string) string, combo hotkey.Combo, pressed func()) (*Grab, error) {
	if getenv("WAYLAND_DISPLAY") != "" {
		return askPortal(getenv("DBUS_SESSION_BUS_ADDRESS"), combo, pressed)
	}
	display := getenv("DISPLAY")
	if display == "" {
		return nil, fmt.Errorf("%w, because there is no display", ErrNotHere)
	}
	xgb.Logger.SetOutput(io.Discard) // by default it writes to stderr; we return its errors
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		return nil, fmt.Errorf("reach the display %s: %w", display, err)
	}
	g := &x11Grab{conn: conn, root: xproto.Setup(conn).DefaultScreen(conn).Root, combo: combo, pressed: pressed}
	if err := g.take(); err != nil {
		conn.Close()
		return nil, err
	}
	g.done.Go(g.wait)
	return &Grab{close: g.end}, nil
}

func (g *x11Grab) end() {
	g.conn.Close()
	g.done.Wait()
}

// wait passes presses on until the connection ends.
func (g *x11Grab) wait() {
	var last time.Time
	for {
		event, err := g.conn.WaitForEvent()
		if event == nil && err == nil {
			return
		}
		switch e := event.(type) {
		case xproto.KeyPressEvent:
			now := time.Now()
			if now.Sub(last) > repeat {
				g.pressed()
			}
			last = now
		case xproto.MappingNotifyEvent: // with another layout the key may be elsewhere
			if e.Request != xproto.MappingPointer {
				_ = g.take() // if it fails, the key is free until the next layout
			}
		}
	}
}

// take registers the key at its current place on the keyboard, with Caps Lock and Num Lock
// on and off, because X11 treats them as modifiers.
func (g *x11Grab) take() error {
	codes, err := g.find()
	if err != nil {
		return err
	}
	if slices.Equal(codes, g.codes) {
		return nil // another keyboard with the same layout sends this event at its first key
	}
	for _, code := range g.codes {
		for _, locks := range lockStates() {
			if err := xproto.UngrabKeyChecked(g.conn, code, g.root, g.modifiers()|locks).Check(); err != nil {
				return fmt.Errorf("give back %s: %w", g.combo, err)
			}
		}
	}
	g.codes = codes
	for _, code := range codes {
		for _, locks := range lockStates() {
			err := xproto.GrabKeyChecked(g.conn, true, g.root, g.modifiers()|locks, code, xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
			var access xproto.AccessError
			if errors.As(err, &access) {
				return fmt.Errorf("%s: %w; choose another for window.hotkey", g.combo, ErrTaken)
			}
			if err != nil {
				return fmt.Errorf("take %s: %w", g.combo, err)
			}
		}
	}
	return nil
}

// lockStates returns the combinations of Caps Lock and Num Lock.
func lockStates() []uint16 {
	return []uint16{0, xproto.ModMaskLock, xproto.ModMask2, xproto.ModMaskLock | xproto.ModMask2}
}

// modifiers returns the combination's modifiers; Alt and Super are where every keyboard map
// has them.
func (g *x11Grab) modifiers() uint16 {
	var mask uint16
	for _, m := range []struct {
		on   bool
		mask uint16
	}{
		{g.combo.Ctrl, xproto.ModMaskControl},
		{g.combo.Shift, xproto.ModMaskShift},
		{g.combo.Alt, xproto.ModMask1},
		{g.combo.Super, xproto.ModMask4},
	} {
		if m.on {
			mask |= m.mask
		}
	}
	return mask
}

// find returns the keyboard's codes for the key, without Shift and in the first layout.
func (g *x11Grab) find() ([]xproto.Keycode, error) {
	setup := xproto.Setup(g.conn)
	first, count := setup.MinKeycode, setup.MaxKeycode-setup.MinKeycode+1
	keys, err := xproto.GetKeyboardMapping(g.conn, first, byte(count)).Reply()
	if err != nil {
		return nil, fmt.Errorf("read the keyboard: %w", err)
	}
	wanted := keysym(g.combo.Key)
	var codes []xproto.Keycode
	per := int(keys.KeysymsPerKeycode)
	for i := 0; per > 0 && i < len(keys.Keysyms)/per; i++ {
		if keys.Keysyms[i*per] == wanted {
			codes = append(codes, first+xproto.Keycode(i))
		}
	}
	if len(codes) == 0 {
		return nil, fmt.Errorf("%s: this keyboard has no key %s", g.combo, g.combo.Key)
	}
	return codes, nil
}

// keysym returns the key's X11 number: Latin-1 for letters and digits, keysymdef.h for
// others.
func keysym(key string) xproto.Keysym {
	if len(key) == 1 {
		k := xproto.Keysym(key[0])
		if k >= 'A' && k <= 'Z' {
			k += 'a' - 'A'
		}
		return k
	}
	var n xproto.Keysym
	if _, err := fmt.Sscanf(key, "F%d", &n); err == nil {
		return 0xffbe + n - 1
	}
	return map[string]xproto.Keysym{
		"Space": 0x20, "Tab": 0xff09, "Enter": 0xff0d, "Escape": 0xff1b, "Backspace": 0xff08,
		"Insert": 0xff63, "Delete": 0xffff, "Home": 0xff50, "End": 0xff57, "PageUp": 0xff55, "PageDown": 0xff56,
		"Left": 0xff51, "Up": 0xff52, "Right": 0xff53, "Down": 0xff54,
	}[key]
}
