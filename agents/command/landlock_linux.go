package command

import (
	"fmt"
	"os"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// leastLandlock is the version of Landlock that also knows truncating and TCP.
const leastLandlock = 4

func hasLandlock() bool {
	version, err := llsys.LandlockGetABIVersion()
	return err == nil && version >= leastLandlock
}

// enter restricts this process to the folder and becomes the program; it returns where
// that fails.
func enter(folder string, network bool, argv []string) int {
	var readable []string
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/proc", "/sys", "/nix", "/snap"} {
		if _, err := os.Stat(dir); err == nil {
			readable = append(readable, dir)
		}
	}
	config := landlock.V4
	err := config.RestrictPaths(landlock.RODirs(readable...), landlock.RWDirs(folder), landlock.RWFiles("/dev/null", "/dev/zero", "/dev/urandom"))
	if err == nil && !network {
		err = config.RestrictNet()
	}
	if err == nil {
		err = landlock.V6.BestEffort().RestrictScoped() // no signals to others, no abstract sockets of theirs
	}
	if err == nil {
		err = syscall.Exec(argv[0], argv, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "mac-stats: "+argv[0]+" can't be run:", err)
	return 126
}
