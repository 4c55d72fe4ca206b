//go:build unix

package wholefile

import (
	"errors"
	"os"
)

// isDiskFull recognises the errors of a full disk that have no common name.
func isDiskFull(error) bool { return false }

// SyncFolder makes a folder's entries durable.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
