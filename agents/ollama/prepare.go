package ollama

import (
	"context"
	"hash/maphash"
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
	// leastPrepared is the smallest difference, in bytes, for which reading in advance begins.
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
	// maxOthers is how many conversations are told apart that use a model by turns.
	maxOthers = 4
)

// slot is what a server has read of a model's prompts, as far as this process knows.
type slot struct {
	prompt prompt   // the last one, with its answer
	others []prompt // those whose place it took, the latest first
	perKB  float64  // tokens for 1,024 bytes of prompt; 0 if unknown
	speed  float64  // tokens read in a second; 0 if unknown
	sure   float64  // the same, as measured where it was certain what was read; 0 if unknown

	several bool // the server was seen to keep more than one conversation
	turns   int  // how often a conversation lost its place to another one, and came back
}

// has returns how many bytes of a prompt the server has read.
func (s slot) has(p prompt) int {
	n := common(s.prompt, p)
	if s.several {
		n = max(n, s.had(p))
	}
	return n
}

// had returns how many bytes of a prompt it had read before other conversations took its place.
func (s slot) had(p prompt) (n int) {
	for _, other := range s.others {
		n = max(n, common(other, p))
	}
	return n
}

// put records that a server has read another prompt.
func (s *slot) put(p prompt) {
	if s.prompt.size()-common(s.prompt, p) >= leastPrepared {
		others := append([]prompt{s.prompt}, s.others...) // the slot is shared by value
		s.others = others[:min(len(others), maxOthers)]
	}
	s.prompt = p
}

// prompt is a prompt as this process remembers it: keyed hashes of its beginnings, by their
// length, and no text. It outlives private conversations and what was forgotten.
type prompt []mark

type mark struct {
	at  int    // bytes
	sum uint64 // of the prompt up to there
}

// markEvery is the distance of the marks within a message, in bytes.
const markEvery = 64

func (p prompt) size() int {
	if len(p) == 0 {
		return 0
	}
	return p[len(p)-1].at
}

// part is a message or a tool of a request, as a server reads it.
type part struct {
	message          *api.Message // nil for a tool
	tool             api.Tool
	head, text, tail string // text is the message's content
}

func (p part) size() int { return len(p.head) + len(p.text) + len(p.tail) }

// parts returns a request in the order in which most templates put it: system prompt, tools,
// messages.
func parts(req ChatRequest) []part {
	var list []part
	add := func(m *api.Message) {
		var tail strings.Builder
		tail.WriteString(m.Thinking)
		for _, call := range m.ToolCalls {
			tail.WriteString(call.Function.Name + call.Function.Arguments.String())
		}
		for _, image := range m.Images {
			tail.Write(image[:min(len(image), imageTokens)])
		}
		list = append(list, part{message: m, head: "\x00" + m.Role + "\x00", text: m.Content, tail: tail.String()})
	}
	messages := req.Messages
	if len(messages) > 0 && messages[0].Role == "system" {
		add(&messages[0])
		messages = messages[1:]
	}
	for _, tool := range req.Tools {
		list = append(list, part{tool: tool, head: tool.String()})
	}
	for i := range messages {
		add(&messages[i])
	}
	return list
}

// slots holds the slots of all models.
type slots struct {
	seed maphash.Seed
	mu   sync.Mutex // guards by
	by   map[string]slot
}

func newSlots() slots { return slots{seed: maphash.MakeSeed(), by: map[string]slot{}} }

func (s *slots) of(model string) slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[canonical(model)]
}

func (s *slots) put(model string, now slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by[canonical(model)] = now
}

// cut records that the server keeps only the first n bytes of a model's prompt, because what
// follows is replaced.
func (s *slots) cut(model string, n int) {
	now := s.of(model)
	now.put(slices.DeleteFunc(slices.Clone(now.prompt), func(m mark) bool { return m.at > n }))
	s.put(model, now)
}

// unloaded records that the server keeps nothing of a model's prompts.
func (s *slots) unloaded(model string) {
	now := s.of(model)
	now.prompt, now.others = nil, nil
	s.put(model, now)
}

