package osopen

import (
	"context"
	"os/exec"
	"syscall"
)

// selectInExplorer shows a file in Explorer, which parses its command line in its own way:
// the path is quoted, the switch before it is not.
func selectInExplorer(ctx context.Context, path string) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "explorer.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: explorerLine(path)}
	return startCommand(cmd)
}

func explorerLine(path string) string { return `explorer.exe /select,"` + path + `"` }
