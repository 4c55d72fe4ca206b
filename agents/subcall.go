package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// A sub-call is one-shot: [system: the specialist's prompt, user: the task], no
// history, no delegation, no memory. It comes back as a tool's result.

// specialist is who a sub-call goes to.
type specialist struct {
	agent registry.Agent
	name  string // the agent's slug, or skill:<name>
	quote string // "the agent coder"
	skill bool   // a skill: its text is the whole system prompt, the model is the turn's
}

// agentTool is AGENT.
type agentTool struct{ t *turn }

func (agentTool) Name() string { return registry.ToolAgent }
func (agentTool) reports()     {}

func (agentTool) Doc() tools.Doc {
	return tools.Doc{Name: registry.ToolAgent, Usage: "AGENT: <slug> <task>", Description: "Hands a task to another agent, who sees the task alone.", Effects: tools.Effects{Sends: "the task, to that agent's model"}}
}

func (agentTool) Params() []tools.Param {
	return []tools.Param{
		{Name: "agent", Description: "the agent's slug, from the list", Required: true},
		{Name: "task", Description: "the task, with all the agent needs to know; left out: the user's message"},
	}
}

// Run calls the agent.
func (a agentTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	selector, task := call.Value("agent"), call.Value("task")
	if !call.Native() {
		selector, task = splitSelector(call.Arg, a.t.engine.p.Registry.Agents())
	}
	found, err := a.find(selector)
	if err != nil {
		return a.t.refuseCall(ctx, call, selector, task, err)
	}
	return a.t.subcall(ctx, call, specialist{agent: found, name: found.Slug, quote: "the agent " + found.Slug}, task)
}

func (a agentTool) fits(call tools.Call) bool {
	selector := call.Value("agent")
	if !call.Native() {
		selector, _ = splitSelector(call.Arg, a.t.roster)
	}
	_, err := a.find(selector)
	return err == nil
}

func (a agentTool) find(selector string) (registry.Agent, error) {
	if selector == "" {
		return registry.Agent{}, errors.New("name an agent from the list: AGENT: <slug> <task>")
	}
	found, err := a.t.engine.p.Registry.Find(selector)
	if err == nil && found.Path == a.t.agent.Path {
		return registry.Agent{}, fmt.Errorf("%s is you: do it yourself", found.Slug)
	}
	return found, err
}

// skillTool is SKILL.
type skillTool struct{ t *turn }

func (skillTool) Name() string { return registry.ToolSkill }
func (skillTool) reports()     {}

func (skillTool) Doc() tools.Doc {
	return tools.Doc{Name: registry.ToolSkill, Usage: "SKILL: <name> <task>", Description: "Has a task done by the rules of a skill, which sees the task alone.", Effects: tools.Effects{Sends: "the task, to the model"}}
}

func (skillTool) Params() []tools.Param {
	return []tools.Param{
		{Name: "skill", Description: "the skill's name, from the list", Required: true},
		{Name: "task", Description: "the task, with all that is needed; left out: the user's message"},
	}
}

// Run makes the call with the skill's text as system prompt.
func (s skillTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	name, task := call.Value("skill"), call.Value("task")
	if !call.Native() {
		name, task = firstWord(call.Arg)
	}
	found, err := s.t.engine.p.Registry.FindSkill(name)
	if err != nil {
		return s.t.refuseCall(ctx, call, "skill:"+name, task, err)
	}
	name = "skill:" + found.Name
	return s.t.subcall(ctx, call, specialist{
		agent: registry.Agent{Slug: name, Name: found.Name, Skill: found.Body, Enabled: true, MaxRounds: 1, Tools: []string{}},
		name:  name, quote: "the skill " + found.Name, skill: true,
	}, task)
}

func (s skillTool) fits(call tools.Call) bool {
	name := call.Value("skill")
	if !call.Native() {
		name, _ = firstWord(call.Arg)
	}
	_, err := s.t.engine.p.Registry.FindSkill(name)
	return err == nil
}