// prompt returns what is remembered of a request.
func (s *slots) prompt(list []part) prompt {
	var out prompt
	var h maphash.Hash
	h.SetSeed(s.seed)
	at := 0
	for _, p := range list {
		for _, text := range []string{p.head, p.text, p.tail} {
			for len(text) > 0 {
				n := min(len(text), markEvery)
				_, _ = h.WriteString(text[:n]) // it never fails
				text, at = text[n:], at+n
				out = append(out, mark{at, h.Sum64()})
			}
		}
	}
	return out
}

// common returns the length of the common beginning of two prompts, to the last mark.
func common(a, b prompt) (n int) {
	i := 0
	for _, m := range a {
		for i < len(b) && b[i].at < m.at {
			i++
		}
		if i < len(b) && b[i] == m {
			n = m.at
		}
	}
	return n
}

// Reading is what a server had to read of a prompt. The figures are estimates from the
// shares of the text, because servers report only the whole.
type Reading struct {
	New    int  // tokens that it read; 0 if unknown, as it may have kept the prompt of another process
	Prompt int  // tokens of the whole prompt; 0 if unknown
	Lost   bool // it had to read the beginning, too, which it was expected to have kept
}

// Expect returns what a server will have to read of a request, as far as this process
// knows. Prompt is 0 as long as no prompt was counted for the model.
func (c *Client) Expect(req ChatRequest) Reading {
	req.Messages = harmless(req.Messages)
	if req.NoSystem {
		req.Messages = withoutSystem(req.Messages) // as Chat sends it
	}
	s, asked := c.slots.of(req.Model), c.slots.prompt(parts(req))
	return Reading{
		New: int(s.perKB * float64(asked.size()-s.has(asked)) / 1024), Prompt: int(s.perKB * float64(asked.size()) / 1024),
	}
}

// Kept records that another process has had the server read a request.
func (c *Client) Kept(req ChatRequest) {
	req.Messages = harmless(req.Messages)
	if req.NoSystem {
		req.Messages = withoutSystem(req.Messages)
	}
	now := c.slots.of(req.Model)
	now.put(c.slots.prompt(parts(req)))
	c.slots.put(req.Model, now)
}

// TakesTurns reports whether several conversations use a model by turns on a server that
// keeps the beginning of one, so that it reads the others' again each time.
func (c *Client) TakesTurns(model string) bool {
	s := c.slots.of(model)
	return s.turns >= 2 && !s.several
}

// read records that a server has read a request, and what it answered, which is in its cache
// too. step is the number of a step of reading in advance, 0 for a chat.
func (c *Client) read(model string, asked []part, answer string, res ChatResult, step int) Reading {
	if res.Loaded {
		c.slots.unloaded(model) // before this call
	}
	s := c.slots.of(model)
	var whole prompt
	bytes := 0
	for _, p := range asked {
		bytes += p.size()
	}
	if asked != nil {
		whole = c.slots.prompt(append(slices.Clip(asked), part{head: "\x00assistant\x00", text: answer}))
	}
	kept := min(s.has(whole), bytes)
	known := s.prompt != nil || res.Loaded || step > 1
	out, took := Reading{Prompt: res.PromptTokens}, res.PromptTime.Seconds()
	if res.PromptTokens > 0 && bytes > 0 {
		s.perKB = float64(res.PromptTokens) * 1024 / float64(bytes)
		share := func(kept int) int { return int(float64(res.PromptTokens) * float64(bytes-kept) / float64(bytes)) }
		out.New = share(kept)
		if back := min(s.had(whole), bytes); known && step == 0 && !s.several && back-kept >= leastPrepared {
			s.several = s.speed > 0 && took > 0 && float64(out.New) > keptFactor*s.speed*took // it kept that one, too
			if s.turns++; s.several {
				out.New = share(back)
			}
		}
		out.Lost = known && s.measure(res, out.New, step)
		switch {
		case !known:
			out.New = 0
		case out.Lost:
			out.New = res.PromptTokens
		}
	}
	s.put(whole)
	c.slots.put(model, s)
	return out
}

