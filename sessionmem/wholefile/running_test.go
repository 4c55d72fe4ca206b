package wholefile_test

import (
	"os"
	"os/exec"
	"testing"

	"mac-stats/sessionmem/wholefile"
)

func TestRunning(t *testing.T) {
	t.Parallel()
	if !wholefile.Running(os.Getpid()) {
		t.Error("the test itself doesn't run")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	over := exec.Command(program, "-test.run", "^$")
	if err := over.Run(); err != nil {
		t.Fatal(err)
	}
	if wholefile.Running(over.Process.Pid) {
		t.Errorf("%d ran to its end and runs", over.Process.Pid)
	}
}
