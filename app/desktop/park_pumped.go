//go:build darwin || windows

package desktop

import "time"

// parkFor is how long the loop is parked at a time. Here the loop itself pumps the
// events of the menu bar, so a click waits for the end of this. Not tried on a Mac or
// on Windows.
const parkFor = 250 * time.Millisecond
