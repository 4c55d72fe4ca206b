package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// AGENT and SKILL hand a task to another agent, or have it done by the rules of a skill.
// The sub-call is one-shot: [system: the specialist's prompt, user: the task], without
// history, delegation or memory. Its answer returns as the tool's result. FIND_AGENT and
// FIND_SKILL search them, if the prompt has no room for the whole list.

// specialist is the agent or skill that gets a task.
type specialist struct {
	agent registry.Agent
	name  string // the agent's slug, or skill:<name>
	quote string // "the agent coder"
	skill bool   // a skill, whose text is the whole system prompt; it uses the turn's model
}

// specialist returns whom a call of AGENT or SKILL names, and the task. With an error, it
// has the name that the call gives. An agent never calls itself.
func (t *turn) specialist(call *tools.Call) (who specialist, task string, err error) {
	kind, known := "agent", t.roster
	if who.skill = call.Name == registry.ToolSkill; who.skill {
		kind, known = "skill", nil
	}
	who.name, task = call.Value(kind), call.Value("task")
	if call.Args == nil {
		who.name, task = splitSelector(call.Arg, known)
	}
	if who.skill {
		found, err := t.engine.p.Registry.FindSkill(who.name)
		who.name, who.quote = "skill:"+cmp.Or(found.Name, who.name), "the skill "+found.Name
		who.agent = registry.Agent{Slug: who.name, Name: found.Name, Texts: registry.Texts{Skill: found.Body}, Enabled: true, MaxRounds: 1, Tools: []string{}}
		return who, task, err
	}
	if who.name == "" {
		return who, task, errors.New("name an agent from the list: AGENT: <slug> <task>")
	}
	found, err := t.engine.p.Registry.Find(who.name)
	switch {
	case err != nil:
	case found.Path == t.agent.Path:
		err = fmt.Errorf("%s is you: do it yourself", found.Slug)
	default:
		who.agent, who.name, who.quote = found, found.Slug, "the agent "+found.Slug
	}
	return who, task, err
}

func (t *turn) fitsSpecialist(call *tools.Call) error {
	_, _, err := t.specialist(call)
	return err
}

// splitSelector separates a directive's selector from its task. The selector is the
// longest slug, name or id at the beginning of the argument, else its first word.
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
		selector = arg
		if i := strings.IndexAny(arg, " \t\n"); i >= 0 {
			selector, task = arg[:i], arg[i:]
		}
		return strings.TrimRight(selector, ":,;."), strings.TrimSpace(task)
	}
	return selector, strings.TrimSpace(strings.TrimLeft(task, ":,：，、 \t"))
}

// delegate makes a sub-call with the task, or with the user's message if a call has none.
// The text of an error is for the orchestrator.
func (t *turn) delegate(ctx context.Context, call *tools.Call) (tools.Result, error) {
	who, task, err := t.specialist(call)
	began, numCtx := time.Now(), t.numCtx
	var model ollama.ModelInfo
	switch {
	case err != nil:
	case who.skill:
		model = t.model
	default:
		model, numCtx, err = t.resolve(ctx, "", who.agent)
		if model.Name == t.model.Name {
			numCtx = t.numCtx // another size would reload the model
		}
		err = explained(err)
	}
	if err == nil {
		task = cmp.Or(task, t.message.Text)
		t.state(StateTool, who.name+": "+excerpt.Shorten(excerpt.OneLine(task), 60))
	}
	event := Call{ID: call.ID, Name: who.name, Task: task, Model: model.Name, Written: WrittenOf(transcript.Block{Attrs: callAttrs(map[string]string{}, call)})}
	t.subcall(EventSubcallStart, event, "")
	var block string
	if err == nil {
		callCtx, done := t.run.callContext(ctx, call.ID)
		defer done()
		d := t.newSubcall(callCtx, who, model, numCtx, &event, task)
		d.made = callAttrs(map[string]string{}, call)
		event.Result, block, err = d.converse(callCtx)
		if err != nil && ctx.Err() == nil && errors.Is(context.Cause(callCtx), errCallStopped) {
			err = errCallStopped
		}
		err = explained(err)
	}
	event.Done, event.Took = true, time.Since(began)
	if err != nil {
		event.Failed = err.Error()
	}
	t.subcall(EventSubcallEnd, event, block)
	if err == nil {
		return tools.Result{Text: event.Result, Quote: who.quote, Sources: transcript.FromAgent}, nil
	}
	if turnError(err) == nil {
		if keepErr := t.keepTool(ctx, call, outcome{failed: err.Error(), took: event.Took}, ""); keepErr != nil {
			err = keepErr
		}
	}
	return tools.Result{}, err
}

// maxFound limits the results of a search for agents or skills.
const maxFound = 8

// findSpecialists runs FIND_AGENT or FIND_SKILL: it returns names with their descriptions,
// best first.
func (t *turn) findSpecialists(_ context.Context, call *tools.Call) (tools.Result, error) {
	skills, kind := call.Name == registry.ToolFindSkill, "agent"
	if skills {
		kind = "skill"
	}
	query := call.Only("query")
	if query == "" {
		return tools.Result{}, errors.New("there is no query: write after the colon what the " + kind + " is to do")
	}
	all := prompt.Input{Agent: t.agent, Agents: t.roster, Skills: t.engine.p.Registry.Skills()}.Roster()
	found := prompt.Relevant(query, slices.DeleteFunc(all, func(n prompt.Named) bool { return n.Skill != skills }))
	if len(found) == 0 {
		return tools.Result{Text: "No " + kind + " says that it is for this. Try other words, or answer by yourself."}, nil
	}
	var lines []string
	for _, n := range found[:min(len(found), maxFound)] {
		lines = append(lines, n.Line())
	}
	return tools.Result{Text: strings.Join(lines, "\n")}, nil
}

// newSubcall returns a sub-call's dialogue, exactly [system, user = task].
func (t *turn) newSubcall(ctx context.Context, who specialist, model ollama.ModelInfo, numCtx int, event *Call, task string) *dialogue {
	d := newDialogue(t, who.agent, model, numCtx, t.toolsFor(ctx, who.agent, model, true))
	d.call, d.since = event, time.Now()
	in := prompt.Input{
		Agent: who.agent, ContextTokens: numCtx, Guides: t.engine.guides, Factor: d.window.Factor,
		Global: memory.File{Missing: true}, Own: memory.File{Missing: true},
	}
	if !who.skill {
		in = d.readInput()
	}
	system := prompt.BuildSystem(in)
	t.cut(system.Cut)
	if t.settings.TaskContext == "last-user-message" && task != t.message.Text {
		task += "\n\nThe user's message was: " + excerpt.Shorten(excerpt.OneLine(t.message.Text), 500)
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
