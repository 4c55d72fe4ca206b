package agents

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/delegate"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// A sub-call is one-shot: [system: the specialist's prompt, user: the task], without
// history, delegation or memory. Its answer returns as a tool's result.

// delegation makes the sub-calls of a turn. It is the turn's delegate.Host.
type delegation struct {
	parts
	toolbox *toolbox
}

// Refuse reports a sub-call that couldn't start.
func (s *delegation) Refuse(ctx context.Context, call tools.Call, name, task string, why error) (tools.Result, error) {
	event := Call{ID: call.ID, Name: name, Task: task}
	s.report.subcall(EventSubcallStart, event, "")
	return s.end(ctx, call, event, time.Now(), "", why)
}

// Delegate runs a sub-call to its end. The text of an error is for the orchestrator.
func (s *delegation) Delegate(ctx context.Context, call tools.Call, who delegate.Specialist, task string) (tools.Result, error) {
	if task == "" {
		task = s.report.message.Text
	}
	began := time.Now()
	event := Call{ID: call.ID, Name: who.Name, Task: task, Written: WrittenOf(transcript.Block{Attrs: callAttrs(map[string]string{}, call)})}
	model, numCtx, err := s.cast.model, s.cast.numCtx, error(nil)
	if !who.Skill {
		model, numCtx, err = s.cast.resolve(ctx, "", who.Agent)
		if model.Name == s.cast.model.Name {
			numCtx = s.cast.numCtx // another size would reload the model
		}
	}
	event.Model = model.Name
	s.report.state(StateTool, who.Name+": "+excerpt.Shorten(excerpt.OneLine(task), 60))
	s.report.subcall(EventSubcallStart, event, "")
	if err != nil {
		return s.end(ctx, call, event, began, "", explained(err))
	}
	callCtx, done := s.report.run.callContext(ctx, call.ID)
	defer done()
	d := s.dialogue(callCtx, who, model, numCtx, &event, task)
	d.made = callAttrs(map[string]string{}, call)
	text, block, err := d.converse(callCtx)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(callCtx), errCallStopped) {
		err = errCallStopped
	}
	event.Result = text
	result, err := s.end(ctx, call, event, began, block, explained(err))
	result.Quote, result.Sources = who.Quote, transcript.FromAgent
	return result, err
}

// dialogue returns a sub-call's dialogue, exactly [system, user = task].
func (s *delegation) dialogue(ctx context.Context, who delegate.Specialist, model ollama.ModelInfo, numCtx int, event *Call, task string) *dialogue {
	d := newDialogue(s.parts, who.Agent, model, numCtx, s.toolbox.forSpecialist(ctx, who.Agent, model))
	d.call, d.began = event, time.Now()
	in := prompt.Input{
		Agent: who.Agent, ContextTokens: numCtx, Guides: s.cast.base.guides, Estimate: d.estimate,
		Global: memory.File{Missing: true}, Own: memory.File{Missing: true},
	}
	if !who.Skill {
		in = s.input(d)
	}
	system := prompt.SpecialistSystem(in)
	s.report.cut(system.Cut)
	if s.cast.settings.TaskContext == "last-user-message" && task != s.report.message.Text {
		task += "\n\nThe user's message was: " + excerpt.Shorten(excerpt.OneLine(s.report.message.Text), 500)
	}
	if system.System != "" {
		d.window.Add(api.Message{Role: "system", Content: system.System})
	}
	d.window.Fixed = len(d.window.Messages)
	d.window.Say(task)
	return d
}

// converse runs a sub-call's dialogue to its answer and writes it as an Agent block.
// After an error, it writes what had arrived.
func (d *dialogue) converse(ctx context.Context) (text, block string, err error) {
	if room := d.window.Budget.Rest(); d.window.Budget.Known() && d.window.Total() > room {
		return "", "", &fault.TooLong{Model: d.model.Name, Need: d.window.Total(), Room: room}
	}
	for {
		r, err := d.ask(ctx)
		if err == nil && len(r.calls) == 0 && strings.TrimSpace(r.text) == "" {
			err = d.empty(r)
		}
		kept, keepErr := d.keep(ctx, r)
		if err != nil {
			keepErr = errors.Join(keepErr, d.keepUnrun(ctx, r))
		}
		if err = errors.Join(err, keepErr); err != nil || len(r.calls) == 0 {
			return kept.Text, kept.ID, err
		}
		if err := d.runCalls(ctx, r); err != nil {
			return "", "", err
		}
	}
}

// keep appends a sub-call's reply as an Agent block, if it isn't empty.
func (d *dialogue) keep(ctx context.Context, r response) (transcript.Block, error) {
	if err := d.keepThought(ctx, r); err != nil {
		return transcript.Block{}, err
	}
	if strings.TrimSpace(r.text) == "" {
		r.draft.Discard()
		return transcript.Block{}, nil
	}
	attrs := d.made
	attrs[attrTook] = tookAttr(time.Since(d.began))
	d.made = map[string]string{} // it stands in one block
	b, err := r.draft.Commit(context.WithoutCancel(ctx), d.withSources(transcript.Block{
		Kind: transcript.KindAgent, Agent: d.agent.Slug, Model: d.model.Name,
		Parent: d.report.message.ID, Task: d.call.Task, Text: r.text, Attrs: attrs,
	}))
	if err != nil {
		return transcript.Block{Text: r.text}, &fault.Save{What: "The answer of " + d.agent.Slug, Answer: r.text, Err: err}
	}
	return b, nil
}

// end reports the end of a sub-call. It writes a failure as a Tool block.
func (s *delegation) end(ctx context.Context, call tools.Call, event Call, began time.Time, block string, err error) (tools.Result, error) {
	event.Done, event.Took = true, time.Since(began)
	if err != nil {
		event.Failed = err.Error()
	}
	s.report.subcall(EventSubcallEnd, event, block)
	if err == nil {
		return tools.Result{Text: event.Result}, nil
	}
	if turnError(err) != nil {
		return tools.Result{}, err
	}
	if keepErr := s.report.tool(ctx, call, outcome{failed: err.Error(), took: event.Took}, ""); keepErr != nil {
		return tools.Result{}, keepErr
	}
	return tools.Result{}, err
}

// wordedError is an error whose text is the explanation of another error.
type wordedError struct {
	words string
	err   error
}

func (e *wordedError) Error() string { return e.words }
func (e *wordedError) Unwrap() error { return e.err }

// explained replaces the text of an error of the server or the files with the sentence
// for people. It returns other errors unchanged.
func explained(err error) error {
	if err == nil || errors.Is(err, errCallStopped) {
		return err
	}
	if why := fault.Explain(err); why.Kind != fault.KindInternal {
		return &wordedError{why.Sentence, err}
	}
	return err
}

// turnError returns the error if it ends the turn, which only a failed save does.
func turnError(err error) error {
	var save *fault.Save
	if errors.As(err, &save) {
		return err
	}
	return nil
}
