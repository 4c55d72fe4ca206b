// Package process runs other programs for tools: RUN_CMD and the servers of the Model
// Context Protocol.
//
// Rules:
//   - A program is started with a list of arguments, never through a shell.
//   - It gets the few variables of the environment that programs need, and none that may
//     hold a secret.
//   - When it exits, when it is killed, and when this process dies, everything it started
//     ends too. On Linux and Windows that includes children that detach themselves;
//     elsewhere a child that leaves the program's group (setsid) continues.
//   - It has limits of memory, of processes and of the size of a file (on Linux; on Windows
//     only the first two), so that it can't bring down the machine.
package process

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// passed are the variables that a program gets, in addition to those that begin with LC_.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "TEMP", "TMP", // Windows
}

// Environ returns the environment for a program, with more variables (NAME=value) added.
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

// Limits are the limits of a program and everything it started.
type Limits struct {
	Memory    uint64 // bytes; on Linux it also applies to each process
	File      uint64 // bytes of each file that it writes
	Processes int    // concurrent processes
}

// Usual returns the limits of an unknown program, including half of the machine's memory.
func Usual() Limits { return Limits{Memory: usualMemory(), File: 16 << 30, Processes: 512} }

// Process is a program that was started.
type Process struct {
	Cmd *exec.Cmd
	job job
}

// Start starts cmd. When its context is done, it is killed with everything it started; Wait
// returns when all of that has ended.
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

// Kill kills the program with everything it started, without waiting for that. It may be
// called more than once.
func (p *Process) Kill() { p.job.kill(p.Cmd.Process) }
