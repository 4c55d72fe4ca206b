//go:build !darwin || !cgo || ci

package desktop

// setShown is only needed on macOS.
func setShown(bool) {}

// setBusy is only needed on macOS.
func setBusy(bool) {}
