//go:build !darwin || !cgo || ci

package desktop

// setDockIcon is of macOS alone.
func setDockIcon(bool) {}
