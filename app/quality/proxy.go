package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
)

// proxy sits between the app and the server. It makes answers repeatable and short, whatever
// the app requests: it sets a seed, temperature 0 unless one is set, and a token limit; and it
// records what the model says.
type proxy struct {
	seed, most int

	server   *http.Server
	listener net.Listener

	mu      sync.Mutex // guards the fields below
	active  int        // chats in progress
	idle    *sync.Cond // signals that a chat ended
	answers []answer
}

// backgroundTokens is the limit for summaries: background work sets a limit of its own.
const backgroundTokens = 1200

// answer is the model's answer to one chat.
type answer struct {
	Text         string `json:"text"`
	PromptTokens int    `json:"prompt_tokens"`
	Tokens       int    `json:"tokens"`
}

func newProxy(host *url.URL, seed, most int) (*proxy, error) {
	p := &proxy{seed: seed, most: most}
	p.idle = sync.NewCond(&p.mu)
	var err error
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil { //nolint:noctx // it is there for the whole run
		return nil, err
	}
	forward := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(host) },
		FlushInterval:  -1,
		ModifyResponse: p.recordChat,
		ErrorLog:       log.New(io.Discard, "", 0), // the app reports failures
	}
	p.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat" {
			p.begin()
			defer p.end()
			if err := p.repeatable(r); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		forward.ServeHTTP(w, r)
	})} //nolint:gosec // on loopback, for this process alone
	go func() { _ = p.server.Serve(p.listener) }() // ends with Close
	return p, nil
}

func (p *proxy) host() string { return p.listener.Addr().String() }

func (p *proxy) begin() { p.mu.Lock(); p.active++; p.mu.Unlock() }
func (p *proxy) end()   { p.mu.Lock(); p.active--; p.idle.Broadcast(); p.mu.Unlock() }

// takeAnswers returns the answers since the last call. It waits for chats in progress: the app
// receives or cancels an answer a moment before the server finishes.
func (p *proxy) takeAnswers() (list []answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.active > 0 {
		p.idle.Wait()
	}
	list, p.answers = p.answers, nil
	return list
}

// pending returns how many answers takeAnswers would return, and whether more are in progress.
func (p *proxy) pending() (answers int, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.answers), p.active > 0
}

// repeatable changes the options of a chat.
func (p *proxy) repeatable(r *http.Request) error {
	var body map[string]any
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		return err
	}
	options, _ := body["options"].(map[string]any)
	if options == nil {
		options = map[string]any{}
	}
	options["seed"] = p.seed
	if _, set := options["temperature"]; !set {
		options["temperature"] = 0
	}
	if n, ok := options["num_predict"].(json.Number); !ok || tooMany(n, max(p.most, backgroundTokens)) {
		options["num_predict"] = p.most
	}
	body["options"] = options
	data, err := json.Marshal(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	return err
}

func tooMany(n json.Number, most int) bool {
	tokens, err := n.Int64()
	return err != nil || tokens <= 0 || tokens > int64(most)
}

// recordChat records a chat's answer while it passes.
func (p *proxy) recordChat(r *http.Response) error {
	if r.Request.URL.Path == "/api/chat" {
		r.Body = &recorder{ReadCloser: r.Body, done: p.record}
	}
	return nil
}

// recorder records what is read.
type recorder struct {
	io.ReadCloser

	text bytes.Buffer
	done func([]byte)
}

func (l *recorder) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	l.text.Write(b[:n])
	return n, err
}

func (l *recorder) Close() error {
	l.done(l.text.Bytes())
	return l.ReadCloser.Close()
}

// record assembles the lines of a stream; native tool calls follow the text.
func (p *proxy) record(stream []byte) {
	var a answer
	for line := range bytes.Lines(stream) {
		var l struct {
			Message struct {
				Content   string
				ToolCalls []struct{ Function json.RawMessage } `json:"tool_calls"`
			}
			PromptEvalCount int `json:"prompt_eval_count"`
			EvalCount       int `json:"eval_count"`
		}
		if json.Unmarshal(line, &l) != nil {
			continue // a truncated answer
		}
		a.Text += l.Message.Content
		for _, call := range l.Message.ToolCalls {
			a.Text = strings.TrimSpace(a.Text + "\n" + string(call.Function))
		}
		a.PromptTokens, a.Tokens = max(a.PromptTokens, l.PromptEvalCount), max(a.Tokens, l.EvalCount)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = append(p.answers, a)
}
