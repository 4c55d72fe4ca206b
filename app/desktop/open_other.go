//go:build !windows && !darwin && !(linux && cgo && !ci && (x11 || !wayland))

package desktop

// openX11 does nothing: this build has no X library to ask.
func openX11(string) error { return nil }
