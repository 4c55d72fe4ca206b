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

// figures matches numbers that differ between machines.
var figures = regexp.MustCompile(` \d[\d,]*\d`)

// peak returns the largest resident memory of an ended process, in bytes. Linux includes
// that of the parent until exec, so there it is read while the process runs.
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

// highWater returns the largest resident memory of a process on Linux so far; 0 after its
// end.
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

// nobody returns a user without privileges.
func nobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
