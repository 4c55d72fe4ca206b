package agents

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Result is how a turn ended.
type Result struct {
	Session  string
	UserID   string // block ids
	AnswerID string
	Agent    string
	Model    string
	Text     string // the answer, whole or partial
	Stopped  bool   // partial: by Stop, Ctrl-C or a failure in mid-stream
}

// Run is a turn under way.
type Run struct {
	session string
	holder  string
	before  *Run // the run of this session that was started before; nil where none was under way
	log     *eventLog
	stop    context.CancelFunc
	done    chan struct{} // closed when result and err are set

	mu        sync.Mutex // guards what follows
	calls     map[string]context.CancelCauseFunc
	questions map[string]chan Answer // that wait, by id

	result Result
	err    error
}

func newRun(req Request, stop context.CancelFunc) *Run {
	return &Run{
		session: req.Session, holder: req.Holder, stop: stop,
		log: newEventLog(), done: make(chan struct{}), calls: map[string]context.CancelCauseFunc{}, questions: map[string]chan Answer{},
	}
}

// Events subscribes: the channel gives every event from the beginning of the turn
// (tokens merged where the reader is behind), and is closed after done or error,
// or when ctx ends: end it where you stop reading before. A slow reader never
// holds up the turn.
func (r *Run) Events(ctx context.Context) <-chan Event { return r.log.subscribe(ctx) }

// Stop ends the model call within 200 ms and keeps the partial answer.
func (r *Run) Stop() { r.stop() }

// StopCall stops one sub-call or tool by the id of its Call; the turn goes on. An
// id that is not under way changes nothing.
func (r *Run) StopCall(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.calls[id]; cancel != nil {
		cancel(errCallStopped)
	}
}

// Wait waits for the end of the turn. The error wraps what Explain knows; the
// Result holds a partial answer also where there is one.
func (r *Run) Wait() (Result, error) {
	<-r.done
	return r.result, r.err
}

// emit appends an event to the log.
func (r *Run) emit(e Event) {
	e.Time = time.Now()
	e.Session = r.session
	r.log.add(e)
}

// finish tells the end: nothing comes after it.
func (r *Run) finish(last Event, result Result, err error) {
	r.result, r.err = result, err
	r.emit(last)
	r.log.close()
	close(r.done)
	r.before = nil // don't keep a chain of all runs of the session
}

// callContext gives a sub-call or tool a context that StopCall can end.
func (r *Run) callContext(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	r.calls[id] = cancel
	r.mu.Unlock()
	return ctx, func() {
		r.mu.Lock()
		delete(r.calls, id)
		r.mu.Unlock()
		cancel(nil)
	}
}

// Answer answers the question with this id. It reports false where none waits, as after
// a Stop or another view's answer.
func (r *Run) Answer(id string, answer Answer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := r.questions[id]
	if waiting == nil {
		return false
	}
	delete(r.questions, id)
	waiting <- answer // it has room for one
	return true
}

// wait makes a question answerable until forget is called.
func (r *Run) wait(id string) (answers <-chan Answer, forget func()) {
	waiting := make(chan Answer, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.questions[id] = waiting
	return waiting, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.questions, id)
	}
}

// errCallStopped is the cause of a call that the user stopped alone.
var errCallStopped = errors.New("the user stopped it")
