package agents

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"

	"mac-stats/agents/background"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/reply"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// turn is one user message and everything that answers it: who asks what, who answers,
// and what may be done. Its phases run one after the other on one goroutine; only the Run
// is shared.
//
//	lock → write the user's message → choose agent and model → build the request
//	→ model ⇄ tools → answer
//
// The model phase may also lead to shrink, if the context overflowed, or to nudge, if the
// model only announced a step; both lead back to the model.
type turn struct {
	engine   *Engine
	run      *Run
	req      Request
	settings Settings
	lock     *session.TurnLock
	silent   bool // it only builds its request: nothing is told

	message transcript.Block // the user's, as it is on disk
	image   bool             // it has one

	// Who answers.
	chosen     transcript.Settings // the session's settings
	lastAnswer transcript.Block    // the conversation's, if it has one
	rules      string              // of the message's skill
	roster     []registry.Agent    // all agents, read once
	agent      registry.Agent
	model      ollama.ModelInfo
	numCtx     int
	blind      string // the model that would answer if the message had no image; "" if that answers

	// What may be done.
	may     tools.Permissions
	quoted  []reply.Quoted         // text in the turn's requests that isn't the model's
	own     []tools.Tool           // the app's, always in the same order
	offered []string               // the other programs' tools that are offered, if not all fit
	told    map[string]bool        // what was reported as missing
	unknown bool                   // a turn would first wait for some tools
	used    []transcript.Quotation // passages of earlier conversations on which the answer is based

	dialogue *dialogue // nil until agent and model are chosen
	round    int       // of the dialogue
	calls    int       // tools and sub-calls so far
	reply    response  // the last one
	shrunk   bool      // the one retry after an overflow is used up
	nudged   bool      // the one round after a step that was only announced is used up

	result Result
	last   Event // the terminal event
}

// phase is a step of a turn. It returns the next one, or nil at the end.
type phase func(t *turn, ctx context.Context) (phase, error)

func newTurn(e *Engine, run *Run, req Request) *turn {
	return &turn{engine: e, run: run, req: req, result: Result{Session: req.Session}, told: map[string]bool{}}
}

// serve runs the phases and finishes the Run.
func (t *turn) serve(ctx context.Context) {
	err := t.phases(ctx)
	if t.lock != nil {
		t.lock.Unlock()
	}
	t.engine.forget(t.run)
	if err == nil {
		t.engine.workAfter(t.req.Session, t.filled())
	}
	if t.engine.p.Ended != nil {
		t.engine.p.Ended(t.req.Session)
	}
	t.run.finish(t.last, t.result, err)
}

// phases runs the phases to the end. A panic ends the turn, not the app.
func (t *turn) phases(ctx context.Context) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			t.engine.log.Error("a turn failed by a fault", "session", t.req.Session, "fault", thrown, "stack", string(debug.Stack()))
			err = t.fail(ctx, &fault.Panic{Value: thrown})
		}
	}()
	for next := phase((*turn).takeLock); next != nil; {
		if next, err = next(t, ctx); err != nil {
			return t.fail(ctx, err)
		}
	}
	return nil
}

// filled returns how full the turn left its model's context.
func (t *turn) filled() background.Filled {
	last := background.Filled{History: t.dialogue.history}
	if t.dialogue.usage != nil {
		last.Percent = t.dialogue.usage.ContextPercent
	}
	return last
}

// takeLock waits for the session's earlier runs in this process, in their order, and
// then for other processes.
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
	if previous := t.run.previous; previous != nil {
		select {
		case <-previous.done:
		default:
			waiting(previous.holder)
			select {
			case <-previous.done:
			case <-ctx.Done():
				return nil, &fault.Locked{Who: who, Cause: context.Cause(ctx)}
			}
		}
	}
	lock, err := t.engine.p.Store.Session(t.req.Session).LockTurn(ctx, t.req.Holder, func(h session.Holder) { waiting(h.Who) })
	if err != nil {
		if ctx.Err() != nil && who != "" {
			return nil, &fault.Locked{Who: who, Cause: err}
		}
		return nil, fault.Saving("Your message", err)
	}
	t.lock = lock
	t.settings = t.engine.p.Settings()
	t.engine.lastTurn(t.req.Session, func(last *lastTurn) { last.place = cmp.Or(t.req.Place, last.place) })
	if t.req.Retry != "" {
		return (*turn).reopen, nil
	}
	return (*turn).write, nil
}

