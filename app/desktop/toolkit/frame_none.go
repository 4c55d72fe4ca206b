//go:build !cgo || ci

package toolkit

import "fyne.io/fyne/v2"

// Draw does nothing without a window system.
func Draw(fyne.App) {}
