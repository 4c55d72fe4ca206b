//go:build !windows

package winclip

// Read finds nothing here.
func Read() ([]byte, error) { return nil, ErrNone }