// splitSelector parts a directive's selector from its task. The longest slug,
// name or id that the argument begins with is the selector, else its first word.
func splitSelector(arg string, agents []registry.Agent) (selector, task string) {
	arg = strings.TrimSpace(arg)
	for _, a := range agents {
		for _, key := range []string{a.Slug, a.Name, a.ID, "agent-" + a.ID} {
			if key == "" || len(key) <= len(selector) || len(arg) < len(key) || !strings.EqualFold(arg[:len(key)], key) {
				continue
			}
			if rest := arg[len(key):]; a.Usable() && (rest == "" || strings.IndexAny(rest, " \t\n:,：，、") == 0) {
				selector, task = arg[:len(key)], rest
			}
		}
	}
	if selector == "" {
		return firstWord(arg)
	}
	return selector, strings.TrimSpace(strings.TrimLeft(task, ":,：，、 \t"))
}

// firstWord parts the first word (without a sign after it) from the rest.
func firstWord(arg string) (word, rest string) {
	arg = strings.TrimSpace(arg)
	if i := strings.IndexAny(arg, " \t\n"); i >= 0 {
		word, rest = arg[:i], strings.TrimSpace(arg[i:])
	} else {
		word = arg
	}
	return strings.TrimRight(word, ":,;."), rest
}

// refuseCall tells of a sub-call that could not begin.
func (t *turn) refuseCall(ctx context.Context, call tools.Call, name, task string, why error) (tools.Result, error) {
	event := Call{ID: call.ID, Name: name, Task: task}
	t.tellSubcall(EventSubcallStart, event, "")
	return t.endSubcall(ctx, call, event, time.Now(), "", why)
}

// subcall runs a sub-call to its end. An error is a failure that the
// orchestrator is told in words.
func (t *turn) subcall(ctx context.Context, call tools.Call, who specialist, task string) (tools.Result, error) {
	if task == "" {
		task = t.user.Text
	}
	began := time.Now()
	event := Call{ID: call.ID, Name: who.name, Task: task}
	model, numCtx, err := t.model, t.numCtx, error(nil)
	if !who.skill {
		model, numCtx, err = t.resolveModel(ctx, "", who.agent)
		if model.Name == t.model.Name {
			numCtx = t.numCtx // another one would have it loaded anew
		}
	}
	event.Model = model.Name
	t.state(StateTool, who.name+": "+excerpt.Shorten(excerpt.OneLine(task), 60))
	t.tellSubcall(EventSubcallStart, event, "")
	if err != nil {
		return t.endSubcall(ctx, call, event, began, "", inWords(err))
	}
	callCtx, done := t.out.callContext(ctx, call.ID)
	defer done()
	d := t.specialistDialogue(callCtx, who, model, numCtx, &event, task)
	text, block, err := d.converse(callCtx)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(callCtx), errCallStopped) {
		err = errCallStopped
	}
	event.Result = text
	result, err := t.endSubcall(ctx, call, event, began, block, inWords(err))
	result.Quote, result.Sources = who.quote, transcript.FromAgent
	return result, err
}

// specialistDialogue is exactly [system, user = task].
func (t *turn) specialistDialogue(ctx context.Context, who specialist, model ollama.ModelInfo, numCtx int, event *Call, task string) *dialogue {
	d := newDialogue(t, who.agent, model, numCtx, t.specialistTools(ctx, who.agent, model))
	d.call, d.began = event, time.Now()
	in := prompt.Input{
		Agent: who.agent, ContextTokens: numCtx, Guides: t.engine.guides, Estimate: d.estimate,
		Global: memory.File{Missing: true}, Own: memory.File{Missing: true},
	}
	if !who.skill {
		in = t.promptInput(d)
	}
	prompt := prompt.SpecialistSystem(in)
	t.tellCut(prompt.Cut)
	if t.settings.TaskContext == "last-user-message" && task != t.user.Text {
		task += "\n\nThe user's message was: " + excerpt.Shorten(excerpt.OneLine(t.user.Text), 500)
	}
	if prompt.System != "" {
		d.messages = []api.Message{{Role: "system", Content: prompt.System}}
	}
	d.fixed = len(d.messages)
	d.messages = append(d.messages, api.Message{Role: "user", Content: task})
	return d
}

