package testkit

import (
	"slices"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// Request is one recorded request.
type Request struct {
	Time   time.Time
	Method string
	Path   string
	Raw    []byte           // the body
	Chat   *api.ChatRequest // of /api/chat
	Embed  []string         // the texts of /api/embed
	Rule   string           // name of the rule that answered a chat, or its index ("#2")
	NumCtx int              // of a chat; 0 if absent
}

// requestLog records the requests. Safe for concurrent use.
type requestLog struct {
	mu        sync.Mutex
	requests  []Request
	unmatched []Request
}

// Requests returns the requests so far, in order.
func (l *requestLog) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests)
}

// Chats returns the requests to /api/chat.
func (l *requestLog) Chats() []Request {
	return slices.DeleteFunc(l.Requests(), func(r Request) bool { return r.Chat == nil })
}

// Unmatched returns the chats that no rule answered, and requests that no Ollama server
// understands.
func (l *requestLog) Unmatched() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.unmatched)
}

// record adds a request and returns its index.
func (l *requestLog) record(r Request) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
	return len(l.requests) - 1
}

func (l *requestLog) update(at int, change func(*Request)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.requests[at])
}

func (l *requestLog) recordUnmatched(at int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unmatched = append(l.unmatched, l.requests[at])
}
