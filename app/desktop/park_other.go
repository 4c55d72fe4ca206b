//go:build !darwin && !windows

package desktop

import "time"

// parkFor is how long the loop is parked at a time. Nothing waits for its end but
// what the window system wants of an app without windows, which is to answer in time
// whether it is still alive.
const parkFor = 5 * time.Second
