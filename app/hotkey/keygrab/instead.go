//go:build !windows

package keygrab

// instead is the alternative that works everywhere.
const instead = "bind the command mac-stats to a key in the keyboard settings of your desktop: a second start shows the window"
