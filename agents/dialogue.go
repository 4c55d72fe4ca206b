package agents

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
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
	native bool      // tools are offered as schemas
	call   *Call     // of a sub-call; nil in the turn's own dialogue
	began  time.Time // of a sub-call
	usage  *Usage    // of the last call of the model; nil where it is not known

	messages []api.Message
	fixed    int // so many messages at the beginning are never left out
	history  int // so many after them may be

	rounds   int                // model calls so far
	failures int                // tool calls that failed in a row
	seen     map[string]int     // how often each call ran
	quoted   prompt.QuotedLines // of the strangers' text in it
	final    bool               // a limit is reached: the next reply is the answer
	think    *bool              // nil: as the model does by itself
	hushed   bool               // it thought too long and answers without
}

// reply is one answer of the model.
type reply struct {
	raw      string        // all text, as it goes back to the model
	prose    string        // without directives: what is shown and kept
	thought  string        // what it thought natively
	thinking time.Duration // how long that took
	calls    []tools.Call
	tools    []api.ToolCall         // the native calls among them, as they go back
	draft    *sessionmem.Checkpoint // of the block that it is going to be
	cut      bool                   // the server cut the prompt in silence
	ended    string                 // why it ended: stop, length, or one of the ends below
	held     transcript.Sources     // of what the turn held when it was asked for
}

func newDialogue(t *turn, a registry.Agent, model ollama.ModelInfo, numCtx int, offered []tools.Tool) *dialogue {
	d := &dialogue{
		t: t, agent: a, model: model, numCtx: numCtx, budget: prompt.NewBudget(numCtx),
		tools: offered, think: a.Think, native: len(offered) > 0 && model.Can("tools"), seen: map[string]int{}, quoted: prompt.QuotedLines{},
	}
	if slices.ContainsFunc(offered, func(tool tools.Tool) bool { return tools.IsForeign(tool.Name()) }) {
		t.may.Describe()
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
	return int(float64(transcript.EstimateTokens(text)+prompt.MessageTokens)*d.factor + 0.5)
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
		n += d.cost(m.Content) + d.cost(m.Thinking) + d.images(len(m.Images))
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
// its draft is open in any case. A model that thinks without end is asked once more,
// to answer without thinking.
func (d *dialogue) ask(ctx context.Context) (reply, error) {
	d.rounds++
	d.fit()
	r, err := d.askOnce(ctx)
	if err == nil && r.ended == endThought && strings.TrimSpace(r.prose) == "" && !d.hushed {
		r.draft.Discard()
		no := false
		d.think, d.hushed = &no, true
		d.t.state(StateReading, d.model.Name+" thought too long; it is asked to answer without thinking")
		return d.askOnce(ctx)
	}
	return r, err
}

func (d *dialogue) askOnce(ctx context.Context) (reply, error) {
	held := d.t.may.Sources()
	call, stop := context.WithCancel(ctx)
	defer stop()
	s := newStreaming(d, stop)
	res, err := d.t.engine.p.Chat.Chat(call, d.request(s))
	if s.ended != "" && ctx.Err() == nil {
		err = nil // it was stopped from here
	}
	r := s.finish(res)
	r.held = held
	if err == nil && s.ended == "" || res.PromptTokens > 0 {
		r.cut = d.account(ctx, res)
	}
	return r, err
}

// request is the chat request for the dialogue as it stands.
func (d *dialogue) request(s *streaming) ollama.ChatRequest {
	req := ollama.ChatRequest{
		Model: d.model.Name, NoSystem: d.model.NoSystem, Messages: d.messages, NumCtx: d.numCtx, MaxTokens: d.answerTokens(), Temperature: d.agent.Temperature, Think: d.think,
		OnPhase: s.onPhase, OnChunk: s.onChunk,
	}
	if d.native && !d.final {
		req.Tools = tools.Schemas(d.tools)
	}
	return req
}

// answerTokens is what an answer may take, thinking included: what is left of the
// context. 0 where that is not known.
func (d *dialogue) answerTokens() int {
	const least = 64
	if !d.budget.Known() {
		return 0
	}
	return max(d.budget.Context-d.total(), least)
}

// account tells what the call cost and learns from it. It reports whether the
// server cut the prompt in silence.
func (d *dialogue) account(ctx context.Context, res ollama.ChatResult) (cut bool) {
	raw, images := 0, 0
	for _, m := range d.messages {
		images += len(m.Images)
		raw += transcript.EstimateTokens(m.Content) + transcript.EstimateTokens(m.Thinking) + prompt.MessageTokens
	}
	if d.native && !d.final {
		raw += transcript.EstimateTokens(tools.Schemas(d.tools).String())
	}
	if images == 0 { // what an image takes is the model's secret: nothing is learnt from it
		cut = d.t.engine.p.Models.Observe(ctx, d.model.Name, d.numCtx, raw, res.PromptTokens)
	}
	usage := &Usage{PromptTokens: res.PromptTokens, AnswerTokens: res.AnswerTokens, ContextSize: d.numCtx}
	if s := res.AnswerTime.Seconds(); s > 0 {
		usage.TokensPerSecond = float64(res.AnswerTokens) / s
	}
	if d.numCtx > 0 {
		usage.ContextPercent = 100 * float64(res.PromptTokens+res.AnswerTokens) / float64(d.numCtx)
	}
	if d.call == nil {
		d.t.took.Percent = usage.ContextPercent
	}
	d.usage = usage
	e := Event{Type: EventUsage, Usage: usage}
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
		if n := transcript.EstimateTokens(d.messages[i].Content); n > size {
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
func (d *dialogue) said(b transcript.Block) transcript.Block {
	s := d.t.may.Sources()
	if d.call != nil {
		s |= transcript.FromAgent
	}
	return b.WithSources(s)
}

// say appends a message to the dialogue that this app writes, not the user.
func (d *dialogue) say(text string) {
	d.messages = append(d.messages, api.Message{Role: "user", Content: text})
}
