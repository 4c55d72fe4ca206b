package monitor

import (
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"strconv"
	"time"
)

// ps runs the system's ps, which can see the processes of all users.
func ps(ctx context.Context, which ...string) ([]usage, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/ps", append(which, "-o", "pid=,lstart=,time=,rss=,comm=")...)
	cmd.Env = []string{"LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running ps: %w", err)
	}
	return parsePS(string(out), time.Local), nil
}

// started returns when a process started, in milliseconds since 1970, rounded to seconds.
func (h host) started(pid int32) (int64, error) {
	all, err := ps(context.Background(), "-p", strconv.Itoa(int(pid)))
	if err != nil || len(all) != 1 {
		return 0, fs.ErrNotExist // ps fails if there is none
	}
	return all[0].started, nil
}

// list asks ps. That is more expensive than on Linux, another reason to list only while
// shown.
func (r *processReader) list(ctx context.Context) ([]usage, error) {
	all, err := ps(ctx, "-ax")
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, unavailableError("no process can be seen")
	}
	return all, nil
}
