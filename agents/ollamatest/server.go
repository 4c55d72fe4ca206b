package ollamatest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	maxBody        = 64 << 20
	defaultContext = 4096
)

// Request is one request as it came.
type Request struct {
	Time   time.Time
	Method string
	Path   string
	Raw    []byte           // the body
	Chat   *api.ChatRequest // of /api/chat
	Embed  []string         // of /api/embed: its texts
	Rule   string           // name of the rule that answered a chat, or its place ("#2")
	NumCtx int              // of a chat; 0 where it named none
}

// Server is the scripted server. Safe for concurrent use.
type Server struct {
	script Script
	http   *http.Server
	gone   context.Context // ended by Close
	close  context.CancelFunc

	mu       sync.Mutex
	listener net.Listener
	models   []Model
	loaded   map[string]int // model → context it was loaded with
	loads    int
	rules    []ruleCount
	faults   map[*Fault]int

	embedFault *Fault
	requests   []Request
	unmatched  []Request
}

// ruleCount is how often a rule matched and answered.
type ruleCount struct{ matched, answered int }

// New returns a server that listens nowhere yet: Start makes it, or Handler is
// served by the caller.
func New(script Script) *Server {
	s := &Server{
		script: script,
		models: append([]Model(nil), script.Models...),
		loaded: map[string]int{},
		rules:  make([]ruleCount, len(script.Rules)),
		faults: map[*Fault]int{},

		embedFault: script.EmbedFault,
	}
	s.gone, s.close = context.WithCancel(context.Background())
	for _, m := range s.models {
		if m.Loaded {
			s.loaded[m.Name] = s.given(m, 0)
		}
	}
	s.http = &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	return s
}

// Start listens on a free port of 127.0.0.1. Close ends it.
func (s *Server) Start() error { return s.StartAt("127.0.0.1:0") }

// StartAt listens on the address; a server that went down can come back so.
func (s *Server) StartAt(address string) error {
	l, err := (&net.ListenConfig{}).Listen(s.gone, "tcp", address)
	if err != nil {
		return fmt.Errorf("start the scripted server: %w", err)
	}
	s.mu.Lock()
	s.listener = l
	s.mu.Unlock()
	s.http.SetKeepAlivesEnabled(true)
	go func() { _ = s.http.Serve(l) }() // ends with the listener, always with an error
	return nil
}

// Addr is host:port, "" before Start.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return ""
	}
	return s.listener.Addr().String()
}

// URL is http://host:port, "" before Start.
func (s *Server) URL() string {
	if addr := s.Addr(); addr != "" {
		return "http://" + addr
	}
	return ""
}

// Close ends the server and its connections, hanging answers too.
func (s *Server) Close() error {
	s.close()
	// After Down the listener may be closed before its server noticed.
	if err := s.http.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the scripted server: %w", err)
	}
	return nil
}

// Down closes the listener and idle connections; an answer under way goes on. Its
// address can be taken again with StartAt.
func (s *Server) Down() {
	s.http.SetKeepAlivesEnabled(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		_ = s.listener.Close() // closing twice is what a second call does
	}
}

// Requests are all requests up to now, in the order they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Chats are the requests to /api/chat.
func (s *Server) Chats() []Request {
	var chats []Request
	for _, r := range s.Requests() {
		if r.Chat != nil {
			chats = append(chats, r)
		}
	}
	return chats
}

// Unmatched are the chats that no rule answered, and requests that no Ollama
// server knows.
func (s *Server) Unmatched() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.unmatched...)
}

// Loads is how often a model had to be loaded, because it was not in memory or
// another num_ctx was asked for.
func (s *Server) Loads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// SetModels changes what is installed.
func (s *Server) SetModels(models ...Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = append([]Model(nil), models...)
}

// Unload takes a model out of memory.
func (s *Server) Unload(model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.loaded, s.nameOf(model))
}

// Handler serves the API; for callers with a listener of their own.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "Ollama is running") })
	mux.HandleFunc("GET /api/version", s.guard(s.version))
	mux.HandleFunc("GET /api/tags", s.guard(s.tags))
	mux.HandleFunc("GET /api/ps", s.guard(s.ps))
	mux.HandleFunc("POST /api/show", s.guard(s.show))
	mux.HandleFunc("POST /api/pull", s.guard(s.pull))
	mux.HandleFunc("DELETE /api/delete", s.guard(s.delete))
	mux.HandleFunc("POST /api/generate", s.guard(s.generate))
	mux.HandleFunc("POST /api/embed", s.guard(s.embed))
	mux.HandleFunc("POST /api/chat", s.record(s.chat))
	mux.HandleFunc("/", s.record(s.unknown))
	return mux
}

// unknown answers a path that no Ollama server has, and keeps the request.
func (s *Server) unknown(w http.ResponseWriter, _ *http.Request, _ []byte, at int) {
	s.mu.Lock()
	s.unmatched = append(s.unmatched, s.requests[at])
	s.mu.Unlock()
	http.Error(w, "404 page not found", http.StatusNotFound)
}

// handler gets the request's body, and the place of its record.
type handler func(w http.ResponseWriter, r *http.Request, body []byte, at int)

// record keeps the request before it is answered.
func (s *Server) record(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, Request{Time: time.Now(), Method: r.Method, Path: r.URL.Path, Raw: body})
		at := len(s.requests) - 1
		s.mu.Unlock()
		h(w, r, body, at)
	}
}

// guard plays the script's fault, where it has one, for all but chats.
func (s *Server) guard(h handler) http.HandlerFunc {
	return s.record(func(w http.ResponseWriter, r *http.Request, body []byte, at int) {
		if f := s.script.Fault; f != nil && s.happens(f) && s.refuse(w, r, f) {
			return
		}
		h(w, r, body, at)
	})
}

// happens counts a fault down.
func (s *Server) happens(f *Fault) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[f]++
	return f.Times == 0 || s.faults[f] <= f.Times
}

// nameOf is the installed model's name in full, or the name given.
func (s *Server) nameOf(model string) string {
	for _, m := range s.models {
		if sameModel(m.Name, model) {
			return m.Name
		}
	}
	return model
}

func (s *Server) find(model string) (Model, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.models {
		if sameModel(m.Name, model) {
			return m, true
		}
	}
	return Model{}, false
}

// given is the context a model is loaded with where a request asks for numCtx.
func (s *Server) given(m Model, numCtx int) int {
	n := numCtx
	if n == 0 {
		n = s.script.DefaultContext
	}
	if n == 0 {
		n = defaultContext
	}
	n = min(n, m.contextLength())
	if s.script.MaxLoaded > 0 {
		n = min(n, s.script.MaxLoaded)
	}
	return n
}

func sameModel(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, ":latest"), strings.TrimSuffix(b, ":latest"))
}

func (m Model) contextLength() int {
	if m.ContextLength > 0 {
		return m.ContextLength
	}
	return 32768
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v) // the client is gone where this fails
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": message}) // as above
}

// pause waits, or less where the client or the server goes; it reports whether it
// waited whole.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-s.gone.Done():
	}
	return false
}

// held waits until a reply may end; false where the client goes, or the server.
func (s *Server) held(r *http.Request, until <-chan struct{}) bool {
	if until == nil {
		return true
	}
	select {
	case <-until:
		return true
	case <-r.Context().Done():
	case <-s.gone.Done():
	}
	return false
}
