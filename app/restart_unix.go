//go:build !nogui && unix && !darwin

package main

import (
	"fmt"
	"os"
	"syscall"
)

// startAgain replaces this process with the app and other arguments.
func startAgain(args ...string) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start mac-stats again: %w", err)
	}
	if err := syscall.Exec(exe, append([]string{exe}, args...), os.Environ()); err != nil {
		return fmt.Errorf("start mac-stats again: %w", err)
	}
	return nil
}
