package realollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

// Request is one request that passed through a Proxy.
type Request struct {
	Method string
	Path   string
	Body   []byte
	First  time.Duration // from the request to the first part of the answer; 0 if it hasn't come
	Took   time.Duration // from the request to its end; 0 if it hasn't ended
}

// Chat decodes the body of a request to /api/chat.
func (r Request) Chat(tb testing.TB) api.ChatRequest {
	tb.Helper()
	var chat api.ChatRequest
	if err := json.Unmarshal(r.Body, &chat); err != nil {
		tb.Fatalf("the body of a request to %s: %v", r.Path, err)
	}
	return chat
}

// Proxy forwards requests to a server. It records them and can cut an answer. Safe for
// concurrent use.
type Proxy struct {
	server *httptest.Server

	mu       sync.Mutex
	requests []Request
	cut      int           // cut the next chat after this many lines; 0: don't
	pace     time.Duration // between two lines of a chat
	context  int           // num_ctx set on every chat; 0: leave it
	answer   int           // the most tokens of an answer in words; 0: leave it
	forms    func(api.ChatRequest) string
}

// formKey marks the context of a request whose answer is replaced.
type formKey struct{}

// Record starts a recording proxy in front of the server. It stops when the test ends.
func (s *Server) Record(tb testing.TB) *Proxy {
	tb.Helper()
	p := &Proxy{}
	target := &url.URL{Scheme: "http", Host: s.host}
	reverse := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval:  -1,
		ModifyResponse: p.alterChat,
		ErrorLog:       log.New(tb.Output(), "proxy: ", 0),
	}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		at, body, form, err := p.record(r, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if form != "" {
			r = r.WithContext(context.WithValue(r.Context(), formKey{}, form))
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		timed := &timedWriter{ResponseWriter: w, begun: time.Now()}
		defer func() { // it may end with a panic
			p.mu.Lock()
			defer p.mu.Unlock()
			p.requests[at].First, p.requests[at].Took = timed.first, time.Since(timed.begun)
		}()
		reverse.ServeHTTP(timed, r)
	}))
	tb.Cleanup(p.server.Close)
	return p
}

// timedWriter notes when an answer begins.
type timedWriter struct {
	http.ResponseWriter
	begun time.Time
	first time.Duration
}

// Unwrap lets the reverse proxy flush the response.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *timedWriter) Write(data []byte) (int, error) {
	if w.first == 0 {
		w.first = time.Since(w.begun)
	}
	return w.ResponseWriter.Write(data)
}

// record records a request, and returns its place among them, the body to forward, and the
// text that replaces its answer, or "".
func (p *Proxy) record(r *http.Request, body []byte) (at int, _ []byte, form string, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at = len(p.requests)
	p.requests = append(p.requests, Request{Method: r.Method, Path: r.URL.Path, Body: body})
	if p.context == 0 && p.answer == 0 && p.forms == nil || r.URL.Path != "/api/chat" {
		return at, body, "", nil
	}
	var chat api.ChatRequest
	if err := json.Unmarshal(body, &chat); err != nil {
		return at, nil, "", err
	}
	if chat.Options == nil {
		chat.Options = map[string]any{}
	}
	if p.context > 0 {
		chat.Options["num_ctx"] = p.context
	}
	if p.answer > 0 && len(chat.Format) == 0 && chat.Options["num_predict"] != 1.0 {
		chat.Options["num_predict"] = p.answer
	}
	if p.forms != nil && len(chat.Format) > 0 {
		form, chat.Format, chat.Options["num_predict"] = p.forms(chat), nil, 2 // 1 is only read in advance
	}
	body, err := json.Marshal(chat)
	return at, body, form, err
}

// AnswerForms has a function write the later answers in a given form, because a small model
// gives none that can be used. The server reads the requests nonetheless.
func (p *Proxy) AnswerForms(write func(api.ChatRequest) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forms = write
}

