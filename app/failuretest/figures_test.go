//go:build unix

package failuretest

import (
	"regexp"
	"runtime"
	"syscall"

	"github.com/ollama/ollama/api"
)

type request = api.ChatRequest

// figures are numbers that differ from machine to machine.
var figures = regexp.MustCompile(` \d[\d,]*\d`)

// maxResident is in bytes; the systems count differently.
func maxResident(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return u.Maxrss
	}
	return u.Maxrss << 10
}

// nobody is a user without rights.
func nobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
