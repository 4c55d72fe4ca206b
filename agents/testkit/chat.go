package testkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

func (s *Server) chat(w http.ResponseWriter, r *http.Request, body []byte, at int) {
	var req api.ChatRequest
	if !decode(w, body, &req) {
		return
	}
	s.update(at, func(r *Request) { r.Chat, r.NumCtx = &req, numCtx(req) })
	m, ok := s.find(req.Model)
	if !ok {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return
	}
	context := s.context(m, numCtx(req))
	if len(req.Messages) == 0 {
		s.preload(w, r, m, req, context)
		return
	}
	answer, ok := s.match(req, at)
	if !ok {
		fail(w, http.StatusInternalServerError, "the script has no rule for this chat: model "+req.Model+", last user message "+quote(LastUser(req)))
		return
	}
	if f := answer.Fault; f != nil {
		if !s.due(f) {
			answer.Fault = nil
		} else if f.Kind != FaultHangFirst && s.failFirst(w, r, f) {
			return
		}
	}
	s.answer(w, r, m, req, answer, context)
}

// match finds the rule that answers a chat and counts it.
func (s *Server) match(req api.ChatRequest, at int) (Reply, bool) {
	for i := range s.script.Rules {
		rule := &s.script.Rules[i]
		if !rule.matches(req) || !s.answers(i, rule) {
			continue
		}
		s.update(at, func(r *Request) { r.Rule = cmp.Or(rule.Name, fmt.Sprintf("#%d", i)) })
		if rule.Func != nil {
			return rule.Func(req), true
		}
		return rule.Reply, true
	}
	s.recordUnmatched(at)
	return Reply{}, false
}

// answers counts a match and reports whether the rule answers it.
func (s *Server) answers(i int, rule *Rule) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.rules[i]
	n.matched++
	if n.matched <= rule.Skip || rule.Times > 0 && n.answered >= rule.Times {
		return false
	}
	n.answered++
	return true
}

// preload loads or unloads a model, as a chat without messages requests.
func (s *Server) preload(w http.ResponseWriter, r *http.Request, m Model, req api.ChatRequest, context int) {
	reason := "load"
	if req.KeepAlive != nil && req.KeepAlive.Duration == 0 {
		reason = "unload"
		s.Unload(m.Name)
	} else if _, ok := s.load(r, m, context, m.LoadDelay); !ok {
		return
	}
	reply(w, line(m, api.Message{Role: "assistant"}, func(l *chatLine) { l.Done, l.DoneReason = true, reason }))
}

// load loads a model into memory and returns how long that took; ok is false if the
// client went away meanwhile.
func (s *Server) load(r *http.Request, m Model, context int, delay time.Duration) (took time.Duration, ok bool) {
	if !s.startLoad(m.Name, context) {
		return time.Millisecond, true
	}
	if !s.pause(r, delay) {
		return 0, false
	}
	s.finishLoad(m.Name, context)
	return max(delay, time.Millisecond), true
}

// answer loads the model, applies the context limit and sends the reply.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, m Model, req api.ChatRequest, a Reply, context int) {
	loadTime, ok := s.load(r, m, context, cmp.Or(a.LoadDelay, m.LoadDelay))
	if !ok {
		return
	}
	prompt := Estimate(req)
	if prompt > context {
		switch {
		case s.script.OldServer:
			prompt = truncated(req, context)
		case s.script.EnforceContext && req.Truncate != nil && !*req.Truncate:
			fail(w, http.StatusBadRequest, overflowMessage)
			return
		}
	}
	if a.PromptTokens != 0 {
		prompt = max(0, a.PromptTokens)
	}
	fresh := s.freshTokens(m.Name, req, a, prompt)
	if a.Fault != nil && a.Fault.Kind == FaultHangFirst {
		wait[struct{}](s, r, nil) // with the model in memory, so that loading isn't what hangs
		return
	}
	if !s.pause(r, a.FirstDelay) {
		return
	}
	if req.Stream != nil && !*req.Stream {
		msg := api.Message{
			Role: "assistant", Content: strings.Join(a.chunks(), ""),
			Thinking: strings.Join(a.Thinking, ""), ToolCalls: a.ToolCalls,
		}
		reply(w, line(m, msg, a.done(prompt, fresh, loadTime)))
		return
	}
	s.stream(w, r, m, a, prompt, fresh, loadTime)
}

// freshTokens returns how many of the prompt's tokens come behind the beginning that it shares with
// the last prompt and answer of the model. A server with one place reads only these.
func (s *Server) freshTokens(model string, req api.ChatRequest, a Reply, prompt int) int {
	var text strings.Builder
	for _, tool := range req.Tools {
		text.WriteString(tool.String())
	}
	for _, m := range req.Messages {
		text.WriteString("\x00" + m.Role + "\x00" + m.Content)
	}
	now := text.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	shared := 0
	for last := s.read[model]; shared < min(len(last), len(now)) && last[shared] == now[shared]; shared++ {
	}
	s.read[model] = now + "\x00assistant\x00" + strings.Join(a.chunks(), "")
	return max(1, prompt-prompt*shared/max(len(now), 1))
}

