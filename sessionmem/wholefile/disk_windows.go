package wholefile

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isDiskFull recognises the errors of a full disk that have no common name.
func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// SyncFolder does nothing: NTFS journals its folders, and Windows can't sync a folder.
func SyncFolder(string) error { return nil }
