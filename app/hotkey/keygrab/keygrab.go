// Package keygrab registers a hotkey for the whole desktop: pressing it reaches the app
// whatever program has the keyboard focus. It works on X11 and Windows. On Wayland it asks the
// desktop (the portal's GlobalShortcuts). macOS isn't supported yet. If a desktop offers no
// hotkeys, the error says what to do instead.
//
// Nothing is registered and nothing runs before Take is called. Waiting for the key costs
// nothing.
package keygrab

import "errors"

// ErrNotHere means that this desktop offers programs no hotkeys. The error that wraps it
// says what to do instead.
var ErrNotHere = errors.New("this desktop lets no program take a key")

// ErrTaken means that another program has the key.
var ErrTaken = errors.New("another program has this key already")
