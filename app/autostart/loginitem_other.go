//go:build !darwin || !cgo || ci

package autostart

// systemPlace is of a signed app on macOS alone.
func systemPlace(string) place { return nil }
