//go:build unix

package sessionmem

import (
	"errors"
	"os"
)

// isDiskFull knows the errors of a full disk that have no common name.
func isDiskFull(error) bool { return false }

// syncDir makes a folder's entries durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
