//go:build !linux && !darwin

package monitor

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// started is when a process began, in milliseconds since 1970.
func (h host) started(pid int32) (int64, error) {
	p, err := process.NewProcessWithContext(h.ctx(context.Background()), pid)
	if err != nil {
		return 0, fs.ErrNotExist // the one thing it looks for
	}
	return p.CreateTime() //nolint:wrapcheck // the caller says what it means
}

// list asks gopsutil. Processes of other users may hide their figures; they are left
// out. Dearer than on Linux, which is one more reason to list only while shown.
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
