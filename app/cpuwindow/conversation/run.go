package conversation

import (
	"context"
	"sync"

	"mac-stats/agents"
)

// Run is a turn under way; *agents.Run is one.
type Run interface {
	Events(ctx context.Context) <-chan agents.Event
	Stop()
	StopCall(id string)
	Answer(id string, answer agents.Answer) bool
}

// running holds the run under way. Any goroutine may call any method. Its lock may be taken
// while the log's is held, never the other way round.
type running struct {
	mu  sync.Mutex
	run Run // nil if no run is under way
}

// SetRun sets the run under way; nil means none.
func (r *running) SetRun(run Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run = run
}

// Running returns the run under way, or nil.
func (r *running) Running() Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run
}

// StopRun stops the run under way.
func (r *running) StopRun() {
	if run := r.Running(); run != nil {
		run.Stop()
	}
}

// StopCall stops a call of the run under way.
func (r *running) StopCall(id string) {
	if run := r.Running(); run != nil {
		run.StopCall(id)
	}
}

// Answer answers a question of the run under way, which then sends an event about it.
func (r *running) Answer(id string, a agents.Answer) {
	if run := r.Running(); run != nil {
		run.Answer(id, a)
	}
}

// Busy reports whether a run is under way.
func (r *running) Busy() bool {
	return r.Running() != nil
}
