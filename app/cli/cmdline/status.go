package cmdline

import "sync"

// Status is a progress line on a terminal, redrawn in place until it is erased. Without a
// terminal it draws nothing. Its methods are safe for concurrent use.
type Status struct {
	Line *Line

	mu    sync.Mutex
	drawn bool
}

// Draw replaces the line with text.
func (s *Status) Draw(text string) {
	if !s.Line.StderrIsTerminal {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Line.ToStderr("\r\x1b[K" + text)
	s.drawn = true
}

// Erase removes the line if one is drawn.
func (s *Status) Erase() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		s.Line.ToStderr("\r\x1b[K")
		s.drawn = false
	}
}
