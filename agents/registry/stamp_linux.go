package registry

import (
	"os"
	"syscall"
	"time"
)

// changed returns when the file's content or attributes last changed (ctime). Unlike the
// modification time, no program can set it back.
func changed(info os.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(s.Ctim.Sec), int64(s.Ctim.Nsec)) //nolint:unconvert // 32-bit on some machines
	}
	return info.ModTime()
}
