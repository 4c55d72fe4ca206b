package cmdline_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli"
	"mac-stats/app/cli/clitest"
)

// brokenPipe accepts so many bytes; then its reader is gone.
type brokenPipe struct{ left int }

func (b *brokenPipe) Write(data []byte) (int, error) {
	if b.left -= len(data); b.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	}
	return len(data), nil
}

// fullDisk fails as a file on a full disk does.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestABrokenPipeEndsQuietly(t *testing.T) {
	t.Parallel()
	script := clitest.Answering("one two three four")
	script.Rules[0].Reply.Fault = &testkit.Fault{Kind: testkit.FaultHangMid, After: 3}
	e := clitest.New(t, script)
	for _, args := range [][]string{{"ask", "count"}, {"agents", "list", "--json"}, {"agents", "list"}, {"doctor"}, {"--help"}} {
		var stderr strings.Builder
		if code := cli.Run(t.Context(), e.Params("", &brokenPipe{left: 5}, &stderr), args); code != clitest.BrokenPipe || stderr.String() != "" {
			t.Errorf("%q: exit %d, stderr %q", args, code, stderr.String())
		}
	}
	if shown := e.Must(t, "sessions", "show"); !strings.Contains(shown, "count") {
		t.Errorf("the message is lost: %s", shown)
	}
	var stderr strings.Builder
	if code := cli.Run(t.Context(), e.Params("", fullDisk{}, &stderr), []string{"agents", "list"}); code != clitest.Failed || !clitest.OneLineOn(stderr.String(), "mac-stats: The output can't be written") {
		t.Errorf("a full disk: exit %d, %q", code, stderr.String())
	}
}
