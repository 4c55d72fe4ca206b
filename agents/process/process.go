// Package process runs other programs for tools: RUN_CMD and the servers of the Model
// Context Protocol.
//
// Rules:
//   - A program is started with a list of arguments, never through a shell.
//   - It gets the few variables of the environment that programs need, and none that may
//     hold a secret.
//   - It heads a process group of its own, which is killed as a whole. On Linux it is
//     killed when this process dies, on Windows all of its children are too.
package process

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
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

// Process is a program that was started.
type Process struct {
	Cmd *exec.Cmd
	job job
}

// Start starts cmd at the head of its own group. The end of its context kills the group,
// and Wait returns soon after (WaitDelay, 2 s where it isn't set).
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{Cmd: cmd}
	prepare(cmd)
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { p.Kill(); return os.ErrProcessDone }
	}
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = 2 * time.Second // what has left the group may hold the pipes open
	}
	if err := start(cmd); err != nil {
		return nil, err
	}
	p.job.take(cmd.Process)
	return p, nil
}

// Kill kills the whole group at once. It may be called more than once.
func (p *Process) Kill() { p.job.kill(p.Cmd.Process) }
