package wholefile

import (
	"os"

	"github.com/gofrs/flock"
)

// NewLock is a lock at path. To take it never waits for anything but its holder: a pipe
// of that name is as good a lock as a file.
func NewLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|noWait), flock.SetPermissions(0o600))
}