// converse runs a sub-call's dialogue to its answer, which it keeps as an Agent
// block. What came before an error is kept, too.
func (d *dialogue) converse(ctx context.Context) (text, block string, err error) {
	if room := d.budget.Rest(); d.budget.Known() && d.total() > room {
		return "", "", &tooLongError{model: d.model.Name, need: d.total(), room: room}
	}
	for {
		r, err := d.ask(ctx)
		if err == nil && len(r.calls) == 0 && strings.TrimSpace(r.prose) == "" {
			err = &emptyError{model: d.model.Name}
		}
		kept, keepErr := d.keep(ctx, r)
		if err = errors.Join(err, keepErr); err != nil || len(r.calls) == 0 {
			return kept.Text, kept.ID, err
		}
		if err := d.runCalls(ctx, r); err != nil {
			return "", "", err
		}
	}
}

// keep appends a sub-call's reply as an Agent block, if it says anything.
func (d *dialogue) keep(ctx context.Context, r reply) (transcript.Block, error) {
	if strings.TrimSpace(r.prose) == "" {
		r.draft.Discard()
		return transcript.Block{}, nil
	}
	b, err := r.draft.Commit(context.WithoutCancel(ctx), d.said(transcript.Block{
		Kind: transcript.KindAgent, Agent: d.agent.Slug, Model: d.model.Name,
		Parent: d.t.user.ID, Task: d.call.Task, Text: r.prose, Attrs: map[string]string{attrTook: tookAttr(time.Since(d.began))},
	}))
	if err != nil {
		return transcript.Block{Text: r.prose}, &saveError{what: "The answer of " + d.agent.Slug, answer: r.prose, err: err}
	}
	return b, nil
}

// endSubcall tells how a sub-call ended. A failure is kept as a Tool block.
func (t *turn) endSubcall(ctx context.Context, call tools.Call, event Call, began time.Time, block string, err error) (tools.Result, error) {
	event.Done, event.Took = true, time.Since(began)
	if err != nil {
		event.Failed = err.Error()
	}
	t.tellSubcall(EventSubcallEnd, event, block)
	if err == nil {
		return tools.Result{Text: event.Result}, nil
	}
	if ofTurn(err) != nil {
		return tools.Result{}, err
	}
	if keepErr := t.keepTool(ctx, call, outcome{failed: err.Error(), took: event.Took}, ""); keepErr != nil {
		return tools.Result{}, keepErr
	}
	return tools.Result{}, err
}

func (t *turn) tellSubcall(kind EventType, c Call, block string) {
	t.emit(Event{Type: kind, Call: &c, Round: t.talk.rounds, Agent: c.Name, Model: c.Model, Block: block})
}

// wordedError is an error whose text is the explanation of another one.
type wordedError struct {
	words string
	err   error
}

func (e *wordedError) Error() string { return e.words }
func (e *wordedError) Unwrap() error { return e.err }

// inWords makes the text of an error of the server or the files the sentence
// people see. Errors that are words already stay as they are.
func inWords(err error) error {
	if err == nil || errors.Is(err, errCallStopped) {
		return err
	}
	if why := Explain(err); why.Kind != KindInternal {
		return &wordedError{why.Sentence, err}
	}
	return err
}

// ofTurn gives the error back if it is one that ends the turn: of the disk.
func ofTurn(err error) error {
	var save *saveError
	if errors.As(err, &save) {
		return err
	}
	return nil
}

// nextCallID numbers the calls of a turn.
func (t *turn) nextCallID() string {
	t.calls++
	return fmt.Sprintf("call-%d", t.calls)
}
