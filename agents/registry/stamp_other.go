//go:build !linux && !darwin

package registry

import (
	"os"
	"time"
)

// changed is the modification time where the system keeps no other.
func changed(info os.FileInfo) time.Time { return info.ModTime() }
