//go:build !linux

package postgrestest

import "os/exec"

// Own gives a file or folder to the user that the server runs as.
func Own(string) error { return nil }

func asServer(*exec.Cmd) {}
