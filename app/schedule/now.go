package schedule

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ErrRunning means that the schedule is already running.
var ErrRunning = errors.New("it is already running; wait until it ends")

// RunNow runs a schedule on request, at any time, and waits until it ends.
func (r *Runner) RunNow(ctx context.Context, name string) (Result, error) {
	list, _ := Load(r.File())
	i := slices.IndexFunc(list, func(s Schedule) bool { return s.Name == name })
	if i < 0 {
		return Result{}, ErrNoSchedule
	}
	r.mu.Lock()
	busy := r.running[name]
	r.running[name] = true
	r.mu.Unlock()
	if busy {
		return Result{}, ErrRunning
	}
	first := false
	err := r.state.edit(ctx, func(all *records) error {
		rec := all.of(name)
		first = rec.Began.IsZero()
		rec.Due, rec.Began, rec.Ended, rec.Late, rec.Error = time.Time{}, r.now(), time.Time{}, "", ""
		return nil
	})
	if err != nil {
		r.mu.Lock()
		delete(r.running, name)
		r.mu.Unlock()
		return Result{}, err
	}
	res := r.turn(ctx, Turn{Schedule: list[i], First: first})
	r.Look()
	return res, nil
}

// Status is a schedule with its last and next runs.
type Status struct {
	Schedule
	Next    time.Time // zero: never, or switched off
	Quieted bool      // Next is the end of the quiet hours in which it falls due
	Last    Record
	Running bool // in this process
	Waits   Late // why it waits, if it is due
}

// Next returns when a schedule runs next: when it falls due, or, in quiet hours, at their end.
func (s Schedule) Next(now time.Time) (at time.Time, quieted bool) {
	at = s.When.Next(now)
	if quieted = !at.IsZero() && s.Quiet != (Quiet{}) && s.Quiet.Covers(at); quieted {
		at = s.Quiet.end(at)
	}
	return at, quieted
}

// List returns all schedules in the order of the file, and the mistakes in it.
func (r *Runner) List() ([]Status, []Problem) {
	list, problems := Load(r.File())
	known, now := r.state.read(), r.now()
	out := make([]Status, 0, len(list))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range list {
		st := Status{Schedule: s, Last: *known.of(s.Name), Running: r.running[s.Name], Waits: r.held[s.Name]}
		if s.Enabled {
			st.Next, st.Quieted = s.Next(now)
		}
		out = append(out, st)
	}
	return out, problems
}
