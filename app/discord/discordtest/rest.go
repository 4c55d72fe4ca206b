package discordtest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (s *Server) handler() http.Handler {
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
	api.HandleFunc("GET /channels/{channel}", s.getChannel)
	api.HandleFunc("GET /channels/{channel}/messages", s.getMessages)
	api.HandleFunc("GET /channels/{channel}/messages/{message}", s.getMessage)
	api.HandleFunc("POST /channels/{channel}/messages", s.postMessage)
	api.HandleFunc("PATCH /channels/{channel}/messages/{message}", s.patchMessage)
	api.HandleFunc("DELETE /channels/{channel}/messages/{message}", s.deleteMessage)
	api.HandleFunc("POST /channels/{channel}/typing", s.postTyping)
	api.HandleFunc("PUT /applications/{app}/commands", s.putCommands)
	api.HandleFunc("POST /interactions/{id}/{token}/callback", s.postAnswer)
	for _, version := range []string{"/api/v9", "/api/v10"} {
		mux.Handle(version+"/", http.StripPrefix(version, s.recorded(api)))
	}
	return mux
}

// recorder keeps the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// call is what a request brought.
type call struct {
	body  map[string]any
	files map[string]string
}

// recorded keeps each call, checks the token and plays the faults.
func (s *Server) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := readCall(r)
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			s.mu.Lock()
			s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Body: in.body, Files: in.files, Status: rec.status, Time: time.Now()})
			s.mu.Unlock()
		}()
		if f := s.fault(r); f != nil {
			s.play(rec, r, *f)
			return
		}
		if r.Header.Get("Authorization") != "Bot "+Token && !strings.HasPrefix(r.URL.Path, "/interactions/") {
			writeJSON(rec, http.StatusUnauthorized, map[string]any{"message": "401: Unauthorized", "code": 0})
			return
		}
		next.ServeHTTP(rec, r.WithContext(withCall(r.Context(), in)))
	})
}

func readCall(r *http.Request) call {
	in := call{body: map[string]any{}, files: map[string]string{}}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		if err := r.ParseMultipartForm(32 << 20); err != nil {
			return in
		}
		_ = json.Unmarshal([]byte(r.FormValue("payload_json")), &in.body) // an empty one shows in the test
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
	data, _ := io.ReadAll(r.Body) // a client that goes away
	if json.Unmarshal(data, &in.body) != nil {
		var list []any
		if json.Unmarshal(data, &list) == nil {
			in.body = map[string]any{"list": list}
		}
	}
	return in
}

func (s *Server) fault(r *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Method != "" && f.Method != r.Method || !strings.Contains(r.URL.Path, f.Path) {
			continue
		}
		found := *f
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				s.faults = slices.Delete(s.faults, i, i+1)
			}
		}
		return &found
	}
	return nil
}

func (s *Server) play(w http.ResponseWriter, r *http.Request, f Fault) {
	switch {
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-s.hanging:
		}
	case f.Status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", strconv.FormatFloat(f.RetryAfter, 'f', 3, 64))
		w.Header().Set("X-RateLimit-Reset-After", strconv.FormatFloat(f.RetryAfter, 'f', 3, 64))
		if f.Global {
			w.Header().Set("X-RateLimit-Global", "true")
		}
		writeJSON(w, f.Status, map[string]any{"message": "You are being rate limited.", "retry_after": f.RetryAfter, "global": f.Global})
	default:
		writeJSON(w, f.Status, map[string]any{"message": http.StatusText(f.Status), "code": f.Code})
	}
}

func (s *Server) getGateway(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	remaining := s.remaining
	s.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{
		"url": "wss://gateway.discord.gg", "shards": 1,
		"session_start_limit": map[string]any{"total": 1000, "remaining": remaining, "reset_after": 86_400_000, "max_concurrency": 1},
	})
}

// place finds the channel of a request; it answers itself where there is none or
// the bot may not do that. The lock is held.
func (s *Server) place(w http.ResponseWriter, r *http.Request, send bool) *Channel {
	c := s.channels[r.PathValue("channel")]
	switch {
	case c == nil:
		writeJSON(w, http.StatusNotFound, map[string]any{"message": "Unknown Channel", "code": 10003})
	case c.NoRead:
		writeJSON(w, http.StatusForbidden, map[string]any{"message": "Missing Access", "code": 50001})
	case send && c.NoSend:
		writeJSON(w, http.StatusForbidden, map[string]any{"message": "Missing Permissions", "code": 50013})
	case send && c.Archived:
		writeJSON(w, http.StatusBadRequest, map[string]any{"message": "Thread is archived", "code": 50083})
	default:
		return c
	}
	return nil
}

func (s *Server) getChannel(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.place(w, r, false); c != nil {
		writeJSON(w, http.StatusOK, c.json())
	}
}

