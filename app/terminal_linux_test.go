package main

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Input typed before a question appeared isn't its answer.
func TestTypedAheadIsDropped(t *testing.T) {
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal:", err)
	}
	defer keys.Close()
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	screen := terminal{f}
	fmt.Fprint(keys, "y\ny")
	screen.Flush()
	fmt.Fprint(keys, "n\n")
	if line, err := bufio.NewReader(screen).ReadString('\n'); line != "n\n" {
		t.Errorf("read %q %v", line, err)
	}
}