// keepInMemory makes a new session private if nothing may be written to disk. It refuses
// to continue a session that is on disk, because its next block would be written too.
func (t *turn) keepInMemory(ctx context.Context) error {
	store := t.engine.p.Store
	if !t.settings.InMemoryOnly || store.IsPrivate(t.req.Session) {
		return nil
	}
	switch there, err := store.Exists(ctx, t.req.Session); {
	case err != nil:
		return fmt.Errorf("looking for the conversation: %w", err)
	case there:
		return fault.ErrOnDisk
	}
	store.SetPrivate(t.req.Session)
	return nil
}

// choose finds the agent and its model, and starts the dialogue with it. An image needs a
// model that can see, if there is one and the user chose none.
func (t *turn) choose(ctx context.Context) (phase, error) {
	if t.dialogue != nil {
		return (*turn).compactFirst, nil // already done in measure
	}
	window, err := t.engine.p.Store.Context(context.WithoutCancel(ctx), t.req.Session)
	switch {
	case t.req.Settings != nil:
		t.chosen = *t.req.Settings
	case err != nil:
		return nil, fmt.Errorf("reading the conversation: %w", err)
	default:
		t.chosen = window.Settings
	}
	for _, b := range window.Messages {
		if b.Kind == transcript.KindAssistant {
			t.lastAnswer = b
		}
	}
	if t.req.Skill != "" {
		s, err := t.engine.p.Registry.FindSkill(t.req.Skill)
		if err != nil {
			return nil, err
		}
		t.rules = prompt.Context("answer this message by the rules of the skill "+s.Name) + "\n" + s.Body
	}
	selector := cmp.Or(t.req.Agent, t.chosen.Agent, t.settings.DefaultAgent, "orchestrator")
	t.roster = t.engine.p.Registry.Agents()
	agent, ok := registry.Select(t.roster, selector, registry.Agent.Usable)
	if !ok {
		if agent, err = t.engine.p.Registry.Find(selector); err != nil { // Find explains the failure
			return nil, err
		}
	}
	if t.chosen.Temperature != nil {
		agent.Temperature = t.chosen.Temperature
	}
	agent.Think = cmp.Or(t.req.Think, t.chosen.Think, agent.Think)
	t.agent, t.result.Agent, t.blind = agent, agent.Slug, ""
	asked := cmp.Or(t.req.Model, t.chosen.Model)
	model, numCtx, err := t.resolve(ctx, asked, agent)
	if err != nil {
		return nil, err
	}
	if t.image && asked == "" && agent.Model == "" && !model.Can(visionCapability) {
		if other := t.seeing(ctx); other != "" {
			t.blind = model.Name
			if model, numCtx, err = t.resolve(ctx, other, agent); err != nil {
				return nil, err
			}
		}
	}
	if n := t.chosen.Context; n > 0 {
		numCtx = min(n, cmp.Or(model.MaxContext, n))
	}
	t.model, t.numCtx, t.result.Model = model, numCtx, model.Name
	if t.blind != "" {
		t.warn(StateReading, fmt.Sprintf("%s answers this message, because %s can't look at images", model.Name, t.blind))
	}
	t.startDialogue(ctx)
	return (*turn).compactFirst, nil
}

// startDialogue makes the dialogue with the chosen model and reads what its system prompt is
// made of.
func (t *turn) startDialogue(ctx context.Context) {
	t.own = t.ownTools()
	var offered []tools.Tool
	if !t.req.NoTools {
		offered = t.toolsFor(ctx, t.agent, t.model, false)
	}
	t.dialogue = newDialogue(t, t.agent, t.model, t.numCtx, offered)
	t.dialogue.contents = prompt.Contents{
		Guides: t.engine.guides, Read: t.readFile, AsSent: t.req.Place.asSent, Sees: t.model.Can(visionCapability), Limit: t.filesLimit(),
	}
	t.dialogue.readFiles()
}
