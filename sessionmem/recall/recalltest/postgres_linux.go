package recalltest

import (
	"os"
	"os/exec"
	"syscall"
)

// nobody is the user that the server runs as if the tests run as root, which it refuses.
const nobody = 65534

// Own makes the user that the server runs as the owner of a file or folder.
func Own(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(path, nobody, nobody)
}

// asServer makes a program run as that user and end with the tests.
func asServer(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
}
