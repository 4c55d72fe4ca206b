//go:build windows || darwin

package desktop

// checkDisplay does nothing: the system always has a window server.
func checkDisplay() error { return nil }
