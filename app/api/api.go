package api

import (
	_ "embed"
	"log/slog"
	"net/http"
	"time"

	"mac-stats/app/backend"
)

const (
	maxBody     = 64 << 10
	maxHeader   = 16 << 10
	maxRequests = 8 // at the same time; others get "try again"
	retryAfter  = "1"

	readTime      = 5 * time.Second  // for a request's head and body
	writeTime     = 10 * time.Second // for a client to take the next part of an answer
	maxWrite      = 64 << 10         // bytes of such a part
	askTime       = time.Second      // between two looks at whether a client that sends nothing more is still there
	searchTime    = 30 * time.Second
	forgetTime    = time.Minute
	summarizeTime = 5 * time.Minute // the small model may have to be loaded
)

//go:embed openapi.yaml
var description []byte

// Params holds what an API needs. Backend and Token are required.
type Params struct {
	Backend *backend.Backend
	Token   string
	Logger  *slog.Logger
}

// API answers requests. It is a http.Handler; Serve listens for it.
type API struct {
	backend *backend.Backend
	token   string
	log     *slog.Logger
	slots   chan struct{}
	routes  *http.ServeMux
}

// New returns an API. It panics if a required field of p is missing.
func New(p Params) *API {
	if p.Backend == nil || len(p.Token) < leastToken {
		panic("api: New needs a Backend and a Token")
	}
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	a := &API{backend: p.Backend, token: p.Token, log: p.Logger, slots: make(chan struct{}, maxRequests), routes: http.NewServeMux()}
	a.route("GET /v1/chat/sessions/{id}/memory", searchTime, a.listMemory)
	a.route("DELETE /v1/chat/sessions/{id}/memory/{chunk_id...}", forgetTime, a.forget)
	a.route("POST /v1/chat/sessions/{id}/memory/summarize", summarizeTime, a.summarize)
	a.route("GET /v1/memory/search", searchTime, a.search)
	a.routes.HandleFunc("GET /v1/openapi.yaml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(description) // fails only if the client is gone
	})
	a.routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.answer(w, r, nil, unknownPath(w, r, a.routes)) })
	return a
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if p := a.refused(r); p != nil {
		a.answer(w, r, nil, p)
		return
	}
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	default:
		w.Header().Set("Retry-After", retryAfter)
		a.answer(w, r, nil, &problem{http.StatusServiceUnavailable, codeBusy, "Too many requests at the same time.", "Send it again in a moment."})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	a.routes.ServeHTTP(w, r)
}
