//go:build !cgo || ci

package desktop

import "time"

// parkFor is how long the loop is parked at a time.
const parkFor = 5 * time.Second

// newParking: without a window system there are no events to wait for.
func newParking() parking { return make(wakeChannel, 1) }
