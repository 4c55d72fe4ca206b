// Package process runs other programs for tools: RUN_CMD and the servers of the Model
// Context Protocol.
//
// Rules:
//   - A program is started with a list of arguments, never through a shell.
//   - It gets the few variables of the environment that programs need, and none that may
//     hold a secret.
//   - It ends with all that it started: when it ends itself, when it is killed, and when
//     this process dies. On Linux and Windows that holds for children that detach
//     themselves, too; elsewhere what leaves the program's group (setsid) goes on.
//   - It has limits of memory, of processes and of the size of a file (Linux; on Windows of
//     the first two), so that it can't take the machine with it.
package process

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// passed are the variables that a program gets; those that begin with LC_ as well.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "TEMP", "TMP", // Windows
}

// Environ is the environment for a program, with more variables (NAME=value) added.
func Environ(environ []string, more ...string) []string {
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if name = strings.ToUpper(name); slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") {
			out = append(out, kv)
		}
	}
	return append(out, more...)
}

// Limits are for a program with all that it started.
type Limits struct {
	Memory    uint64 // bytes; on Linux also of each process alone
	File      uint64 // bytes of each file that it writes
	Processes int    // at the same time
}

// Usual are the limits of a program that nothing else is known of: half of the memory.
func Usual() Limits { return Limits{Memory: usualMemory(), File: 16 << 30, Processes: 512} }

// Process is a program that was started.
type Process struct {
	Cmd *exec.Cmd
	job job
}

// Start starts cmd. The end of its context kills it with all that it started, and Wait
// returns when that has ended.
func Start(cmd *exec.Cmd, limits Limits) (*Process, error) {
	p := &Process{Cmd: cmd}
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { p.Kill(); return os.ErrProcessDone }
	}
	if err := start(cmd, limits); err != nil {
		return nil, err
	}
	p.job.take(cmd.Process, limits)
	return p, nil
}

// Kill kills the program with all that it started, and doesn't wait for that. It may be
// called more than once.
func (p *Process) Kill() { p.job.kill(p.Cmd.Process) }
