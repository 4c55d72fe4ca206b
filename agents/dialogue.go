package agents

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// dialogue is the exchange with one model: what is sent, and the offered tools. A turn has
// one, and so has each of its sub-calls. It knows what fits before the model is called.
type dialogue struct {
	turn   *turn
	agent  registry.Agent
	model  ollama.ModelInfo
	numCtx int
	window *prompt.Window
	tools  []tools.Tool // that are offered; the window may have finders besides
	usage  *Usage       // of the last model call; nil if unknown
	first  *Usage       // of the first one

	// Only in a sub-call.
	call  *Call             // nil in the turn's own dialogue
	since time.Time         // when it began
	made  map[string]string // callAttrs of the call that made it

	// Only in the turn's own dialogue: how its request is built.
	input    prompt.Input   // of the system prompt, with the memory as it is on disk
	whole    prompt.System  // with all of the memory
	system   prompt.System  // as it is sent
	began    beginning      // of the request
	why      string         // why it isn't that of the request before, see ReadBreak; "" if it is
	lines    map[string]int // lines of memory beside the messages, by the file's name
	contents prompt.Contents
	history  int // cap of the history in tokens; set by fill

	rounds    int            // model calls so far
	failures  int            // failed tool calls in a row
	seen      map[string]int // how often each call ran
	corrected bool           // the one time that it is told why nothing ran is used up
	think     *bool          // nil: the model's default
	hushed    bool           // it thought too long and now answers without thinking
}

// response is one reply of the model, taken apart.
type response struct {
	text     string              // the answer, as shown and stored
	sent     string              // text and calls, as they go back to the model
	thought  string              // in whatever form the model thought
	thinking time.Duration       // how long that took
	calls    []*tools.Call       // in their order; those with Why don't run
	native   []api.ToolCall      // the calls, if they are native, as they go back
	draft    *session.Checkpoint // of the reply's block
	cut      bool                // the server silently truncated the prompt
	ended    string              // why it ended: stop, length, or one of the end constants
	held     transcript.Sources  // sources of the text that the turn held at the call
}

func newDialogue(t *turn, a registry.Agent, model ollama.ModelInfo, numCtx int, offered []tools.Tool) *dialogue {
	d := &dialogue{
		turn: t, agent: a, model: model, numCtx: numCtx, tools: slices.Clip(offered), think: a.Think, seen: map[string]int{},
	}
	d.window = prompt.NewWindow(numCtx, d.learned(), d.tools, len(offered) > 0 && model.Can("tools"))
	if slices.ContainsFunc(offered, func(tool tools.Tool) bool { return tools.IsForeign(tool.Doc().Name) }) {
		t.may.Describe()
	}
	return d
}

// learned returns the model's calibration as this process knows it.
func (d *dialogue) learned() float64 {
	return prompt.Factor(func(raw int) int { return d.turn.engine.p.Models.Estimate(d.model.Name, raw) })
}

// ask calls the model once. After an error, the reply holds what had arrived; its draft
// is always open. A model that thinks too long is called again, without thinking.
func (d *dialogue) ask(ctx context.Context) (response, error) {
	d.rounds++
	if d.call == nil {
		d.turn.round = d.rounds
	}
	d.turn.cut(d.window.Fit())
	r, err := d.askOnce(ctx)
	if err == nil && r.ended == endThought && r.text == "" && !d.hushed {
		r.draft.Discard()
		if err := errors.Join(d.keepThought(ctx, r), d.keepUnrun(ctx, r)); err != nil {
			return r, err
		}
		no := false
		d.think, d.hushed = &no, true
		d.turn.state(StateReading, d.model.Name+" thought too long; it is asked to answer without thinking")
		return d.askOnce(ctx)
	}
	return r, err
}

func (d *dialogue) askOnce(ctx context.Context) (response, error) {
	held := d.turn.may.Sources()
	call, stop := context.WithCancel(ctx)
	defer stop()
	s := newReading(d, stop)
	req := d.request()
	if cache := d.turn.engine.p.Cache; cache != nil {
		s.expected = cache.Expect(req)
	}
	req.OnPhase, req.OnChunk = s.onPhase, s.onChunk
	res, err := d.turn.engine.p.Chat.Chat(call, req)
	if s.ended != "" && ctx.Err() == nil {
		err = nil // the reading stopped it
	}
	r := s.finish(res, err != nil)
	r.held = held
	if err == nil && s.ended == "" || res.PromptTokens > 0 {
		r.cut = d.account(ctx, res)
	}
	return r, err
}

// request returns the chat request for the dialogue so far.
func (d *dialogue) request() ollama.ChatRequest {
	return ollama.ChatRequest{
		Model: d.model.Name, NoSystem: d.model.NoSystem, Messages: d.window.Messages, Tools: d.window.Schemas(), NumCtx: d.numCtx, MaxTokens: d.window.AnswerTokens(), Temperature: d.agent.Temperature, Think: d.think,
	}
}

