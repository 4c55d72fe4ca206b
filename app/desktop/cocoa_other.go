//go:build !darwin || !cgo || ci

package desktop

// setShown is of macOS alone.
func setShown(bool) {}

// setBusy is of macOS alone.
func setBusy(bool) {}
