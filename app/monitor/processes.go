package monitor

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// topProcesses is how many processes a reading contains.
const topProcesses = 10

// usage is one process's resource usage at a moment.
type usage struct {
	pid     int32
	started int64 // distinguishes the process from an earlier one with the same PID
	name    string
	cpu     time.Duration // CPU time so far
	memory  uint64        // resident bytes
}

// processReader finds the busiest processes.
type processReader struct {
	host host
	at   time.Time
	last map[int32]usage
}

func (r *processReader) reset() { r.last = nil }

func (r *processReader) read(ctx context.Context) (func(*Snapshot), error) {
	all, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	before, elapsed := r.last, now.Sub(r.at)
	if before != nil && elapsed < minElapsed {
		return nil, errNotYet
	}
	r.at, r.last = now, make(map[int32]usage, len(all))
	for _, u := range all {
		r.last[u.pid] = u
	}
	if before == nil {
		return nil, errNotYet
	}
	reading := busiest(before, all, elapsed)
	return func(s *Snapshot) { s.Processes = reading }, nil
}

// busiest returns the processes sorted by CPU, then memory, and the other way round. All
// the CPU time of a process that started in between counts.
func busiest(before map[int32]usage, all []usage, elapsed time.Duration) ProcessesReading {
	top := make([]Process, 0, len(all))
	for _, u := range all {
		spent := u.cpu
		if b, ok := before[u.pid]; ok && b.started == u.started {
			spent -= b.cpu
		}
		top = append(top, Process{
			PID: u.pid, Since: u.started, Name: u.name, Memory: u.memory,
			CPU: max(0, spent.Seconds()/elapsed.Seconds()*100),
		})
	}
	first := func(order func(a, b Process) int) []Process {
		slices.SortFunc(top, order)
		return slices.Clone(top[:min(len(top), topProcesses)])
	}
	return ProcessesReading{
		Count: len(all),
		Top: first(func(a, b Process) int {
			return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(b.Memory, a.Memory), cmp.Compare(a.PID, b.PID))
		}),
		ByMemory: first(func(a, b Process) int {
			return cmp.Or(cmp.Compare(b.Memory, a.Memory), cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.PID, b.PID))
		}),
	}
}
