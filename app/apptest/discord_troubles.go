package apptest

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// troubles is what a test makes go wrong: failing calls, limits, an invalid token.
type troubles struct {
	hanging chan struct{}

	mu         sync.Mutex // guards the fields below
	faults     []*Fault
	limits     []Limit
	windows    map[string]*window // by bucket and channel
	global     int                // calls a second in all; 0 for no limit
	revoked    bool               // the token is invalid
	deaf       bool               // heartbeats get no answer
	privileged bool               // the Message Content intent is on in the portal
	closeNext  int                // the close code that answers the next identify
	remaining  int                // identifies left of the day
	down       bool
	refused    int                          // refused sockets while it was down
	shape      func(message map[string]any) // nil for Discord's documented shape
}

// admit counts an identify and returns the close code that refuses it, 0 for none.
func (t *troubles) admit(token string, intents int) (code int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remaining = max(t.remaining-1, 0)
	code, t.closeNext = t.closeNext, 0
	switch {
	case code != 0:
	case token != Token || t.revoked:
		code = 4004
	case intents&IntentMessageContent != 0 && !t.privileged:
		code = 4014
	}
	return code
}

// refusesSocket reports whether a new socket is refused, and counts it.
func (t *troubles) refusesSocket() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.down {
		t.refused++
	}
	return t.down
}

// isDeaf reports whether heartbeats get no answer.
func (t *troubles) isDeaf() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.deaf
}

// left returns how many identifies of the day are left.
func (t *troubles) left() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.remaining
}

// reshape gives a message the shape that the test wants.
func (t *troubles) reshape(message map[string]any) {
	t.mu.Lock()
	shape := t.shape
	t.mu.Unlock()
	if shape != nil {
		shape(message)
	}
}

// Fail makes REST calls fail from now on.
func (t *troubles) Fail(f Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, &f)
}

// Heal removes all faults.
func (t *troubles) Heal() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = nil
}

// set changes the fake's behaviour.
func (t *troubles) set(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
}

// SetPrivileged sets whether the Message Content intent is on in the portal.
func (t *troubles) SetPrivileged(on bool) { t.set(func() { t.privileged = on }) }

// SetRemaining sets how many identifies of the day are left.
func (t *troubles) SetRemaining(n int) { t.set(func() { t.remaining = n }) }

// SetDeaf leaves heartbeats unanswered.
func (t *troubles) SetDeaf(deaf bool) { t.set(func() { t.deaf = deaf }) }

// SetShape changes how messages are sent to the bot, in events and in answers to REST
// calls: other servers, and later versions of Discord, have fields of other types.
func (t *troubles) SetShape(shape func(message map[string]any)) { t.set(func() { t.shape = shape }) }

// SetDown refuses new sockets.
func (t *troubles) SetDown(down bool) { t.set(func() { t.down = down }) }

// CloseNext answers the next identify with a close code.
func (t *troubles) CloseNext(code int) { t.set(func() { t.closeNext = code }) }

// SetLimits replaces the limits.
func (t *troubles) SetLimits(list ...Limit) {
	t.set(func() { t.limits, t.windows = list, map[string]*window{} })
}

// SetGlobal sets how many calls a second are allowed in all; 0 for no limit.
func (t *troubles) SetGlobal(n int) { t.set(func() { t.global = n }) }

// Refused returns how many sockets were refused while the fake was down.
func (t *troubles) Refused() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused
}

// authorized reports whether the call's token is valid.
func (t *troubles) authorized(r *http.Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.revoked && r.Header.Get("Authorization") == "Bot "+Token || strings.HasPrefix(r.URL.Path, "/interactions/")
}

func (t *troubles) fault(r *http.Request) *Fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range t.faults {
		if f.Method != "" && f.Method != r.Method || !strings.Contains(r.URL.Path, f.Path) || !strings.Contains(callOf(r).text("content"), f.Text) {
			continue
		}
		found := *f
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				t.faults = slices.Delete(t.faults, i, i+1)
			}
		}
		return &found
	}
	return nil
}

func (t *troubles) play(w http.ResponseWriter, r *http.Request, f Fault) {
	switch {
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-t.hanging:
		}
	case f.Status == http.StatusTooManyRequests:
		refuseForLimit(w, f.RetryAfter, f.Global)
	default:
		writeJSON(w, f.Status, map[string]any{"message": http.StatusText(f.Status), "code": f.Code})
	}
}
