package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// turn is the private state of one user message and all that answers it. Its
// phases run one after the other on one goroutine; only the Run is shared.
//
//	lock → write the user's message → choose agent and model → build the request
//	→ model ⇄ tools → answer
//
// The model phase may also lead to shrink (the context overflowed) or correct
// (the reply was only something like a directive), and from there back to model.
type turn struct {
	engine   *Engine
	out      *Run
	req      Request
	settings Settings

	lock   *sessionmem.TurnLock
	user   transcript.Block // as it is on disk
	roster []registry.Agent // all there are, read once
	agent  registry.Agent
	model  ollama.ModelInfo
	numCtx int
	system prompt.System

	chosen   transcript.Settings // for the session
	rules    string              // of the skill that the message is for
	contents contents

	talk      *dialogue
	reply     reply                  // the last one
	shrunk    bool                   // the one retry after an overflow is used up
	corrected bool                   // the one corrective round is used up
	nudged    bool                   // and the one for a step that was only announced
	may       tools.Permissions      // by where the text that it holds came from
	used      []transcript.Quotation // of earlier conversations
	calls     int                    // tools and sub-calls so far
	took      background.Filled      // of the context by the last call
	// remembered: a memory was changed or proposed, or held the lesson already.
	remembered bool

	result Result
	last   Event // the terminal event
}

// phase is a step of a turn; it gives the next one, nil at the end.
type phase func(t *turn, ctx context.Context) (phase, error)

func newTurn(e *Engine, run *Run, req Request) *turn {
	t := &turn{engine: e, out: run, req: req, result: Result{Session: req.Session}}
	t.contents = contents{t: t, by: map[string]content{}}
	return t
}

// run drives the phases and tells the end.
func (t *turn) run(ctx context.Context) {
	err := t.phases(ctx)
	if t.lock != nil {
		t.lock.Unlock()
	}
	t.engine.forget(t.out)
	if err == nil {
		t.engine.workAfter(t.req.Session, t.took)
	}
	if t.engine.p.Ended != nil {
		t.engine.p.Ended(t.req.Session)
	}
	t.out.finish(t.last, t.result, err)
}

// phases runs the phases to the end. A fault of this program ends the turn, not
// the app.
func (t *turn) phases(ctx context.Context) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			t.engine.log.Error("a turn failed by a fault", "session", t.req.Session, "fault", fault, "stack", string(debug.Stack()))
			err = t.fail(ctx, &panicError{fault})
		}
	}()
	for next := phase((*turn).takeLock); next != nil; {
		if next, err = next(t, ctx); err != nil {
			return t.fail(ctx, err)
		}
	}
	return nil
}

func (t *turn) emit(e Event) { t.out.emit(e) }

// state tells what the turn is doing, in words for people.
func (t *turn) state(s State, detail string) {
	t.tell(Event{Type: EventState, State: s, Detail: detail})
}

// warn is state with words that have to be seen.
func (t *turn) warn(s State, detail string) {
	t.tell(Event{Type: EventState, State: s, Detail: detail, Warning: true})
}

func (t *turn) tell(e Event) {
	e.Block, e.Agent, e.Model = t.user.ID, t.agent.Slug, t.model.Name
	if t.talk != nil {
		e.Round = t.talk.rounds
	}
	t.emit(e)
}

// takeLock waits for the session's turn: first for the runs of this process, in
// their order, then for other processes.
func (t *turn) takeLock(ctx context.Context) (phase, error) {
	t.settings = t.engine.p.Settings()
	if err := t.keepInMemory(ctx); err != nil {
		return nil, err
	}
	who := ""
	waiting := func(holder string) {
		who = holder
		t.state(StateQueued, "held by the "+holder)
	}
	if before := t.out.before; before != nil {
		select {
		case <-before.done:
		default:
			waiting(before.holder)
			select {
			case <-before.done:
			case <-ctx.Done():
				return nil, &lockedError{who, context.Cause(ctx)}
			}
		}
	}
	lock, err := t.engine.p.Store.LockTurn(ctx, t.req.Session, t.req.Holder, func(h sessionmem.Holder) { waiting(h.Who) })
	if err != nil {
		if ctx.Err() != nil && who != "" {
			return nil, &lockedError{who, err}
		}
		return nil, saveProblem("Your message", err)
	}
	t.lock = lock
	t.settings = t.engine.p.Settings()
	if t.req.Retry != "" {
		return (*turn).reopen, nil
	}
	return (*turn).write, nil
}

