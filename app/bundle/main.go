// Command bundle packs a built mac-stats in the usual form for each system: an .app for
// macOS, a tarball with an installer and a Debian package for Linux, a zip for Windows. All
// facts about the program come from FyneApp.toml. The same input produces the same bytes: the
// time of all files is SOURCE_DATE_EPOCH.
//
//	go run ./app/bundle version                        print the version
//	go run ./app/bundle linux  BINARY OUT ARCH         OUT/mac-stats-<version>-linux-<arch>.tar.gz and its .sha256
//	go run ./app/bundle debian BINARY OUT ARCH         OUT/mac-stats_<version>_<arch>.deb and its .sha256
//	go run ./app/bundle darwin BINARY OUT              OUT/mac-stats.app
//	go run ./app/bundle windows BINARY OUT ARCH        OUT/mac-stats-<version>-windows-<arch>.zip and its .sha256
//	go run ./app/bundle resources OUT                  OUT/mac-stats.rc and the files it names, for windres
//
// Run it at the root of the sources, on any system. `make package` does.
package main

import (
	"errors"
	"fmt"
	"os"
)

var errUsage = errors.New("usage: bundle version | linux|debian|windows BINARY OUT ARCH | darwin BINARY OUT | resources OUT")

func main() {
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// run runs one command for the sources at root.
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
	case len(args) == 4 && args[0] == "debian":
		made, err = packDebian(root, a, args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "windows":
		made, err = packWindows(root, a, args[1], args[2], args[3])
	case len(args) == 2 && args[0] == "resources":
		made, err = writeResources(root, a, args[1])
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
