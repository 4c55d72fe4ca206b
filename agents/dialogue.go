package agents

import (
	"context"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem"
)

// dialogue is the exchange with one model: the messages so far and the tools that
// may be asked for. A turn has one, and each of its sub-calls one of its own.
type dialogue struct {
	t      *turn
	agent  registry.Agent
	model  ollama.ModelInfo
	numCtx int
	budget prompt.Budget
	factor float64 // calibrated tokens to a raw one, in steps
	tools  []tools.Tool
	native bool  // tools are offered as schemas
	call   *Call // of a sub-call; nil in the turn's own dialogue

	messages []api.Message
	fixed    int // so many messages at the beginning are never left out
	history  int // so many after them may be

	rounds   int                // model calls so far
	failures int                // tool calls that failed in a row
	seen     map[string]int     // how often each call ran
	quoted   prompt.QuotedLines // of the strangers' text in it
	final    bool               // a limit is reached: the next reply is the answer
}

// reply is one answer of the model.
type reply struct {
	raw   string // all text, as it goes back to the model
	prose string // without directives: what is shown and kept
	calls []tools.Call
	tools []api.ToolCall         // the native calls among them, as they go back
	draft *sessionmem.Checkpoint // of the block that it is going to be
	cut   bool                   // the server cut the prompt in silence
	ended string                 // why it ended: stop, length
	held  sessionmem.Sources     // of what the turn held when it was asked for
}

func newDialogue(t *turn, a registry.Agent, model ollama.ModelInfo, numCtx int, tools []tools.Tool) *dialogue {
	d := &dialogue{
		t: t, agent: a, model: model, numCtx: numCtx, budget: prompt.NewBudget(numCtx),
		tools: tools, native: len(tools) > 0 && model.Can("tools"), seen: map[string]int{}, quoted: prompt.QuotedLines{},
	}
	d.factor = prompt.CoarseFactor(d.estimate)
	return d
}

func (d *dialogue) estimate(raw int) int { return d.t.engine.p.Models.Estimate(d.model.Name, raw) }

// cost is what a text takes of the context, in calibrated tokens.
func (d *dialogue) cost(text string) int {
	if text == "" {
		return 0
	}
	return int(float64(sessionmem.EstimateTokens(text)+prompt.MessageTokens)*d.factor + 0.5)
}

// raw turns calibrated tokens into raw ones.
func (d *dialogue) raw(tokens int) int { return int(float64(tokens) / d.factor) }

// toolCost is what the schemas of the tools take.
func (d *dialogue) toolCost() int {
	if !d.native || d.final {
		return 0
	}
	return d.cost(tools.Schemas(d.tools).String())
}

// total is what the request takes as it stands.
func (d *dialogue) total() int {
	n := d.toolCost()
	for _, m := range d.messages {
		n += d.cost(m.Content) + d.images(len(m.Images))
	}
	return n
}

// resultTokens is what one result may take, in raw tokens.
func (d *dialogue) resultTokens() int {
	const unknown, frame = 4096, 100
	if !d.budget.Known() {
		return unknown
	}
	return max(d.raw(d.budget.Result)-frame, frame)
}

// ask makes one call of the model. On an error the reply holds what had arrived;
// its draft is open in any case.
func (d *dialogue) ask(ctx context.Context) (reply, error) {
	d.rounds++
	d.fit()
	held := d.t.may.Sources()
	s := newStreaming(d)
	res, err := d.t.engine.p.Chat.Chat(ctx, d.request(s))
	r := s.finish(res)
	r.held = held
	if err == nil || res.PromptTokens > 0 {
		r.cut = d.account(ctx, res)
	}
	return r, err
}

// request is the chat request for the dialogue as it stands.
func (d *dialogue) request(s *streaming) ollama.ChatRequest {
	req := ollama.ChatRequest{
		Model: d.model.Name, Messages: d.messages, NumCtx: d.numCtx, Temperature: d.agent.Temperature,
		OnPhase: s.onPhase, OnChunk: s.onChunk,
	}
	if d.native && !d.final {
		req.Tools = tools.Schemas(d.tools)
	}
	return req
}

// account tells what the call cost and learns from it. It reports whether the
// server cut the prompt in silence.
func (d *dialogue) account(ctx context.Context, res ollama.ChatResult) (cut bool) {
	raw, images := 0, 0
	for _, m := range d.messages {
		images += len(m.Images)
		raw += sessionmem.EstimateTokens(m.Content) + prompt.MessageTokens
	}
	if d.native && !d.final {
		raw += sessionmem.EstimateTokens(tools.Schemas(d.tools).String())
	}
	if images == 0 { // what an image takes is the model's secret: nothing is learnt from it
		cut = d.t.engine.p.Models.Observe(ctx, d.model.Name, raw, res.PromptTokens)
	}
	usage := Usage{PromptTokens: res.PromptTokens, AnswerTokens: res.AnswerTokens, ContextSize: d.numCtx}
	if s := res.AnswerTime.Seconds(); s > 0 {
		usage.TokensPerSecond = float64(res.AnswerTokens) / s
	}
	if d.numCtx > 0 {
		usage.ContextPercent = 100 * float64(res.PromptTokens+res.AnswerTokens) / float64(d.numCtx)
	}
	if d.call == nil {
		d.t.percent = usage.ContextPercent
	}
	e := Event{Type: EventUsage, Usage: &usage}
	d.emit(e)
	return cut
}

// emit tells an event of this dialogue.
func (d *dialogue) emit(e Event) {
	e.Round, e.Agent, e.Model = d.rounds, d.agent.Slug, d.model.Name
	if d.call != nil && e.Call == nil {
		e.Call = &Call{ID: d.call.ID, Name: d.call.Name}
	}
	d.t.emit(e)
}

