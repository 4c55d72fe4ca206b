// Command bundle packs a built mac-stats as its systems want programs packed: for
// macOS an .app, for Linux a tarball with an installer. Everything about the program
// comes from FyneApp.toml. The same input gives the same bytes.
//
//	go run ./app/bundle version                        the version alone
//	go run ./app/bundle linux  BINARY OUT ARCH         OUT/mac-stats-<version>-linux-<arch>.tar.gz and its .sha256
//	go run ./app/bundle darwin BINARY OUT              OUT/mac-stats.app
//
// It runs at the root of the sources, on any system. `make package` calls it.
package main

import (
	"errors"
	"fmt"
	"os"
)

var errUsage = errors.New("usage: bundle version | linux BINARY OUT ARCH | darwin BINARY OUT")

func main() {
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// run does one command for the sources at root.
func run(root string, args []string) error {
	a, err := readAbout(root)
	if err != nil {
		return err
	}
	var made []string
	switch {
	case len(args) == 1 && args[0] == "version":
		made = []string{a.Details.Version}
	case len(args) == 4 && args[0] == "linux":
		made, err = packLinux(root, a, args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "darwin":
		made, err = packDarwin(root, a, args[1], args[2])
	default:
		return errUsage
	}
	for _, line := range made {
		fmt.Fprintln(os.Stdout, line)
	}
	return err
}
