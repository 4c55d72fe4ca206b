//go:build !windows

package winclip

// Read returns ErrNone: only Windows is supported.
func Read() ([]byte, error) { return nil, ErrNone }
