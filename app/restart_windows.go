//go:build !nogui && windows

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// startDemo starts the demo as a process of its own.
func startDemo() error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start the demo: %w", err)
	}
	cmd := exec.CommandContext(context.Background(), exe, "--demo")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the demo: %w", err)
	}
	return nil
}