// fit makes room where the dialogue has outgrown the context: older history goes
// first, then the longest results are shortened. The answer's share stays free.
func (d *dialogue) fit() {
	if !d.budget.Known() {
		return
	}
	var cut prompt.ContextCut
	room := d.budget.Context - d.budget.Answer
	for d.total() > room && d.history > 0 {
		cut.Messages += d.drop(max(d.history/4, 1))
	}
	for d.total() > room {
		n := d.shorten()
		if n == 0 {
			break // the server decides
		}
		cut.Result += n
	}
	d.t.tellCut(cut)
}

// results are the messages after the user's: what the model asked for in this turn, and
// what came of it.
func (d *dialogue) results() []api.Message {
	if len(d.messages) == 0 {
		return nil
	}
	return slices.Clone(d.messages[d.fixed+d.history+1:])
}

// drop leaves out so many of the oldest messages of the history.
func (d *dialogue) drop(n int) int {
	n = min(n, d.history)
	d.messages = append(d.messages[:d.fixed:d.fixed], d.messages[d.fixed+n:]...)
	d.history -= n
	return n
}

// shorten halves the longest message that came after the user's, and tells how
// many characters went; 0 where there is nothing worth it.
func (d *dialogue) shorten() int {
	const least = 200 // raw tokens
	longest, size := -1, least
	for i := d.fixed + d.history + 1; i < len(d.messages); i++ {
		if n := sessionmem.EstimateTokens(d.messages[i].Content); n > size {
			longest, size = i, n
		}
	}
	if longest < 0 {
		return 0
	}
	text, left := prompt.CutResult(d.messages[longest].Content, size/2)
	d.messages[longest].Content = text
	return left
}

// said is a block of the model's words: they may repeat whatever the turn held, and
// those of a sub-call are another agent's.
func (d *dialogue) said(b sessionmem.Block) sessionmem.Block {
	s := d.t.may.Sources()
	if d.call != nil {
		s |= sessionmem.FromAgent
	}
	return b.WithSources(s)
}

// say appends a message to the dialogue that this app writes, not the user.
func (d *dialogue) say(text string) {
	d.messages = append(d.messages, api.Message{Role: "user", Content: text})
}

// streaming receives one answer: it sorts what comes into thinking, prose and
// directives, tells it as events and checkpoints it.
type streaming struct {
	d       *dialogue
	draft   *sessionmem.Checkpoint
	scanner *prompt.Scanner // nil where no tools are offered: all text is text
	raw     strings.Builder
	prose   strings.Builder
	state   State
}

func newStreaming(d *dialogue) *streaming {
	s := &streaming{d: d}
	block := sessionmem.Block{Kind: sessionmem.KindAssistant, Agent: d.agent.Slug, Model: d.model.Name, Parent: d.t.user.ID}
	if d.call != nil {
		block.Kind, block.Task = sessionmem.KindAgent, d.call.Task
	}
	s.draft = d.t.engine.p.Store.Checkpoint(context.Background(), d.t.req.Session, d.said(block))
	if len(d.tools) > 0 && !d.final {
		s.scanner = &prompt.Scanner{}
	}
	return s
}

func (s *streaming) onPhase(p ollama.Phase) {
	switch p {
	case ollama.PhaseQueued:
		s.enter(StateQueued, "waiting for the model server")
	case ollama.PhaseLoading:
		s.enter(StateLoading, "loading "+s.d.model.Name)
	case ollama.PhaseReading:
		s.enter(StateReading, "")
	}
}

// enter tells a new state, once.
func (s *streaming) enter(state State, detail string) {
	if s.state == state {
		return
	}
	s.state = state
	s.d.emit(Event{Type: EventState, State: state, Detail: detail, Block: s.d.t.user.ID})
}

func (s *streaming) onChunk(c ollama.Chunk) {
	if c.Thinking != "" {
		s.enter(StateThinking, "")
		if s.d.call == nil {
			s.d.emit(Event{Type: EventThinking, Text: c.Thinking, Block: s.draft.ID()})
		}
	}
	if c.Content == "" {
		return
	}
	s.raw.WriteString(c.Content)
	text := c.Content
	if s.scanner != nil {
		text = s.scanner.Write(text)
	}
	s.show(text)
}

// show tells a piece of the answer.
func (s *streaming) show(text string) {
	if text == "" {
		return
	}
	s.enter(StateWriting, "")
	s.prose.WriteString(text)
	s.draft.SetText(s.prose.String())
	kind := EventToken
	if s.d.call != nil {
		kind = EventSubcallToken
	}
	s.d.emit(Event{Type: kind, Text: text, Block: s.draft.ID()})
}

// finish ends the stream and gives the reply. With native calls present, what
// looks like a directive is text.
func (s *streaming) finish(res ollama.ChatResult) reply {
	r := reply{draft: s.draft, ended: res.DoneReason}
	if s.scanner != nil {
		s.show(s.scanner.Finish())
		r.calls, r.tools = s.calls(res)
		if len(r.tools) > 0 {
			s.show(s.scanner.Held.String())
		}
	}
	r.raw, r.prose = s.raw.String(), s.prose.String()
	return r
}

// calls are the tools the reply asks for.
func (s *streaming) calls(res ollama.ChatResult) (calls []tools.Call, native []api.ToolCall) {
	for _, c := range res.ToolCalls {
		calls = append(calls, tools.FromNative(c, s.d.tools))
	}
	if len(calls) > 0 {
		return calls, res.ToolCalls
	}
	for _, found := range s.scanner.Found {
		calls = append(calls, tools.Call{Name: found.Name, Arg: found.Arg})
	}
	return calls, nil
}
