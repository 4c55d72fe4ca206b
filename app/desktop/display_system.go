//go:build windows || darwin

package desktop

// checkDisplay has nothing to check: the system always has a window server.
func checkDisplay() error { return nil }
