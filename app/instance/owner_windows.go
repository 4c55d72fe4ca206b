package instance

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// noSockets reports whether listening failed because this Windows has no unix sockets.
func noSockets(err error) bool { return errors.Is(err, windows.WSAEAFNOSUPPORT) }

// shortTemp returns the user's temporary folder.
func shortTemp() string { return os.TempDir() }

// userID is constant, because every user has a temporary folder of their own.
func userID() string { return "user" }

// isOurs is always true, because the folder is below the user's own.
func isOurs(fs.FileInfo) bool { return true }
