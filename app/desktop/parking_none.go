//go:build !cgo || ci

package desktop

import "time"

// parkFor is how long the loop is parked at a time.
const parkFor = 5 * time.Second

// newParking returns a parking without events, because there is no window system.
func newParking() parking { return make(wakeChannel, 1) }
