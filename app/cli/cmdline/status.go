package cmdline

import "sync"

// Status is the line on a terminal that says how far something is, drawn over until it is
// erased; elsewhere nothing is drawn. Its methods may be called from any goroutine.
type Status struct {
	Line *Line

	mu    sync.Mutex
	drawn bool
}

// Draw puts the text where the last one was.
func (s *Status) Draw(text string) {
	if !s.Line.StderrIsTerminal {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Line.ToStderr("\r\x1b[K" + text)
	s.drawn = true
}

// Erase takes the line away, where one is drawn.
func (s *Status) Erase() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		s.Line.ToStderr("\r\x1b[K")
		s.drawn = false
	}
}