// LimitAnswers sets how many tokens later answers have at most, but for those in a given form:
// a small model would ramble.
func (p *Proxy) LimitAnswers(tokens int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = tokens
}

// Rest waits until no chat has been under way for a while.
func (p *Proxy) Rest(tb testing.TB, while time.Duration) {
	tb.Helper()
	busy := func() (n int, under bool) {
		for _, r := range p.Requests() {
			if r.Path == "/api/chat" {
				n, under = n+1, under || r.Took == 0
			}
		}
		return n, under
	}
	for {
		before, under := busy()
		select {
		case <-tb.Context().Done():
			tb.Fatal("the test ended while chats were under way")
		case <-time.After(while):
		}
		if after, still := busy(); !under && !still && after == before {
			return
		}
	}
}

// LimitContext sets the context of all later chats, in tokens, whatever they request. It
// plays a server that is short of memory and doesn't report it.
func (p *Proxy) LimitContext(tokens int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.context = tokens
}

// Host returns the proxy's address, host:port, for OLLAMA_HOST.
func (p *Proxy) Host() string { return p.server.Listener.Addr().String() }

// Requests returns the requests so far, oldest first.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Chats returns the requests to /api/chat so far, oldest first, without those by which a prompt is
// only read in advance.
func (p *Proxy) Chats(tb testing.TB) []api.ChatRequest {
	tb.Helper()
	var chats []api.ChatRequest
	for _, r := range p.Requests() {
		if r.Path != "/api/chat" {
			continue
		}
		if c := r.Chat(tb); c.Options["num_predict"] != 1.0 { // else it is only read in advance
			chats = append(chats, c)
		}
	}
	return chats
}

// CutNextChat drops the connection of the next chat after this many lines of its answer.
func (p *Proxy) CutNextChat(lines int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = lines
}

// Pace slows the answers of chats to one line per interval, as a large model would.
func (p *Proxy) Pace(interval time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace = interval
}

func (p *Proxy) alterChat(r *http.Response) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Request.URL.Path != "/api/chat" {
		return nil
	}
	if form, ok := r.Request.Context().Value(formKey{}).(string); ok && r.StatusCode == http.StatusOK {
		defer r.Body.Close()
		var last api.ChatResponse
		for lines := json.NewDecoder(r.Body); !last.Done; {
			if err := lines.Decode(&last); err != nil {
				return err
			}
		}
		last.Message.Content, last.DoneReason = form, "stop"
		body, err := json.Marshal(last)
		r.Body = io.NopCloser(bytes.NewReader(append(body, '\n')))
		return err
	}
	if p.pace > 0 {
		r.Body = &pacedBody{ReadCloser: r.Body, lines: bufio.NewReader(r.Body), pace: p.pace}
	}
	if p.cut > 0 {
		r.Body = &cutBody{ReadCloser: r.Body, lines: p.cut}
		p.cut = 0
	}
	return nil
}

// pacedBody returns one line at a time.
type pacedBody struct {
	io.ReadCloser
	lines *bufio.Reader
	pace  time.Duration
	rest  []byte // of the line
}

func (b *pacedBody) Read(p []byte) (int, error) {
	var err error
	if len(b.rest) == 0 {
		time.Sleep(b.pace)
		b.rest, err = b.lines.ReadBytes('\n')
	}
	n := copy(p, b.rest)
	if b.rest = b.rest[n:]; len(b.rest) > 0 {
		err = nil // returned again after the rest
	}
	return n, err
}

// errCut makes the reverse proxy abort the connection.
var errCut = errors.New("cut by the test")

// cutBody fails with errCut after a number of lines.
type cutBody struct {
	io.ReadCloser
	lines int
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.lines <= 0 {
		return 0, errCut
	}
	n, err := c.ReadCloser.Read(p)
	for i, b := range p[:n] {
		if b != '\n' {
			continue
		}
		c.lines--
		if c.lines == 0 {
			return i + 1, nil
		}
	}
	return n, err
}