// truncated returns the size of a prompt on a server that truncates silently: the system
// messages and the newest messages that fit. If the last message alone doesn't fit, it is
// cut to half the context.
func truncated(req api.ChatRequest, context int) int {
	last := req.Messages[len(req.Messages)-1]
	sum := estimateMessage(last)
	for _, m := range req.Messages[:len(req.Messages)-1] {
		if m.Role == "system" {
			sum += estimateMessage(m)
		}
	}
	if sum > context {
		return context/2 + 2
	}
	for i := len(req.Messages) - 2; i >= 0; i-- {
		m := req.Messages[i]
		if m.Role == "system" {
			continue
		}
		if sum+estimateMessage(m) > context {
			break
		}
		sum += estimateMessage(m)
	}
	return sum
}

// stream sends the reply line by line, with its fault if it has one.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, m Model, a Reply, prompt, fresh int, loadTime time.Duration) {
	out := newLines(w)
	if a.Fault != nil && a.Fault.Kind == FaultDrip {
		out.drip = func() bool { return s.pause(r, a.Delay) }
	}
	lines := a.messages()
	for i, msg := range lines {
		if s.failMid(r, out, a.Fault, i) {
			return
		}
		if out.drip == nil && !s.pause(r, a.Delay) {
			return
		}
		if i == len(lines)-1 && a.Until != nil && !wait(s, r, a.Until) {
			return
		}
		out.send(line(m, msg, nil))
	}
	if a.Fault != nil && s.failMid(r, out, a.Fault, max(len(lines), a.Fault.After)) {
		return
	}
	out.send(line(m, api.Message{Role: "assistant"}, a.done(prompt, fresh, loadTime)))
}

// messages returns the streamed pieces: thinking, answer, tool calls.
func (a Reply) messages() []api.Message {
	var list []api.Message
	for _, piece := range a.Thinking {
		list = append(list, api.Message{Role: "assistant", Thinking: piece})
	}
	for _, piece := range a.chunks() {
		list = append(list, api.Message{Role: "assistant", Content: piece})
	}
	for i, call := range a.ToolCalls {
		call.Function.Index = i
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", i+1)
		}
		list = append(list, api.Message{Role: "assistant", ToolCalls: []api.ToolCall{call}})
	}
	return list
}

func (a Reply) chunks() []string {
	if a.Chunks != nil {
		return a.Chunks
	}
	return words(a.Text)
}

func (a Reply) done(prompt, fresh int, loadTime time.Duration) func(*chatLine) {
	return func(l *chatLine) {
		l.Done, l.DoneReason = true, cmp.Or(a.DoneReason, "stop")
		l.PromptEvalCount, l.EvalCount = prompt, cmp.Or(a.AnswerTokens, len(a.chunks())+len(a.Thinking))
		l.LoadDuration = loadTime
		l.PromptEvalDuration = cmp.Or(a.ReadTime, time.Duration(fresh)*100*time.Microsecond)
		l.EvalDuration = time.Duration(l.EvalCount)*10*time.Millisecond + 1
		l.TotalDuration = l.LoadDuration + l.PromptEvalDuration + l.EvalDuration
	}
}

// chatLine is one line of the stream.
type chatLine struct {
	Model      string      `json:"model"`
	CreatedAt  time.Time   `json:"created_at"`
	Message    api.Message `json:"message"`
	Done       bool        `json:"done"`
	DoneReason string      `json:"done_reason,omitempty"`
	api.Metrics
}

func line(m Model, msg api.Message, change func(*chatLine)) chatLine {
	l := chatLine{Model: m.Name, CreatedAt: time.Now().UTC(), Message: msg}
	if change != nil {
		change(&l)
	}
	return l
}

func numCtx(req api.ChatRequest) int {
	if n, ok := req.Options["num_ctx"].(float64); ok {
		return int(n)
	}
	return 0
}

func quote(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// lines writes newline-delimited JSON and flushes each line.
type lines struct {
	w    http.ResponseWriter
	f    http.Flusher
	drip func() bool // if set, waits before each byte
}

func newLines(w http.ResponseWriter) *lines {
	w.Header().Set("Content-Type", "application/x-ndjson")
	f, _ := w.(http.Flusher)
	return &lines{w: w, f: f}
}

func (l *lines) send(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte(`{"error":"the scripted server can't write its answer"}`)
	}
	l.raw(append(data, '\n'))
}

func (l *lines) raw(data []byte) {
	if l.drip == nil {
		_, _ = l.w.Write(data) // fails only if the client is gone
		l.flush()
		return
	}
	for i := range data {
		if !l.drip() {
			return
		}
		_, _ = l.w.Write(data[i : i+1]) // as above
		l.flush()
	}
}

func (l *lines) flush() {
	if l.f != nil {
		l.f.Flush()
	}
}
