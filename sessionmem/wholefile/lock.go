package wholefile

import (
	"os"

	"github.com/gofrs/flock"
)

// NewLock returns a lock at path. Taking it waits only for its holder: a pipe with that
// name works as a lock too.
func NewLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|noWait), flock.SetPermissions(0o600))
}
