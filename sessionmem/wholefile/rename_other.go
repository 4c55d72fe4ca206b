//go:build !windows

package wholefile

import "os"

// Rename is os.Rename. On Windows it is tried again for about a second where another
// program has one of the files open.
func Rename(from, to string) error { return os.Rename(from, to) }