// measure takes the reading speed from a call in which that many tokens were new. It reports
// whether the server must have read all of the prompt again. What was read is certain if it
// was all of it, and in each step in advance but the first: before, the server may have kept
// more than this process knows, but what doesn't belong to a step it drops.
func (s *slot) measure(res ChatResult, fresh, step int) (lost bool) {
	took := res.PromptTime.Seconds()
	if took == 0 {
		return false
	}
	whole, measured := float64(res.PromptTokens)/took, float64(fresh)/took
	lost = step == 0 && s.speed > 0 && !res.Loaded && float64(fresh)*keptFactor < s.speed*took && whole < s.speed*keptFactor
	switch {
	case lost || res.Loaded:
		s.speed, s.sure = whole, whole
	case step > 1:
		s.speed, s.sure = measured, measured
	case s.speed == 0 || fresh >= leastMeasured && fresh > res.PromptTokens/keptFactor:
		s.speed = measured
	}
	return lost
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
// as vectors give way to it, doesn't begin beside one or while a model is downloaded
// (ErrBusy), and neither loads a model beside another one nor asks one that runs elsewhere
// (ErrNotLoaded).
func (c *Client) Prepare(ctx context.Context, req ChatRequest, o PrepareOptions) (bytes int, err error) {
	t := c.target("chat", req.Model)
	ctx, leave := c.preparing.enter(ctx)
	defer leave()
	if req.NoSystem {
		return 0, nil // the beginning isn't known before the first message
	}
	req.Messages = harmless(req.Messages)
	req.MaxTokens, req.OnPhase, req.OnChunk = 1, nil, nil
	all := parts(req)
	if err := c.mayPrepare(ctx, t, req, o.Load, true); err != nil {
		return 0, err
	}
	whole := c.slots.prompt(all)
	if whole.size()-c.slots.of(req.Model).has(whole) < leastPrepared {
		return 0, nil
	}
	if !c.permits.tryAcquire() {
		c.aside.cancelAll() // the next message is more urgent than vectors
		if err := c.permits.acquire(ctx); err != nil {
			return 0, t.ended(ctx)
		}
	}
	defer c.permits.release()
	for step := 1; ; step++ {
		switch {
		case ctx.Err() != nil: // perhaps the permit came at the same moment
			return bytes, t.ended(ctx)
		case c.chats.Load() > 0, c.pulls.Load() > 0, o.Stop != nil && o.Stop():
			return bytes, t.fail(ErrBusy, "somebody needs the server", nil)
		}
		if step == 1 && o.Begins != nil {
			o.Begins()
		}
		known := c.slots.of(req.Model)
		have := known.has(whole)
		run := &chatRun{req: beginningOf(req, all, have+known.bytesIn(stepTime))}
		c.slots.cut(req.Model, common(known.prompt, whole)) // also if it is ended while the server reads
		if err := c.chat(ctx, t, run); err != nil {
			return bytes, err
		}
		c.read(req.Model, parts(run.req), "", run.finish(), step)
		now := c.slots.of(req.Model).has(whole)
		if bytes += max(now-have, 0); now <= have || now == whole.size() {
			return bytes, nil // all that can be sent
		}
		if err := c.mayPrepare(ctx, t, req, true, false); err != nil {
			return bytes, err
		}
	}
}

// bytesIn returns how many bytes of a prompt a server surely reads within a time.
func (s slot) bytesIn(d time.Duration) int {
	speed, perKB := s.sure, s.perKB
	if speed == 0 || perKB == 0 {
		speed, perKB = slowestReading, 1024/3
	}
	return max(int(speed*d.Seconds()*1024/perKB), 2*markEvery)
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
		c.slots.unloaded(req.Model)
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

// beginningOf returns a request whose prompt is about the first n bytes of another's: it ends at
// a mark, between two characters, and between two tools.
func beginningOf(req ChatRequest, all []part, n int) ChatRequest {
	out := req
	out.Messages, out.Tools = nil, nil
	for _, p := range all {
		switch {
		case n <= 0:
			return out
		case p.message == nil:
			out.Tools = append(out.Tools, p.tool)
		case n >= len(p.head)+len(p.text):
			out.Messages = append(out.Messages, *p.message)
		default:
			room := min(max(n-len(p.head), markEvery)/markEvery*markEvery, len(p.text)) // to a mark
			for room < len(p.text) && !utf8.RuneStart(p.text[room]) {
				room++
			}
			out.Messages = append(out.Messages, api.Message{Role: p.message.Role, Content: p.text[:room]})
			return out
		}
		n -= p.size()
	}
	return out
}
