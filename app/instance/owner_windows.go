package instance

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// noSockets reports whether listening failed because Windows is older than its unix
// sockets.
func noSockets(err error) bool { return errors.Is(err, windows.WSAEAFNOSUPPORT) }

// shortTemp is the user's own folder for temporary files.
func shortTemp() string { return os.TempDir() }

// userID need not tell users apart: the folder for temporary files is one's own.
func userID() string { return "user" }

// isOurs is always true: the folder is below the user's own.
func isOurs(fs.FileInfo) bool { return true }
