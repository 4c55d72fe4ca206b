package main

import "golang.org/x/sys/windows"

var allowSetForeground = windows.NewLazySystemDLL("user32.dll").NewProc("AllowSetForegroundWindow")

// allowForeground lets the running app bring its window to the front. The user just started
// this program, so it may pass that right on.
func allowForeground() {
	const toAnybody = ^uintptr(0) // ASFW_ANY
	_, _, _ = allowSetForeground.Call(toAnybody)
}
