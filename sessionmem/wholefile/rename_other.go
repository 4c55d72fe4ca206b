//go:build !windows

package wholefile

import "os"

// Rename is os.Rename. On Windows it tries again for about a second if another program has
// one of the files open.
func Rename(from, to string) error { return os.Rename(from, to) }
