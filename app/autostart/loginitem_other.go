//go:build !darwin || !cgo || ci

package autostart

// systemPlace returns nil: only signed apps on macOS have one.
func systemPlace(string) place { return nil }
