package keygrab

import (
	"fmt"

	"mac-stats/app/hotkey"
)

// Grab is a registered hotkey.
type Grab struct{ Kept string }

// Take fails: macOS isn't supported yet.
func Take(_ func(string) string, _ hotkey.Combo, _ func()) (*Grab, error) {
	return nil, fmt.Errorf("%w on this system yet: %s", ErrNotHere, instead)
}

// Close releases the key.
func (g *Grab) Close() {}
