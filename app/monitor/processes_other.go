//go:build !linux && !darwin

package monitor

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// started returns when a process started, in milliseconds since 1970.
func (h host) started(pid int32) (int64, error) {
	p, err := process.NewProcessWithContext(h.ctx(context.Background()), pid)
	if err != nil {
		return 0, fs.ErrNotExist // the error that callers check for
	}
	return p.CreateTime() //nolint:wrapcheck // the caller adds context
}

// list asks gopsutil. It leaves out other users' processes if they hide their values. It is
// more expensive than on Linux, another reason to list only while shown.
func (r *processReader) list(ctx context.Context) ([]usage, error) {
	processes, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var all []usage
	for _, p := range processes {
		times, err := p.TimesWithContext(ctx)
		if err != nil {
			continue
		}
		u := usage{pid: p.Pid, cpu: time.Duration((times.User + times.System) * float64(time.Second))}
		if name, err := p.NameWithContext(ctx); err == nil {
			u.name = name
		}
		if memory, err := p.MemoryInfoWithContext(ctx); err == nil && memory != nil {
			u.memory = memory.RSS
		}
		if started, err := p.CreateTimeWithContext(ctx); err == nil {
			u.started = started
		}
		all = append(all, u)
	}
	if len(all) == 0 {
		return nil, unavailableError("no process can be seen")
	}
	return all, nil
}
