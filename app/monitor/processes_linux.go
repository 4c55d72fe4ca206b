package monitor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tick is the unit of CPU times in /proc: USER_HZ, which is 100 on every current
// architecture.
const tick = 10 * time.Millisecond

// list reads one file per process, which has everything needed and costs a seventh of
// asking for each value.
func (r *processReader) list(ctx context.Context) ([]usage, error) {
	root := r.host.proc()
	dir, err := os.Open(root)
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	defer func() { _ = dir.Close() }() // read only: nothing to lose
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var all []usage
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("listing processes: %w", err)
		}
		stat, err := readKernelFile(filepath.Join(root, name, "stat"))
		if err != nil {
			continue // it has ended meanwhile
		}
		if u, err := parseStat(stat); err == nil {
			all = append(all, u)
		}
	}
	if len(all) == 0 {
		return nil, unavailableError("no process can be seen")
	}
	return all, nil
}

// started returns when a process started, in ticks since the machine started.
func (h host) started(pid int32) (int64, error) {
	stat, err := readKernelFile(h.proc(strconv.Itoa(int(pid)), "stat"))
	if err != nil {
		return 0, err //nolint:wrapcheck // the caller adds context
	}
	u, err := parseStat(stat)
	return u.started, err
}

// errStat means that the text is no line of /proc/<pid>/stat.
var errStat = errors.New("not a process line")

// parseStat parses /proc/<pid>/stat (proc(5)). The name is in parentheses and may itself
// contain spaces and parentheses, so it ends at the last one.
func parseStat(stat []byte) (usage, error) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 1 || end < open {
		return usage{}, errStat
	}
	pid, err := strconv.ParseInt(string(bytes.TrimSpace(stat[:open])), 10, 32)
	if err != nil {
		return usage{}, errStat
	}
	fields := bytes.Fields(stat[end+1:]) // from field 3, the state
	if len(fields) < 22 {
		return usage{}, errStat
	}
	var n [4]int64 // utime, stime, starttime, rss
	for i, at := range [...]int{11, 12, 19, 21} {
		if n[i], err = strconv.ParseInt(string(fields[at]), 10, 64); err != nil || n[i] < 0 {
			return usage{}, errStat
		}
	}
	return usage{
		pid:     int32(pid),
		name:    string(stat[open+1 : end]),
		cpu:     time.Duration(n[0]+n[1]) * tick,
		started: n[2],
		memory:  uint64(n[3]) * uint64(os.Getpagesize()),
	}, nil
}
