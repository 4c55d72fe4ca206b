package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/fault"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/reply"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/transcript"
)

// Limits of one dialogue, in addition to an agent's rounds.
const (
	maxFailures  = 3 // failed calls in a row
	maxIdentical = 3 // calls of the same tool with the same argument
	maxCalls     = 5 // calls of one reply
)

// addReply appends the model's own reply to the dialogue, with its thinking if its
// template accepts that.
func (d *dialogue) addReply(r response) {
	m := api.Message{Role: "assistant", Content: r.sent, ToolCalls: r.native}
	if d.model.KeepsThinking && !d.hushed {
		m.Thinking = r.thought
	}
	d.window.Add(m)
}

// runCalls runs the calls of a reply, and appends the reply and the results to the
// dialogue. At a limit, it tells the model once that the next reply must be the answer.
// An error ends the turn: it was stopped, or the disk failed.
func (d *dialogue) runCalls(ctx context.Context, r response) error {
	var outcomes []outcome
	limit, none := "", true
	for i, call := range r.calls {
		call.Held, call.Agent = r.held, d.agent.Slug
		var o outcome
		var err error
		switch {
		case call.Why != "":
			o, err = d.skip(ctx, call, "not run, "+call.Why)
		case i >= maxCalls:
			o, err = d.skip(ctx, call, fmt.Sprintf("not run, at most %d calls in a reply", maxCalls))
		case limit != "":
			o, err = d.skip(ctx, call, "not run, "+limit)
		default:
			none = false
			o, err = d.run(ctx, call)
			limit = d.limit(call)
		}
		if err != nil {
			return err
		}
		outcomes = append(outcomes, o)
	}
	if limit == "" && d.rounds >= d.maxRounds() {
		limit = fmt.Sprintf("%d rounds of tool calls are used up", d.maxRounds())
	}
	d.addReply(r)
	if none && r.native == nil {
		d.corrected = true
		d.window.Say(d.correction(r.calls))
	} else {
		d.addResults(outcomes, len(r.native))
	}
	if limit == "" {
		return nil
	}
	d.window.Final = true
	d.window.Say(d.turn.engine.guides.Limit)
	return d.turn.limit(ctx, fault.Sentence(limit+"; "+d.agent.Slug+" answers with what there is"))
}

func (d *dialogue) maxRounds() int {
	if d.agent.MaxRounds > 0 {
		return d.agent.MaxRounds
	}
	return registry.DefaultRounds
}

// limit returns the limit that the last call reached, or "".
func (d *dialogue) limit(call *tools.Call) string {
	switch {
	case d.failures >= maxFailures:
		return fmt.Sprintf("%d tool calls in a row have failed", maxFailures)
	case d.seen[call.Key()] >= maxIdentical:
		return fmt.Sprintf("%s was called %d times with the same argument", call.Name, maxIdentical)
	}
	return ""
}

// addResults appends the results: one message for each of the native calls, which come
// first, and one for all others.
func (d *dialogue) addResults(outcomes []outcome, native int) {
	var parts []string
	for i, o := range outcomes {
		what := strings.TrimSpace(o.call.Name + " " + excerpt.Shorten(excerpt.OneLine(o.call.Arg), 80))
		switch {
		case i < native:
			d.window.Add(api.Message{Role: "tool", ToolName: o.call.Name, ToolCallID: o.call.NativeID, Content: o.words()})
		case o.failed != "":
			parts = append(parts, what+" failed: "+o.failed)
		default:
			parts = append(parts, "Result of "+what+":\n"+o.text)
		}
	}
	if parts != nil {
		d.window.Say(strings.Join(parts, "\n\n"))
	}
}

