//go:build !darwin || !cgo || ci

package desktop

// begin: the system asks nothing of us but by its window system.
func (d *Desktop) begin() {}

// setShown is of macOS alone.
func setShown(bool) {}

// setBusy is of macOS alone.
func setBusy(bool) {}
