package monitor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// The reasons not to ask a process to quit.
var (
	// ErrGone means that the process has ended; another one may have its PID by now.
	ErrGone = errors.New("it has ended already")
	// ErrProtected means that the process is never asked to quit.
	ErrProtected = errors.New("is never quit from here")
	// ErrNotAllowed means that the process belongs to another user.
	ErrNotAllowed = errors.New("belongs to another user: quit it with that user's rights")
)

// Quit asks a process to quit, or kills it if force is set. Both PID and start time must
// match, because PIDs are reused. It never touches this program or the system's first
// process.
func (m *Monitor) Quit(p Process, force bool) error {
	return quit(host{}, p, force)
}

// Runs reports whether a process still runs.
func (m *Monitor) Runs(p Process) bool {
	since, err := host{}.started(p.PID)
	return err == nil && since == p.Since
}

// Protected reports whether a process is never quit from here: this program, the system's
// first process and, on Linux, the kernel's own, which have no memory.
func (p Process) Protected() bool {
	return p.PID == int32(os.Getpid()) || p.ofTheSystem() || runtime.GOOS == "linux" && p.Memory == 0
}

func (p Process) ofTheSystem() bool {
	return p.PID <= 1 || p.PID == 2 && runtime.GOOS == "linux" || p.PID == 4 && runtime.GOOS == "windows"
}

func quit(h host, p Process, force bool) error {
	switch {
	case p.PID == int32(os.Getpid()):
		return fmt.Errorf("this is mac-stats itself, which %w: use Quit in its menu", ErrProtected)
	case p.ofTheSystem():
		return fmt.Errorf("%s (pid %d) is the system's own and %w", p.Name, p.PID, ErrProtected)
	}
	// On Linux this takes a handle of the process, so that the process checked next is the
	// one that gets the signal.
	process, err := os.FindProcess(int(p.PID))
	if err != nil {
		return ended(p, err)
	}
	defer func() { _ = process.Release() }() // nothing is lost if it fails
	since, err := h.started(p.PID)
	if err != nil {
		return ended(p, err)
	}
	if since != p.Since {
		return fmt.Errorf("%s (pid %d): %w, and its id belongs to another process now", p.Name, p.PID, ErrGone)
	}
	signal := os.Signal(syscall.SIGTERM)
	if force || runtime.GOOS == "windows" { // Windows has no gentler way
		signal = os.Kill
	}
	return ended(p, process.Signal(signal))
}

// ended words the system's error; nil stays nil.
func ended(p Process, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrProcessDone), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		return fmt.Errorf("%s (pid %d): %w", p.Name, p.PID, ErrGone)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s (pid %d) %w", p.Name, p.PID, ErrNotAllowed)
	}
	return fmt.Errorf("quitting %s (pid %d): %w", p.Name, p.PID, err)
}