// keepInMemory makes a new session private where nothing may be written. One that
// is on disk is not continued: its next block would be written too.
func (t *turn) keepInMemory(ctx context.Context) error {
	store := t.engine.p.Store
	if !t.settings.InMemoryOnly || store.IsPrivate(t.req.Session) {
		return nil
	}
	switch there, err := store.Exists(ctx, t.req.Session); {
	case err != nil:
		return fmt.Errorf("looking for the conversation: %w", err)
	case there:
		return ErrOnDisk
	}
	store.SetPrivate(t.req.Session)
	return nil
}

// saveProblem marks an error of the disk as such; others stay what they are.
func saveProblem(what string, err error) error {
	if isStop(err) || errors.Is(err, transcript.ErrBadName) {
		return err
	}
	return &saveError{what: what, err: err}
}

// resolveModel finds the model for an agent: what was asked for, else what its
// agent.json names, else the setting for its role, else (general and code) the
// setting for all, else the best one installed for the role.
func (t *turn) resolveModel(ctx context.Context, asked string, a registry.Agent) (ollama.ModelInfo, int, error) {
	explicit := asked
	for _, candidate := range []string{a.Model, t.settings.RoleModels[a.Role]} {
		if explicit == "" {
			explicit = candidate
		}
	}
	if explicit == "" && (a.Role == registry.RoleGeneral || a.Role == "code" || a.Role == "") {
		explicit = t.settings.Model
	}
	role := ollama.Role(a.Role)
	if role == "" {
		role = ollama.RoleGeneral
	}
	model, err := t.engine.p.Models.Resolve(ctx, explicit, role)
	if err != nil {
		return ollama.ModelInfo{}, 0, fmt.Errorf("choosing a model for %s: %w", a.Slug, err)
	}
	if model.Can("embedding") && !model.Can("completion") {
		return ollama.ModelInfo{}, 0, &noChatError{model.Name}
	}
	numCtx, err := t.engine.p.Models.NumCtx(ctx, model.Name)
	if err != nil {
		return ollama.ModelInfo{}, 0, fmt.Errorf("finding the context size of %s: %w", model.Name, err)
	}
	return model, numCtx, nil
}

// readChosen finds what was chosen for the session.
func (t *turn) readChosen(ctx context.Context) error {
	if t.req.Settings != nil {
		t.chosen = *t.req.Settings
		return nil
	}
	window, err := t.engine.p.Store.Context(context.WithoutCancel(ctx), t.req.Session)
	if err != nil {
		return fmt.Errorf("reading the conversation: %w", err)
	}
	t.chosen = window.Settings
	return nil
}

// choose finds the agent and its model.
func (t *turn) choose(ctx context.Context) (phase, error) {
	if t.talk != nil {
		return (*turn).compactFirst, nil // done when the message was weighed
	}
	if err := errors.Join(t.readChosen(ctx), t.readSkill()); err != nil {
		return nil, err
	}
	selector := cmp.Or(t.req.Agent, t.chosen.Agent, t.settings.DefaultAgent, "orchestrator")
	t.roster = t.engine.p.Registry.Agents()
	agent, ok := registry.Select(t.roster, selector, registry.Agent.Usable)
	if !ok {
		var err error
		if agent, err = t.engine.p.Registry.Find(selector); err != nil { // says why
			return nil, err
		}
	}
	if t.chosen.Temperature != nil {
		agent.Temperature = t.chosen.Temperature
	}
	agent.Think = cmp.Or(t.req.Think, t.chosen.Think, agent.Think)
	t.agent, t.result.Agent = agent, agent.Slug
	model, numCtx, err := t.resolveModel(ctx, cmp.Or(t.req.Model, t.chosen.Model), agent)
	if err != nil {
		return nil, err
	}
	if n := t.chosen.Context; n > 0 {
		numCtx = min(n, cmp.Or(model.MaxContext, n))
	}
	t.model, t.numCtx, t.result.Model = model, numCtx, model.Name
	t.talk = newDialogue(t, agent, model, numCtx, t.tools(ctx))
	t.system = t.systemPrompt()
	return (*turn).compactFirst, nil
}
