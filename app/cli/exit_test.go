package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"mac-stats/agents/fault"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/config"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Each kind of error has its exit code and, on stderr, one line with the next step.
func TestErrorsOfCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err     error
		stopped bool // by Ctrl-C
		code    int
		says    string // "" for nothing
	}{
		{nil, false, exitDone, ""},
		{errors.New("unknown flag"), false, exitUsage, "mac-stats: unknown flag\n"},
		{&failure{cmdline.ErrFindings}, false, exitFailed, ""},
		{&failure{cmdline.Problem("It is gone.", "Look for it.")}, false, exitFailed, "mac-stats: It is gone. Look for it.\n"},
		{&failure{context.Canceled}, true, exitInterrupted, ""},
		{&failure{&fault.Locked{Who: "window", Cause: context.Canceled}}, true, exitInterrupted, "mac-stats: "},
		{&failure{errors.New("it broke")}, true, exitFailed, "mac-stats: "},
		{&failure{fmt.Errorf("%w: \"a\"", session.ErrNotFound)}, false, exitFailed, "mac-stats: No such session: \"a\".\n"},
		{&failure{transcript.ErrBadName}, false, exitFailed, "mac-stats: "},
		{&failure{session.ErrBusy}, false, exitFailed, "Wait until it has ended, or stop it, then try again.\n"},
		{&failure{config.ErrNoHome}, false, exitFailed, "mac-stats: The home folder is not known. Set HOME, or MAC_STATS_HOME to the folder to use.\n"},
		{&failure{memory.ErrNothingToUndo}, false, exitFailed, "mac-stats: "},
		{&failure{memory.ErrNoLine}, false, exitFailed, "`mac-stats memory list` shows the lines.\n"},
		{&failure{memory.ErrFull}, false, exitFailed, "`mac-stats memory list` shows the lines.\n"},
		{&failure{memory.ErrDuplicate}, false, exitFailed, "mac-stats: Memory already says so. `mac-stats memory list` shows it.\n"},
		{&failure{fmt.Errorf("%w: it is empty", lesson.ErrRejected)}, false, exitFailed, "it is empty.\n"},
		{&failure{&backend.FolderError{Folder: "/a/b", Err: fs.ErrNotExist}}, false, exitFailed, "mac-stats: The data folder /a/b can't be made. Set MAC_STATS_HOME to another folder.\n"},
	} {
		var stderr strings.Builder
		c := cmdline.New(cmdline.Params{Stdout: io.Discard, Stderr: &stderr}, func(error) {})
		ctx, stop := context.WithCancel(t.Context())
		if tt.stopped {
			stop()
		}
		code := exitCode(ctx, c, tt.err)
		stop()
		if got := stderr.String(); code != tt.code || !strings.Contains(got, tt.says) || (tt.says == "") != (got == "") || strings.Count(got, "\n") > 1 {
			t.Errorf("%v: exit %d, %q", tt.err, code, got)
		}
	}
}
