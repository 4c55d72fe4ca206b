//go:build !linux && !darwin

package registry

import (
	"os"
	"time"
)

// changed returns the modification time, as the system has no change time.
func changed(info os.FileInfo) time.Time { return info.ModTime() }