// run runs one call, emits its events and writes its block.
func (d *dialogue) run(ctx context.Context, call *tools.Call) (outcome, error) {
	d.seen[call.Key()]++
	call.ID, call.Session, call.May = d.turn.nextCall(), d.turn.req.Session, &d.turn.may
	call.Ask = func(ctx context.Context, act tools.Action) error { return d.turn.consent(ctx, call, act) }
	tool := tools.Find(d.window.Tools, call.Name)
	if tool != nil && tool.Doc().Reports {
		result, err := tool.Run(ctx, call)
		return d.settle(ctx, call, result, err)
	}
	began := time.Now()
	event := Call{ID: call.ID, Name: call.Name, Task: call.Arg, Written: WrittenOf(transcript.Block{Attrs: callAttrs(map[string]string{}, call)})}
	if d.call == nil {
		d.turn.state(StateTool, strings.TrimSpace(call.Name+" "+excerpt.Shorten(excerpt.OneLine(call.Arg), 60)))
	}
	d.emitTool(event)
	call.Progress = func(text string) {
		under := event
		under.Result, under.Took = text, time.Since(began)
		d.emitTool(under)
	}
	result, err := d.runTool(ctx, tool, call)
	o, turnErr := d.settle(ctx, call, result, err)
	event.Done, event.Failed, event.Took = true, o.failed, time.Since(began)
	o.took = event.Took
	if o.failed == "" {
		event.Result, _ = prompt.CutResult(result.Text, d.window.ResultTokens())
	}
	d.emitTool(event)
	if err := d.turn.keepTool(ctx, call, o, event.Result); err != nil { // no more text than the model got
		return o, err
	}
	return o, turnErr
}

func (d *dialogue) emitTool(c Call) {
	d.turn.emit(Event{Type: EventTool, Call: &c, Round: d.rounds, Agent: d.agent.Slug, Model: d.model.Name, Block: d.turn.message.ID})
}

// runTool runs a tool in a context that StopCall can cancel.
func (d *dialogue) runTool(ctx context.Context, tool tools.Tool, call *tools.Call) (tools.Result, error) {
	if tool == nil {
		return tools.Result{}, tools.Unavailable(call.Name, d.window.Tools)
	}
	ctx, done := d.turn.run.callContext(ctx, call.ID)
	defer done()
	if guarded, ok := tool.(tools.Guarded); ok {
		act, err := guarded.Action(call)
		if err == nil {
			err = call.Ask(ctx, act)
		}
		if err != nil {
			return tools.Result{}, err
		}
	}
	result, err := tool.Run(ctx, call)
	if err != nil && errors.Is(context.Cause(ctx), errCallStopped) {
		err = errCallStopped
	}
	return result, err
}

// settle turns a tool's result into an outcome and counts failures. It returns an error
// if the turn was stopped, rather than the call, or if the disk failed.
func (d *dialogue) settle(ctx context.Context, call *tools.Call, result tools.Result, err error) (outcome, error) {
	o := outcome{call: call}
	if err != nil {
		o.failed = err.Error()
		d.failures++
		if ctx.Err() != nil {
			return o, context.Cause(ctx)
		}
		return o, turnError(err)
	}
	d.failures = 0
	text, left := prompt.CutResult(result.Text, d.window.ResultTokens())
	if left > 0 {
		d.turn.cut(prompt.ContextCut{Result: left})
	} else if result.Cut {
		text += "\n[cut here: the rest was not read]"
	}
	d.turn.may.Hold(result.Sources)
	if result.Quote != "" {
		d.turn.quoted = append(d.turn.quoted, reply.Quoted{Text: result.Text})
		text = d.turn.engine.guides.Quote(result.Quote, strings.TrimSpace(result.About+"\n\n"+text))
	}
	o.text, o.recalled, o.sources = text, result.Recalled, result.Sources
	return o, nil
}

// keepUnrun writes the calls of a reply of which nothing runs.
func (d *dialogue) keepUnrun(ctx context.Context, r response) error {
	for _, call := range r.calls {
		if _, err := d.skip(ctx, call, "not run, "+cmp.Or(call.Why, "the model is asked again")); err != nil {
			return err
		}
	}
	return nil
}

// skip returns the outcome of a call that doesn't run.
func (d *dialogue) skip(ctx context.Context, call *tools.Call, why string) (outcome, error) {
	call.ID = d.turn.nextCall()
	o := outcome{call: call, failed: why}
	d.emitTool(Call{ID: call.ID, Name: call.Name, Task: call.Arg, Written: WrittenOf(transcript.Block{Attrs: callAttrs(map[string]string{}, call)}), Done: true, Failed: why})
	return o, d.turn.keepTool(ctx, call, o, "")
}
