// Package keygrab takes a key for the whole desktop: pressing it calls us whatever
// program has the keyboard. It works on X11 and on Windows. On Wayland the desktop is
// asked for it (the portal's GlobalShortcuts), and macOS is not supported yet; where
// there is no such key, an error says what to do instead.
//
// Nothing is taken, and nothing runs, before Take is called. Waiting for a key costs
// nothing.
package keygrab

import "errors"

// ErrNotHere: this desktop gives programs no such keys. The error that wraps it says
// what to do instead.
var ErrNotHere = errors.New("this desktop lets no program take a key")

// ErrTaken: another program has the key.
var ErrTaken = errors.New("another program has this key already")
