package ollama

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/dustin/go-humanize"
)

const (
	aheadLines = 64          // lines read ahead of the caller
	drainTime  = time.Second // for the end of the body, so that the connection can be reused
)

// streamLine is one decoded line of a stream.
type streamLine interface {
	failure() string // the line's "error", or ""
	last() bool      // whether it is the last line
	blank() bool     // whether it has no field in use
}

// streamCall is a request whose response arrives line by line.
type streamCall struct {
	target
	path    string
	body    []byte
	most    int           // bytes of one value
	watch   bool          // the call may load a model: report phases, pause the idle timeout meanwhile
	idle    time.Duration // the longest silence
	reading time.Duration // additional time for the prompt before the first line
}

// received is a line, or the error that ended the stream.
type received[L streamLine] struct {
	line L
	err  error
}

// stream makes the call and passes each line to onLine and each phase to onPhase, on the
// caller's goroutine. It returns nil only after the last line. cold reports that the model
// wasn't loaded when the call began. Neither a hung server nor a slow reader keeps it from
// noticing that ctx is done.
func stream[L streamLine](ctx context.Context, c *Client, call streamCall, onPhase func(Phase), onLine func(L)) (cold bool, err error) {
	inner, cancel := context.WithCancelCause(ctx) // also cancelled when the stream has been read
	lines := make(chan received[L], aheadLines)
	watch := newLoadWatch(c, call)
	go func() {
		defer cancel(nil)
		watch.first(inner)
		pump(inner, c, call, lines)
	}()
	s := &streaming{idle: call.idle, reading: call.reading, patience: call.idle, watch: watch, onPhase: onPhase, timer: time.NewTimer(call.idle)}
	defer s.timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return s.cold, call.ended(ctx)
		case state := <-watch.states:
			s.onState(inner, state)
		case <-s.timer.C:
			if len(lines) == 0 && s.clock {
				err := call.fail(ErrTimeout, "no sign of life for "+s.patience.Round(time.Second).String(), nil)
				cancel(err)
				return s.cold, err
			}
			s.wait(s.idle)
		case got := <-lines:
			if got.err != nil {
				cancel(got.err)
				return s.cold, got.err
			}
			s.onLine()
			onLine(got.line)
			if got.line.last() {
				time.AfterFunc(drainTime, func() { cancel(nil) })
				return s.cold, nil
			}
		}
	}
}

// streaming is the caller's side of a stream: phases and the idle clock.
type streaming struct {
	idle     time.Duration
	reading  time.Duration
	patience time.Duration // the timer's last setting
	timer    *time.Timer
	clock    bool // the idle timeout runs
	began    bool // a line has arrived
	cold     bool
	watch    *loadWatch
	onPhase  func(Phase)
}

// wait restarts the idle timeout.
func (s *streaming) wait(patience time.Duration) {
	s.patience = patience
	s.timer.Reset(patience)
}

func (s *streaming) onState(ctx context.Context, state loadState) {
	if s.began {
		return
	}
	s.cold = s.cold || state.cold
	if state.loading {
		s.onPhase(PhaseLoading)
		go s.watch.follow(ctx, state)
		return
	}
	if s.watch.on {
		s.onPhase(PhaseReading)
	}
	s.clock = true
	s.wait(s.idle + s.reading + state.grace)
}

func (s *streaming) onLine() {
	s.began, s.clock = true, true
	s.wait(s.idle)
	s.watch.stop()
}

// pump reads the answer and sends its lines until the last one or an error.
func pump[L streamLine](ctx context.Context, c *Client, call streamCall, lines chan<- received[L]) {
	send := func(got received[L]) bool {
		select {
		case lines <- got:
			return true
		case <-ctx.Done():
			return false
		}
	}
	body, err := c.open(ctx, call.target, http.MethodPost, call.path, call.body)
	if err != nil {
		send(received[L]{err: err})
		return
	}
	defer body.Close()
	reader := newValueReader(body, call.most)
	for {
		var line L
		if err := readLine(reader, call.target, &line); err != nil {
			send(received[L]{err: err})
			return
		}
		if !send(received[L]{line: line}) {
			return
		}
		if line.last() {
			_, _ = io.Copy(io.Discard, io.LimitReader(body, keepValue)) // so that the connection can be reused
			return
		}
	}
}

// readLine decodes the next line. An error line, a cut stream and what isn't JSON are typed
// errors.
func readLine[L streamLine](v *valueReader, t target, line *L) error {
	raw, err := v.next()
	over := string(raw) == "[DONE]" // the end of a stream of OpenAI's
	switch {
	case (over || errors.Is(err, io.EOF)) && v.odd != nil && !v.known:
		return t.notJSON("its answer has none of the fields expected", v.odd, err)
	case over:
		raw = []byte(`{"done": true}`)
	case errors.Is(err, io.EOF):
		return t.fail(ErrStreamCut, "the stream ended before done", io.ErrUnexpectedEOF)
	case errors.Is(err, errCutValue):
		return t.fail(ErrStreamCut, "the stream ended within a line", err)
	case errors.Is(err, errTooLong):
		return t.foreign("a line of its answer is longer than "+humanize.Bytes(uint64(v.max)), err)
	case err != nil:
		return t.transport(err, true)
	case v.failed:
		return t.reported(http.StatusOK, cmp.Or(Sentence(raw), string(raw)))
	}
	if err := decode(raw, line); err != nil {
		return t.notJSON("a line of its answer is not the JSON expected", raw, err)
	}
	switch {
	case !(*line).blank():
		v.known = true
	case v.odd == nil:
		v.odd = bytes.Clone(raw)
	}
	if words := (*line).failure(); words != "" {
		return t.reported(http.StatusOK, words)
	}
	return nil
}
