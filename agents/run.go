package agents

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Result is the result of a turn.
type Result struct {
	Session  string
	UserID   string // block IDs
	AnswerID string
	Agent    string
	Model    string
	Text     string // the answer, complete or partial
	Stopped  bool   // partial: by Stop, Ctrl-C or a failure during the stream
}

// Run is a turn that was started.
type Run struct {
	session  string
	holder   string
	previous *Run // the session's previous run, if it hadn't ended at the start
	log      *eventLog
	stop     context.CancelFunc
	done     chan struct{} // closed when result and err are set

	mu        sync.Mutex // guards the fields below
	calls     map[string]context.CancelCauseFunc
	questions map[string]chan Answer // open questions, by ID

	result Result
	err    error
}

func newRun(req Request, stop context.CancelFunc) *Run {
	return &Run{
		session: req.Session, holder: req.Holder, stop: stop,
		log: newEventLog(), done: make(chan struct{}), calls: map[string]context.CancelCauseFunc{}, questions: map[string]chan Answer{},
	}
}

// Events returns a channel with every event since the beginning of the turn. Tokens are
// merged if the reader is behind. The channel is closed after done or error, or when ctx
// is done: cancel ctx if you stop reading earlier. A slow reader never delays the turn.
func (r *Run) Events(ctx context.Context) <-chan Event { return r.log.subscribe(ctx) }

// Stop cancels the model call within 200 ms; the partial answer is kept.
func (r *Run) Stop() { r.stop() }

// StopCall stops one sub-call or tool by the ID of its Call; the turn continues. It does
// nothing if no such call is running.
func (r *Run) StopCall(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.calls[id]; cancel != nil {
		cancel(errCallStopped)
	}
}

// Wait waits for the end of the turn. fault.Explain explains the error; with an error,
// the Result may hold a partial answer.
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

// finish emits the last event and closes the log.
func (r *Run) finish(last Event, result Result, err error) {
	r.result, r.err = result, err
	r.emit(last)
	r.log.close()
	close(r.done)
	r.previous = nil // don't keep all runs of the session in memory
}

// callContext returns a context for a sub-call or tool that StopCall can cancel.
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

// Answer answers the question with this ID. It reports false if no such question is
// open, as after a Stop or another view's answer.
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

// addQuestion makes a question answerable until forget is called.
func (r *Run) addQuestion(id string) (answers <-chan Answer, forget func()) {
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

// errCallStopped is the cause of a single call that the user stopped.
var errCallStopped = errors.New("the user stopped it")
