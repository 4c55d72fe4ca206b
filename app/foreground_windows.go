package main

import "golang.org/x/sys/windows"

var allowForeground = windows.NewLazySystemDLL("user32.dll").NewProc("AllowSetForegroundWindow")

// lendForeground lets the app that runs bring its window in front: this program was just
// started by the user, and may hand that right on.
func lendForeground() {
	const toAnybody = ^uintptr(0) // ASFW_ANY
	_, _, _ = allowForeground.Call(toAnybody)
}
