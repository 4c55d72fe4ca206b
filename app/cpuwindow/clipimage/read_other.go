//go:build !windows

package clipimage

// readWindows returns ErrNone: only Windows is supported.
func readWindows() ([]byte, error) { return nil, ErrNone }
