package apptest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func (s *Discord) handler() http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"/gateway", "/gateway/", "/resume", "/resume/"} {
		mux.HandleFunc(path, s.serveGateway)
	}
	mux.HandleFunc("GET /cdn/{message}/{name}", s.serveFile)
	api := http.NewServeMux()
	api.HandleFunc("GET /gateway/bot", s.getGateway)
	api.HandleFunc("GET /users/@me", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, User{ID: BotID, Name: BotName, Bot: true}.json())
	})
	api.HandleFunc("GET /channels/{channel}", s.inChannel(toSee, s.getChannel))
	api.HandleFunc("GET /channels/{channel}/messages", s.inChannel(toRead, s.getMessages))
	api.HandleFunc("GET /channels/{channel}/messages/{message}", s.inChannel(toRead, s.getMessage))
	api.HandleFunc("POST /channels/{channel}/messages", s.inChannel(toSend, s.postMessage))
	api.HandleFunc("PATCH /channels/{channel}/messages/{message}", s.inChannel(toChange, s.patchMessage))
	api.HandleFunc("POST /channels/{channel}/typing", s.inChannel(toSend, s.postTyping))
	api.HandleFunc("PUT /applications/{app}/commands", s.putCommands)
	api.HandleFunc("POST /interactions/{id}/{token}/callback", s.postAnswer)
	for _, version := range []string{"/api/v10"} {
		mux.Handle(version+"/", http.StripPrefix(version, s.recorded(api)))
	}
	return mux
}

// recorder records the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// recorded records each call, checks the limits and the token, and plays the faults.
func (s *Discord) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := readCall(r)
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			note(s.journal, &s.requests, Request{Method: r.Method, Path: r.URL.Path, Body: in.body, Files: in.files, Status: rec.status, Time: time.Now()})
		}()
		r = r.WithContext(context.WithValue(r.Context(), callKey{}, in))
		f := s.fault(r)
		if f != nil && !f.Done {
			s.play(rec, r, *f)
			return
		}
		if s.limited(rec, r) {
			return
		}
		if !s.authorized(r) {
			writeJSON(rec, http.StatusUnauthorized, map[string]any{"message": "401: Unauthorized", "code": 0})
			return
		}
		if f != nil { // it is carried out, but the bot isn't told
			next.ServeHTTP(nowhere{}, r)
			s.play(rec, r, *f)
			return
		}
		next.ServeHTTP(rec, r)
	})
}

// nowhere discards an answer that is lost on its way.
type nowhere struct{}

func (nowhere) Header() http.Header                { return http.Header{} }
func (nowhere) Write(data []byte) (n int, _ error) { return len(data), nil }
func (nowhere) WriteHeader(int)                    {}

// call is the content of a request.
type call struct {
	body  map[string]any
	files map[string]string
}

type callKey struct{}

// callOf returns the content of a request, as read by recorded.
func callOf(r *http.Request) call {
	c, _ := r.Context().Value(callKey{}).(call)
	return c
}

func (c call) text(key string) string {
	text, _ := c.body[key].(string)
	return text
}

func readCall(r *http.Request) call {
	in := call{body: map[string]any{}, files: map[string]string{}}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		if err := r.ParseMultipartForm(32 << 20); err != nil {
			return in
		}
		_ = json.Unmarshal([]byte(r.FormValue("payload_json")), &in.body) // an empty body shows up in the test
		for _, headers := range r.MultipartForm.File {
			for _, h := range headers {
				if f, err := h.Open(); err == nil {
					data, _ := io.ReadAll(f) // in memory
					in.files[h.Filename] = string(data)
					_ = f.Close() // in memory
				}
			}
		}
		return in
	}
	data, _ := io.ReadAll(r.Body) // the client may be gone
	if json.Unmarshal(data, &in.body) != nil {
		var list []any
		if json.Unmarshal(data, &list) == nil {
			in.body = map[string]any{"list": list}
		}
	}
	return in
}

func (s *Discord) getGateway(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"url": "wss://gateway.discord.gg", "shards": 1,
		"session_start_limit": map[string]any{"total": 1000, "remaining": s.left(), "reset_after": 86_400_000, "max_concurrency": 1},
	})
}

func (s *Discord) putCommands(w http.ResponseWriter, r *http.Request) {
	list, _ := callOf(r).body["list"].([]any)
	var names []string
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			name, _ := m["name"].(string)
			names = append(names, name)
		}
	}
	s.offered(names)
	writeJSON(w, http.StatusOK, list)
}

func (s *Discord) postAnswer(w http.ResponseWriter, r *http.Request) {
	data, _ := callOf(r).body["data"].(map[string]any)
	text, _ := data["content"].(string)
	note(s.journal, &s.answers, text)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Discord) serveFile(w http.ResponseWriter, r *http.Request) {
	s.store.mu.Lock()
	a, ok := s.files[r.PathValue("message")+"/"+r.PathValue("name")]
	s.store.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(a.Data) // the client may be gone
}

// writeJSON answers with JSON; a nil body means no body.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Via", "1.1 fake")
	if body == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// refuseForLimit answers a request that exceeds a limit.
func refuseForLimit(w http.ResponseWriter, after float64, global bool) {
	text := strconv.FormatFloat(after, 'f', 3, 64)
	w.Header().Set("Retry-After", text)
	w.Header().Set("X-RateLimit-Reset-After", text)
	w.Header().Set("X-RateLimit-Scope", map[bool]string{true: "global", false: "user"}[global])
	if global {
		w.Header().Set("X-RateLimit-Global", "true")
	}
	writeJSON(w, http.StatusTooManyRequests, map[string]any{"message": "You are being rate limited.", "retry_after": after, "global": global})
}
