//go:build windows || darwin

package desktop

// findDisplay does nothing: the system always has a window server.
func findDisplay(func(string) string) (platform string, err error) { return "", nil }
