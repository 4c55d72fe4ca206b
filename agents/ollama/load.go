package ollama

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Phase is what the server is doing before the first token.
type Phase string

// The phases Chat reports, in this order; some may be left out.
const (
	PhaseQueued  Phase = "queued"  // waiting for a permit, or the server is busy
	PhaseLoading Phase = "loading" // the model is being loaded and isn't in /api/ps yet
	PhaseReading Phase = "reading" // the prompt is being evaluated
)

const (
	firstLook    = 50 * time.Millisecond  // a server that can't list its models within this time is loading one
	pollLoaded   = 250 * time.Millisecond // the first pause between two polls; doubled up to maxPollPause
	maxPollPause = 2 * time.Second
	maxLoad      = 15 * time.Minute // limit for a load without any response; Ollama itself gives up after 5 min without progress
	loadGrace    = 5 * time.Minute  // for servers that list a model while they still load it
)

// loadState holds what /api/ps says about the model of a call.
type loadState struct {
	loading bool
	cold    bool          // it wasn't loaded when the call began
	grace   time.Duration // added to the first idle timeout
}

// loadWatch follows the loading of a call's model by polling /api/ps.
type loadWatch struct {
	c      *Client
	model  string
	on     bool
	states chan loadState // at most two are sent
	done   chan struct{}
	ended  bool
}

func newLoadWatch(c *Client, call streamCall) *loadWatch {
	return &loadWatch{
		c: c, model: call.model, on: call.watch,
		states: make(chan loadState, 2), done: make(chan struct{}),
	}
}

// first polls before the call is made, for at most firstLook. It sends one state.
func (w *loadWatch) first(ctx context.Context) {
	if !w.on || isCloudName(w.model) {
		w.states <- loadState{}
		return
	}
	look, cancel := context.WithTimeout(ctx, firstLook)
	defer cancel()
	running, err := w.c.Running(look)
	switch {
	case errors.Is(err, ErrTimeout):
		w.states <- loadState{loading: true}
	case err != nil:
		w.states <- loadState{} // the call itself will show it
	default:
		_, loaded := findRunning(running, w.model)
		w.states <- loadState{loading: !loaded, cold: !loaded}
	}
}

// follow polls until the model is loaded, and sends that.
func (w *loadWatch) follow(ctx context.Context, state loadState) {
	ctx, cancel := context.WithTimeout(ctx, maxLoad)
	defer cancel()
	state.loading = false
	for pause := pollLoaded; ; pause = min(2*pause, maxPollPause) {
		select {
		case <-w.done:
			return
		case <-ctx.Done():
			w.states <- state
			return
		case <-time.After(pause):
		}
		running, err := w.c.Running(ctx)
		if err != nil {
			continue // the call itself or maxLoad will end this
		}
		if size, loaded := findRunning(running, w.model); loaded {
			if size == 0 && state.cold {
				state.grace = loadGrace
			}
			w.states <- state
			return
		}
	}
}

func (w *loadWatch) stop() {
	if !w.ended {
		w.ended = true
		close(w.done)
	}
}

func isCloudName(model string) bool {
	return strings.HasSuffix(model, "-cloud") || strings.HasSuffix(model, ":cloud")
}