// account emits the cost of a call and calibrates the estimate with it. It reports
// whether the server silently truncated the prompt.
func (d *dialogue) account(ctx context.Context, res ollama.ChatResult) (cut bool) {
	raw, images := d.window.RawTotal()
	if images == 0 { // the tokens of an image are unknown, so they can't calibrate the estimate
		cut = d.turn.engine.p.Models.Observe(ctx, d.model.Name, d.numCtx, raw, res.PromptTokens)
	}
	usage := &Usage{PromptTokens: res.PromptTokens, AnswerTokens: res.AnswerTokens, ContextSize: d.numCtx, NewTokens: res.Reading.New, ReadTime: res.PromptTime, Lost: res.Reading.Lost}
	if s := res.AnswerTime.Seconds(); s > 0 {
		usage.TokensPerSecond = float64(res.AnswerTokens) / s
	}
	if d.numCtx > 0 {
		usage.ContextPercent = 100 * float64(res.PromptTokens+res.AnswerTokens) / float64(d.numCtx)
	}
	d.usage = usage
	if d.first == nil {
		d.first = usage
	}
	d.emit(Event{Type: EventUsage, Usage: usage})
	return cut
}

// emit emits an event of this dialogue.
func (d *dialogue) emit(e Event) {
	e.Round, e.Agent, e.Model = d.rounds, d.agent.Slug, d.model.Name
	if d.call != nil && e.Call == nil {
		e.Call = &Call{ID: d.call.ID, Name: d.call.Name}
	}
	d.turn.emit(e)
}

// withSources adds the sources of the model's words to their block: the words may repeat
// whatever the turn held, and those of a sub-call are another agent's.
func (d *dialogue) withSources(b transcript.Block) transcript.Block {
	s := d.turn.may.Sources()
	if d.call != nil {
		s |= transcript.FromAgent
	}
	return b.WithSources(s)
}

// empty returns the error for a reply without an answer.
func (d *dialogue) empty(r response) error {
	e := &fault.Empty{Model: d.model.Name, Thought: r.thought != "", Cut: r.thought != "" && (r.ended == "length" || r.ended == endThought)}
	if r.ended != "stop" && !e.Cut {
		e.Reason = r.ended
	}
	return e
}

// keepThought writes the model's thinking before a reply as a Note above it, which is shown
// but never sent to a model.
func (d *dialogue) keepThought(ctx context.Context, r response) error {
	if r.thought == "" {
		return nil
	}
	return d.turn.note(ctx, transcript.Block{
		Note: transcript.NoteThinking, Agent: d.agent.Slug, Model: d.model.Name, Parent: d.turn.message.ID, Text: r.thought,
		Attrs: map[string]string{attrTook: tookAttr(r.thinking)},
	}.WithSources(r.held))
}

// keep writes a reply that isn't the turn's answer as an Agent block, which is shown but
// neither counted nor sent in later turns. Its calls are written with their results.
func (d *dialogue) keep(ctx context.Context, r response) (transcript.Block, error) {
	if err := d.keepThought(ctx, r); err != nil {
		return transcript.Block{}, err
	}
	if strings.TrimSpace(r.text) == "" {
		r.draft.Discard()
		return transcript.Block{}, nil
	}
	what := "A part of the answer"
	b := transcript.Block{Kind: transcript.KindAgent, Agent: d.agent.Slug, Model: d.model.Name, Parent: d.turn.message.ID, Text: r.text}
	if d.call != nil {
		what, b.Task, b.Attrs = "The answer of "+d.agent.Slug, d.call.Task, d.made
		b.Attrs[attrTook] = tookAttr(time.Since(d.since))
		d.made = map[string]string{} // it stands in one block
	}
	kept, err := r.draft.Commit(context.WithoutCancel(ctx), d.withSources(b))
	if err != nil {
		return transcript.Block{Text: r.text}, &fault.Save{What: what, Answer: r.text, Err: err}
	}
	return kept, nil
}

// correction returns the text that shows the model the proper form of calls that couldn't
// run.
func (d *dialogue) correction(calls []*tools.Call) string {
	var why, written, forms []string
	for _, call := range calls {
		why = append(why, strings.TrimSpace(call.Name+": "+call.Why))
		written = append(written, excerpt.Shorten(strings.TrimSpace(call.Raw), 400))
		if tool := tools.Find(d.window.Tools, call.Name); tool != nil {
			forms = append(forms, tool.Doc().Usage)
		}
	}
	if len(forms) == 0 {
		for _, tool := range d.window.Tools {
			forms = append(forms, tool.Doc().Usage)
		}
	}
	form := strings.Join(slices.Compact(forms), "\n")
	if d.window.Native {
		form = "a tool call, not text: " + strings.Join(strings.Fields(strings.ReplaceAll(form, "\n", " or ")), " ")
	}
	return strings.NewReplacer(
		"{{line}}", strings.TrimSpace(strings.Join(written, "\n")), "{{why}}", strings.Join(slices.Compact(why), "\n"), "{{form}}", form,
	).Replace(d.turn.engine.guides.NearMiss)
}
