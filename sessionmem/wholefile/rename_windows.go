package wholefile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// How long to wait for a file that another program has open, because Windows doesn't allow
// replacing it meanwhile. Scanners and indexers open a file briefly after it was written.
const (
	renameTime = time.Second
	firstRest  = 2 * time.Millisecond
)

// Rename is os.Rename, but tries again for about a second if another program has one of the
// files open.
func Rename(from, to string) error {
	began := time.Now()
	for rest := firstRest; ; rest *= 2 {
		err := os.Rename(from, to)
		if err == nil || !inUse(err) || time.Since(began)+rest > renameTime {
			return err
		}
		time.Sleep(rest)
	}
}

func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
