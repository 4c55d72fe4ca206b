//go:build unix

package failuretest

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"
)

type request = api.ChatRequest

// figures are numbers that differ from machine to machine.
var figures = regexp.MustCompile(` \d[\d,]*\d`)

// peak is the most memory in bytes that a process had resident until it ended. Linux
// counts that of its parent, until it became a program of its own, with what it tells
// at the end: there it is asked while it runs.
func (r *process) peak() int64 {
	if runtime.GOOS != "linux" {
		<-r.ended
		if u, ok := r.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			return u.Maxrss
		}
		r.t.Fatal("the system doesn't tell what the process used")
	}
	var most int64
	for {
		most = max(most, highWater(r.cmd.Process.Pid))
		select {
		case <-r.ended:
			return most
		case <-time.After(time.Millisecond):
		}
	}
}

// highWater is the most a process on Linux had resident so far; 0 once it has ended.
func highWater(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(rest, "kB")
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}

// nobody is a user without rights.
func nobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
