//go:build !linux || !cgo || ci || (x11 && !wayland) || (!x11 && wayland)

package desktop

import "fyne.io/fyne/v2"

// raise does nothing: elsewhere showing a window raises it.
func raise(fyne.Window, string, bool) {}

// fit does nothing: elsewhere the system limits the size of windows, or has other units.
func fit(fyne.Window) {}
