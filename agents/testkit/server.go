package testkit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

const maxBody = 64 << 20

// Server is the scripted server. Safe for concurrent use.
type Server struct {
	*models
	requestLog
	script Script
	http   *http.Server
	closed context.Context // ended by Close
	close  context.CancelFunc

	mu         sync.Mutex
	listener   net.Listener
	rules      []ruleCount
	faults     map[*Fault]int
	read       map[string]string // by model: the prompt and the answer that it has read last
	embedFault *Fault
}

// ruleCount counts how often a rule matched and how often it answered.
type ruleCount struct{ matched, answered int }

// New returns a server that doesn't listen yet: call Start, or serve its Handler.
func New(script Script) *Server {
	s := &Server{
		models: newModels(script),
		script: script,
		rules:  make([]ruleCount, len(script.Rules)),
		faults: map[*Fault]int{},
		read:   map[string]string{},

		embedFault: script.EmbedFault,
	}
	s.closed, s.close = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	return s
}

// Start listens on a free port of 127.0.0.1. Close stops it.
func (s *Server) Start() error { return s.StartAt("127.0.0.1:0") }

// StartAt listens on the address; it restarts a server after Down.
func (s *Server) StartAt(address string) error {
	l, err := (&net.ListenConfig{}).Listen(s.closed, "tcp", address)
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

// Addr returns host:port, or "" before Start.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return ""
	}
	return s.listener.Addr().String()
}

// URL returns http://host:port, or "" before Start.
func (s *Server) URL() string {
	if addr := s.Addr(); addr != "" {
		return "http://" + addr
	}
	return ""
}

// Close stops the server and closes its connections, including hanging responses.
func (s *Server) Close() error {
	s.close()
	// After Down, the listener may be closed before its server noticed.
	if err := s.http.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the scripted server: %w", err)
	}
	return nil
}

// Down closes the listener and idle connections; a response in progress continues.
// StartAt can listen on its address again.
func (s *Server) Down() {
	s.http.SetKeepAlivesEnabled(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		_ = s.listener.Close() // fails only if it is already closed
	}
}

// Handler serves the API, for callers with their own listener.
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
	mux.HandleFunc("POST /api/chat", s.receive(s.chat))
	mux.HandleFunc("/", s.receive(s.unknown))
	return mux
}

// unknown answers a path that no Ollama server has, and records the request as
// unmatched.
func (s *Server) unknown(w http.ResponseWriter, _ *http.Request, _ []byte, at int) {
	s.recordUnmatched(at)
	http.Error(w, "404 page not found", http.StatusNotFound)
}

// handler gets the request's body and the index of its record.
type handler func(w http.ResponseWriter, r *http.Request, body []byte, at int)

// receive records the request before h answers it.
func (s *Server) receive(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		h(w, r, body, s.record(Request{Time: time.Now(), Method: r.Method, Path: r.URL.Path, Raw: body}))
	}
}

// guard plays the script's fault, if any, on the endpoints other than chat.
func (s *Server) guard(h handler) http.HandlerFunc {
	return s.receive(func(w http.ResponseWriter, r *http.Request, body []byte, at int) {
		if f := s.script.Fault; f != nil && s.due(f) && s.failFirst(w, r, f) {
			return
		}
		h(w, r, body, at)
	})
}

// due counts a fault and reports whether it happens this time.
func (s *Server) due(f *Fault) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[f]++
	return f.Times == 0 || s.faults[f] <= f.Times
}

func (s *Server) version(w http.ResponseWriter, _ *http.Request, _ []byte, _ int) {
	version := "0.34.0"
	if s.script.OldServer {
		version = "0.6.5"
	}
	reply(w, map[string]string{"version": cmp.Or(s.script.Version, version)})
}

func (s *Server) pull(w http.ResponseWriter, r *http.Request, body []byte, _ int) {
	var req modelName
	if !decode(w, body, &req) {
		return
	}
	out := newLines(w)
	out.send(api.ProgressResponse{Status: "pulling manifest"})
	name := req.name()
	plan, ok := s.script.Pulls[name]
	if !ok {
		out.send(map[string]string{"error": "pull model manifest: file does not exist"})
		return
	}
	plan.Model.Name = cmp.Or(plan.Model.Name, name)
	steps, total := max(plan.Steps, 4), plan.Model.size()
	for i := 1; i <= steps; i++ {
		if !s.pause(r, plan.Delay) {
			return
		}
		digest := plan.Model.digest()
		out.send(api.ProgressResponse{
			Status: "pulling " + digest[:12], Digest: "sha256:" + digest,
			Total: total, Completed: total * int64(i) / int64(steps),
		})
		if plan.Error != "" && i > steps/2 {
			out.send(map[string]string{"error": plan.Error})
			return
		}
	}
	s.install(plan.Model)
	for _, status := range []string{"verifying sha256 digest", "writing manifest", "success"} {
		out.send(api.ProgressResponse{Status: status})
	}
}

func decode(w http.ResponseWriter, body []byte, v any) bool {
	if len(body) == 0 {
		fail(w, http.StatusBadRequest, "missing request body")
		return false
	}
	if err := json.Unmarshal(body, v); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return false
	}
	return true
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v) // fails only if the client is gone
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": message}) // as above
}

// pause waits for d and reports whether it elapsed before the client or the server went
// away.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	return wait(s, r, timer.C)
}

// wait reports whether until was ready before the client or the server went away. A nil
// until is never ready.
func wait[T any](s *Server, r *http.Request, until <-chan T) bool {
	select {
	case <-until:
		return true
	case <-r.Context().Done():
	case <-s.closed.Done():
	}
	return false
}
