//go:build !nogui && unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// startDemo replaces this process by the demo.
func startDemo() error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start the demo: %w", err)
	}
	if err := syscall.Exec(exe, []string{exe, "--demo"}, os.Environ()); err != nil {
		return fmt.Errorf("start the demo: %w", err)
	}
	return nil
}
