//go:build !linux || !cgo || ci

package desktop

// trimC is for glibc alone.
func trimC() {}