// content reports whether the bot may read everything; the lock is held.
func (s *Server) content() bool {
	n := len(s.identifies)
	return n == 0 || s.identifies[n-1].Intents&IntentMessageContent != 0
}

func (s *Server) getMessages(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.place(w, r, false)
	if c == nil {
		return
	}
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit < 1 {
		limit = 50
	}
	before, out := r.URL.Query().Get("before"), []map[string]any{}
	for _, k := range slices.Backward(s.messages[c.ID]) {
		if k.deleted || before != "" && k.ID >= before {
			continue
		}
		if len(out) == min(limit, 100) {
			break
		}
		out = append(out, s.json(k, s.content(), false))
	}
	writeJSON(w, http.StatusOK, out)
}

func (s *Server) getMessage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.place(w, r, false)
	if c == nil {
		return
	}
	k := s.find(c.ID, r.PathValue("message"))
	if k == nil {
		writeJSON(w, http.StatusNotFound, map[string]any{"message": "Unknown Message", "code": 10008})
		return
	}
	writeJSON(w, http.StatusOK, s.json(k, s.content(), false))
}

func (s *Server) postMessage(w http.ResponseWriter, r *http.Request) {
	in := callOf(r.Context())
	text, _ := in.body["content"].(string)
	nonce, _ := in.body["nonce"].(string)
	enforce, _ := in.body["enforce_nonce"].(bool)
	reply, _ := in.body["message_reference"].(map[string]any)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.place(w, r, true)
	if c == nil {
		return
	}
	if len([]rune(text)) > 2000 || text == "" && len(in.files) == 0 {
		writeJSON(w, http.StatusBadRequest, map[string]any{"message": "Invalid Form Body", "code": 50035})
		return
	}
	if id := s.nonces[c.ID+nonce]; enforce && nonce != "" && id != "" {
		writeJSON(w, http.StatusOK, s.json(s.find(c.ID, id), true, false))
		return
	}
	m := Message{ID: s.newID(), Channel: c.ID, Author: User{ID: BotID, Name: BotName, Bot: true}, Text: text, Time: time.Now()}
	if id, _ := reply["message_id"].(string); id != "" {
		if s.find(c.ID, id) != nil {
			m.Reply = id
		} else if fail, set := reply["fail_if_not_exists"].(bool); fail || !set {
			writeJSON(w, http.StatusBadRequest, map[string]any{"message": "Unknown message", "code": 50035})
			return
		}
	}
	k := &kept{Message: m}
	s.messages[c.ID] = append(s.messages[c.ID], k)
	s.sent = append(s.sent, &Sent{ID: m.ID, Channel: c.ID, Text: text, Reply: m.Reply, Times: []time.Time{time.Now()}, Files: in.files})
	s.nonces[c.ID+nonce] = m.ID
	writeJSON(w, http.StatusOK, s.json(k, true, false))
	for _, st := range s.sessions { // the echo
		s.sendTo(st, "MESSAGE_CREATE", s.json(k, true, true))
	}
}

func (s *Server) patchMessage(w http.ResponseWriter, r *http.Request) {
	in := callOf(r.Context())
	text, _ := in.body["content"].(string)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.place(w, r, true)
	if c == nil {
		return
	}
	k := s.find(c.ID, r.PathValue("message"))
	if k == nil {
		writeJSON(w, http.StatusNotFound, map[string]any{"message": "Unknown Message", "code": 10008})
		return
	}
	k.Text, k.edited = text, true
	for _, m := range s.sent {
		if m.ID == k.ID {
			m.Edits, m.Text = append(m.Edits, m.Text), text
			m.Times = append(m.Times, time.Now())
		}
	}
	writeJSON(w, http.StatusOK, s.json(k, true, false))
}

func (s *Server) deleteMessage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.place(w, r, true)
	if c == nil {
		return
	}
	id := r.PathValue("message")
	if k := s.find(c.ID, id); k != nil {
		k.deleted = true
	}
	for _, m := range s.sent {
		if m.ID == id {
			m.Deleted = true
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) postTyping(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.place(w, r, true); c != nil {
		s.typing[c.ID]++
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Server) putCommands(w http.ResponseWriter, r *http.Request) {
	list, _ := callOf(r.Context()).body["list"].([]any)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = nil
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			name, _ := m["name"].(string)
			s.commands = append(s.commands, name)
		}
	}
	writeJSON(w, http.StatusOK, list)
}

func (s *Server) postAnswer(w http.ResponseWriter, r *http.Request) {
	data, _ := callOf(r.Context()).body["data"].(map[string]any)
	text, _ := data["content"].(string)
	s.mu.Lock()
	s.answers = append(s.answers, text)
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a, ok := s.files[r.PathValue("message")+"/"+r.PathValue("name")]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(a.Data) // the client may be gone
}
