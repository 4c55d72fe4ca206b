package ollama

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ollama/ollama/api"
)

// A server keeps what it has read of a model's last prompt, and reads the next one from the
// first difference on. The client remembers that prompt, so that it knows what a request
// costs before it is sent, and can have the beginning of the next one read in advance.
const (
	// leastPrepared is the smallest difference, in bytes, that is read in advance.
	leastPrepared = 800
	// stepTime is the longest that a server reads in advance before it looks whether its
	// client has gone.
	stepTime = 2 * time.Second
	// leastMeasured is the smallest number of tokens by which the reading speed is measured
	// again.
	leastMeasured = 50
	// keptFactor is how much longer than expected the reading may take before the server
	// must have lost the beginning.
	keptFactor = 3
)

// slot is what a server has read of a model's prompts, as far as this process knows.
type slot struct {
	prompt string
	perKB  float64 // tokens for 1,024 bytes of prompt; 0 if unknown
	speed  float64 // tokens read in a second; 0 if unknown
}

// slots holds the slots of all models. The zero value is ready to use.
type slots struct {
	mu sync.Mutex // guards by
	by map[string]slot
}

func (s *slots) of(model string) slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[canonical(model)]
}

func (s *slots) put(model string, now slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]slot{}
	}
	s.by[canonical(model)] = now
}

// Reading is what a server had to read of a prompt. The figures are estimates from the
// shares of the text, because servers report only the whole.
type Reading struct {
	New    int  // tokens that it read; 0 if unknown, as it may have kept the prompt of another process
	Prompt int  // tokens of the whole prompt; 0 if unknown
	Lost   bool // it had to read the beginning, too, which it was expected to have kept
}

// cut records that the server may keep only the first n bytes of a model's prompt: what
// follows is replaced, or the model was unloaded.
func (s *slots) cut(model string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, ok := s.by[canonical(model)]; ok && len(now.prompt) > n {
		now.prompt = now.prompt[:n]
		s.by[canonical(model)] = now
	}
}

// rendered is a request in the order in which most templates put it: system prompt, tools,
// messages.
func rendered(req ChatRequest) string {
	var s strings.Builder
	messages := req.Messages
	if len(messages) > 0 && messages[0].Role == "system" {
		writeMessage(&s, messages[0])
		messages = messages[1:]
	}
	for _, tool := range req.Tools {
		s.WriteString(tool.String())
	}
	for _, m := range messages {
		writeMessage(&s, m)
	}
	return s.String()
}

func writeMessage(s *strings.Builder, m api.Message) {
	s.WriteString("\x00" + m.Role + "\x00" + m.Content + m.Thinking)
	for _, call := range m.ToolCalls {
		s.WriteString(call.Function.Name + call.Function.Arguments.String())
	}
	for _, image := range m.Images {
		s.Write(image[:min(len(image), imageTokens)])
	}
}

// common returns the length of the common beginning of two prompts.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Expect returns what a server will have to read of a request, as far as this process
// knows. Prompt is 0 as long as no prompt was counted for the model.
func (c *Client) Expect(req ChatRequest) Reading {
	req.Messages = harmless(req.Messages)
	if req.NoSystem {
		req.Messages = withoutSystem(req.Messages) // as Chat sends it
	}
	s, prompt := c.slots.of(req.Model), rendered(req)
	return Reading{
		New: int(s.perKB * float64(len(prompt)-common(s.prompt, prompt)) / 1024), Prompt: int(s.perKB * float64(len(prompt)) / 1024),
	}
}

// read records that a server has read a prompt, and answered it with a text that is in its
// cache too.
func (c *Client) read(model, prompt, answer string, res ChatResult) Reading {
	s := c.slots.of(model)
	fresh, known := len(prompt)-common(s.prompt, prompt), s.prompt != "" || res.Loaded
	s.prompt = prompt + answer
	out := Reading{Prompt: res.PromptTokens}
	if res.PromptTokens > 0 && prompt != "" {
		s.perKB = float64(res.PromptTokens) * 1024 / float64(len(prompt))
	}
	if known && res.PromptTokens > 0 && prompt != "" {
		out.New = int(float64(res.PromptTokens) * float64(fresh) / float64(len(prompt)))
		if took := res.PromptTime.Seconds(); took > 0 {
			whole := float64(res.PromptTokens) / took
			if s.speed > 0 && !res.Loaded && float64(out.New)*keptFactor < s.speed*took && whole < s.speed*keptFactor {
				out.Lost, out.New = true, res.PromptTokens
			}
			if s.speed == 0 || out.New >= leastMeasured && (out.Lost || out.New > res.PromptTokens/keptFactor) {
				s.speed = float64(out.New) / took
			}
		}
	}
	c.slots.put(model, s)
	return out
}

