package keygrab

import (
	"fmt"

	"mac-stats/app/hotkey"
)

// Grab is a key that was taken.
type Grab struct{}

// Take fails here: it is not supported yet.
func Take(_ func(string) string, _ hotkey.Combo, _ func()) (*Grab, error) {
	return nil, fmt.Errorf("%w on this system yet: %s", ErrNotHere, instead)
}

// Close gives the key back.
func (g *Grab) Close() {}
