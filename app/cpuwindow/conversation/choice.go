package conversation

import (
	"sync"

	"mac-stats/agents"
	"mac-stats/sessionmem/transcript"
)

// choice is what is chosen for the conversation. Any goroutine may call any method.
type choice struct {
	mu      sync.Mutex
	chosen  transcript.Settings
	unsaved bool // it is in no transcript yet
}

// Chosen is what is chosen for the conversation now.
func (h *choice) Chosen() transcript.Settings {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.chosen
}

// Choose changes what is chosen; it waits to be written.
func (h *choice) Choose(s transcript.Settings) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.chosen, h.unsaved = s, true
}

// ChoiceWritten notes that the transcript says what was chosen, unless something else
// was chosen since.
func (h *choice) ChoiceWritten(s transcript.Settings) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unsaved = h.unsaved && !h.chosen.Equal(s)
}

// ChosenIn takes what the transcript says was chosen, unless something newer waits to be
// written.
func (h *choice) ChosenIn(t *transcript.Transcript) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.unsaved {
		h.chosen = t.Settings()
	}
}

// unwritten reports whether what is chosen waits to be written.
func (h *choice) unwritten() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unsaved
}

// TellChosen puts what is chosen into the request of a turn that writes no message. It may
// be on its way to the transcript just now, so the request says it in any case.
func (h *choice) TellChosen(req *agents.Request) {
	s := h.Chosen()
	req.Settings = &s
}

// TakeChosen puts what no transcript says yet into a request.
func (h *choice) TakeChosen(req *agents.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unsaved {
		s := h.chosen
		req.Settings, h.unsaved = &s, false
	}
}
