//go:build !nogui && (windows || darwin)

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// startAgain starts the app with other arguments as a new process: the macOS window server
// identifies a process by its first program.
func startAgain(args ...string) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start mac-stats again: %w", err)
	}
	cmd := exec.CommandContext(context.Background(), exe, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start mac-stats again: %w", err)
	}
	return nil
}
