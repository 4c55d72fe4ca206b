package command

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A program in a sandbox can't end this one.
func TestNoSignalLeavesTheSandbox(t *testing.T) {
	inEach(t, func(t *testing.T, box sandbox) {
		if box.kind == noSandbox || box.kind == landlocked && landlockVersion() < scopesLandlock {
			return // that sandbox can't prevent it
		}
		tool, _ := newTool(t)
		if got, err := run(t, tool, fmt.Sprintf("sh -c 'kill -0 %d'", os.Getpid())); err != nil || !strings.Contains(got.Text, "[exit status") {
			t.Errorf("%q %v", got.Text, err)
		}
	})
}