// PrepareOptions limits what Prepare may do.
type PrepareOptions struct {
	Load   bool        // load the model if it isn't in memory
	Stop   func() bool // reports before each step whether somebody needs the server; optional
	Begins func()      // called once, before the first step; optional
}

// Prepare has the server read the beginning of a request that is sent later, unless it has
// done so, and returns the number of bytes that it had to read. It reads in steps of at
// most two seconds, by the speed measured so far, because a server notices only at the end
// of its reading that its client has gone. It gives way to every chat at once (ErrAside),
// doesn't begin while a call runs or waits or a model is downloaded (ErrBusy), and neither
// loads a model beside another one nor asks one that runs elsewhere (ErrNotLoaded).
func (c *Client) Prepare(ctx context.Context, req ChatRequest, o PrepareOptions) (bytes int, err error) {
	t := c.target("chat", req.Model)
	ctx, leave := c.preparing.enter(ctx)
	defer leave()
	if req.NoSystem {
		return 0, nil // the beginning isn't known before the first message
	}
	req.Messages = harmless(req.Messages)
	req.MaxTokens, req.OnPhase, req.OnChunk = 1, nil, nil
	whole := rendered(req)
	for first := true; ; first = false {
		if err := c.mayPrepare(ctx, t, req, o.Load || !first, first); err != nil {
			return bytes, err
		}
		known := c.slots.of(req.Model)
		have := common(known.prompt, whole)
		if len(whole)-have < leastPrepared {
			return bytes, nil
		}
		if c.pulls.Load() > 0 || o.Stop != nil && o.Stop() || !c.permits.tryAcquire() {
			return bytes, t.fail(ErrBusy, "somebody needs the server", nil)
		}
		if len(c.permits) > 1 {
			c.permits.release()
			return bytes, t.fail(ErrBusy, "another call runs", nil)
		}
		speed, perKB := known.speed, known.perKB
		if speed == 0 || perKB == 0 {
			speed, perKB = slowestReading, 1024/3
		}
		step := beginningOf(req, whole, have+max(int(speed*stepTime.Seconds()*1024/perKB), 64))
		text := rendered(step)
		run := &chatRun{req: step}
		if first && o.Begins != nil {
			o.Begins()
		}
		c.slots.cut(req.Model, have) // also if it is ended while the server reads
		err := c.chat(ctx, t, run)
		c.permits.release()
		if err != nil {
			return bytes, err
		}
		c.read(req.Model, text, "", run.finish())
		bytes += len(text) - have
		if len(text) <= have {
			return bytes, nil // it has grown by nothing that can be sent
		}
	}
}

// mayPrepare returns an error if preparing would load a model, or take the place of another
// one, without being asked to, or if it would leave this machine. first is the first step: a
// server whose model isn't loaded then keeps nothing of earlier prompts.
func (c *Client) mayPrepare(ctx context.Context, t target, req ChatRequest, load, first bool) error {
	running, err := c.Running(ctx)
	if err != nil {
		return err
	}
	size, loaded := findRunning(running, req.Model)
	if first && !loaded {
		c.slots.cut(req.Model, 0)
	}
	switch {
	case loaded && (size == 0 || req.NumCtx == 0 || size == req.NumCtx):
		return nil
	case !load || len(running) > 0 && !loaded:
		return t.fail(ErrNotLoaded, "", nil)
	case !first:
		return nil
	}
	info, err := c.Show(ctx, req.Model)
	if err == nil && info.Remote {
		err = t.fail(ErrNotLoaded, "it runs elsewhere", nil)
	}
	return err
}

// beginningOf returns a request whose prompt is the first n bytes of another's, or a little
// more: it ends between two characters and between two tools.
func beginningOf(req ChatRequest, whole string, n int) ChatRequest {
	if n >= len(whole) {
		return req
	}
	out, messages := req, req.Messages
	out.Messages, out.Tools = nil, nil
	size := func() int { return len(rendered(out)) }
	add := func(m api.Message) bool {
		room := n - size() - len("\x00"+m.Role+"\x00")
		whole := room >= len(m.Content)
		if !whole {
			room = max(room, 1)
			for room < len(m.Content) && !utf8.RuneStart(m.Content[room]) {
				room++
			}
			m.Content, m.Thinking, m.ToolCalls, m.Images = m.Content[:room], "", nil, nil
		}
		out.Messages = append(slices.Clone(out.Messages), m)
		return whole
	}
	if len(messages) > 0 && messages[0].Role == "system" {
		if !add(messages[0]) {
			return out
		}
		messages = messages[1:]
	}
	for _, tool := range req.Tools {
		if size() >= n {
			return out
		}
		out.Tools = append(slices.Clone(out.Tools), tool)
	}
	for _, m := range messages {
		if size() >= n || !add(m) {
			return out
		}
	}
	return out
}
