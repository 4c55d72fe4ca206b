package conversation

import (
	"sync"

	"mac-stats/agents"
	"mac-stats/sessionmem/transcript"
)

// choice holds the settings chosen for the conversation. Any goroutine may call any method.
type choice struct {
	mu      sync.Mutex
	chosen  transcript.Settings
	unsaved bool // no transcript holds it yet
}

// Chosen returns the settings chosen for the conversation.
func (h *choice) Chosen() transcript.Settings {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.chosen
}

// Choose changes the settings, which then wait to be written.
func (h *choice) Choose(s transcript.Settings) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.chosen, h.unsaved = s, true
}

// ChoiceWritten records that the transcript holds this choice. A newer choice still waits
// to be written.
func (h *choice) ChoiceWritten(s transcript.Settings) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unsaved = h.unsaved && !h.chosen.Equal(s)
}

// LoadChoice takes the settings from the transcript, unless a newer choice waits to be
// written.
func (h *choice) LoadChoice(t *transcript.Transcript) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.unsaved {
		h.chosen = t.Settings()
	}
}

// unwritten reports whether the choice waits to be written.
func (h *choice) unwritten() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unsaved
}

// AddChoice puts the choice into a request if no transcript holds it yet. A retry always
// gets it: it writes no message, and the choice may be on its way to the transcript. The
// choice counts as unwritten until ChoiceWritten.
func (h *choice) AddChoice(req *agents.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unsaved || req.Retry != "" {
		s := h.chosen
		req.Settings = &s
	}
}
