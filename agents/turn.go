package agents

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"

	"mac-stats/agents/background"
	"mac-stats/agents/delegate"
	"mac-stats/agents/fault"
	"mac-stats/agents/fetch"
	"mac-stats/agents/lessons"
	"mac-stats/agents/passages"
	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// turn is the private state of one user message and everything that answers it. Its
// phases run one after the other on one goroutine; only the Run is shared.
//
//	lock → write the user's message → choose agent and model → build the request
//	→ model ⇄ tools → answer
//
// The model phase may also lead to shrink, if the context overflowed, or to nudge, if the
// model only announced a step; both lead back to the model.
//
// The parts hold the state on which decisions depend: who answers, what may run, what is
// sent, what is reported. They know each other in one direction only, and no part knows
// the turn.
type turn struct {
	parts
	engine   *Engine
	req      Request
	settings Settings
	lock     *session.TurnLock

	passages *passages.Passages
	lessons  *lessons.Lessons
	toolbox  *toolbox
	dialogue *dialogue // nil until agent and model are chosen
	assembly *assembly // builds its request

	image  bool     // the message has an image
	reply  response // the last one
	shrunk bool     // the one retry after an overflow is used up
	nudged bool     // the one round after a step that was only announced is used up

	result Result
	last   Event // the terminal event
}

// phase is a step of a turn. It returns the next one, or nil at the end.
type phase func(t *turn, ctx context.Context) (phase, error)

func newTurn(e *Engine, run *Run, req Request) *turn {
	rep := &report{base: e.base, run: run, session: req.Session}
	return &turn{parts: parts{report: rep, place: req.Place}, engine: e, req: req, result: Result{Session: req.Session}}
}

// run runs the phases and finishes the Run.
func (t *turn) run(ctx context.Context) {
	err := t.phases(ctx)
	if t.lock != nil {
		t.lock.Unlock()
	}
	t.engine.forget(t.report.run)
	if err == nil {
		t.engine.workAfter(t.req.Session, t.filled())
	}
	if t.engine.p.Ended != nil {
		t.engine.p.Ended(t.req.Session)
	}
	t.report.run.finish(t.last, t.result, err)
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
	last := background.Filled{History: t.assembly.history}
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
		t.report.state(StateQueued, "held by the "+holder)
	}
	if previous := t.report.run.previous; previous != nil {
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
	t.engine.cameFrom(t.req.Session, t.place)
	t.prepare()
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

// prepare makes the parts that don't depend on the agent and its model.
func (t *turn) prepare() {
	p, set := t.engine.p, t.settings
	t.consent = &consent{report: t.report, req: t.req, timeout: set.QuestionTime}
	private := func() bool { return p.Store.IsPrivate(t.req.Session) }
	old := passages.Config{
		Session: t.req.Session, Store: p.Store, Guides: t.engine.guides, Logger: t.engine.log,
		Budget: set.NotesBudget, Time: p.RecallTime(), Window: transcript.Limits{Messages: set.MaxMessages, Tokens: set.maxTokens()}, First: t.engine.shownFrom(t.req.Session),
		Across: set.CrossSession && t.req.Place == nil && !transcript.IsDiscord(t.req.Session),
		Go:     t.engine.work.Go, Held: t.consent.Hold, Asked: func() string { return t.report.message.ID },
	}
	if !set.InMemoryOnly && !private() { // a private session isn't indexed, and its searches leave no trace either
		old.Index = p.Recall
	}
	learn := lessons.Config{
		Host: t.report, Memory: p.Memory, Registry: p.Registry, Session: t.req.Session, Private: private,
		Write:   func() string { return p.Settings().MemoryWrite }, // a change takes effect at once, even in a running turn
		Message: func() transcript.Block { return t.report.message }, Remember: func(call tools.Call) tools.Decision { return t.consent.Remember(call.Held) },
		Global: set.GlobalBudget, Agent: set.AgentBudget,
	}
	if t.req.Place != nil {
		old.Budget, learn.Place = 0, &t.req.Place.Lessons
	}
	t.passages, t.lessons = passages.New(old), lessons.New(learn)
}

// choose finds the agent and its model.
func (t *turn) choose(ctx context.Context) (phase, error) {
	if t.dialogue != nil {
		return (*turn).compactFirst, nil // already done in measure
	}
	t.cast = &cast{base: t.engine.base, settings: t.settings}
	err := t.cast.choose(ctx, t.req, t.image)
	t.report.agent, t.report.model = t.cast.agent.Slug, t.cast.model.Name
	t.result.Agent, t.result.Model = t.report.agent, t.report.model
	if err != nil {
		return nil, err
	}
	if t.cast.blind != "" {
		t.report.warn(StateReading, fmt.Sprintf("%s answers this message, because %s can't look at images", t.cast.model.Name, t.cast.blind))
	}
	t.startDialogue(ctx)
	return (*turn).compactFirst, nil
}

// startDialogue makes the parts that depend on the agent and its model.
func (t *turn) startDialogue(ctx context.Context) {
	t.toolbox = &toolbox{parts: t.parts, message: cmp.Or(t.req.Text, t.report.message.Text)}
	to := delegate.Config{
		Host:     &delegation{parts: t.parts, toolbox: t.toolbox},
		Registry: t.engine.p.Registry, Roster: t.cast.roster, Agent: t.cast.agent,
	}
	t.toolbox.own = t.ownTools(to)
	var offered []tools.Tool
	if !t.req.NoTools {
		if words := t.cast.tooSmall(); words != "" && !t.report.silent && !t.cast.base.wasSmall(t.cast.model.Name) {
			t.report.warn(StateReading, words)
		}
		offered = t.toolbox.forAgent(ctx)
	}
	t.dialogue = newDialogue(t.parts, t.cast.agent, t.cast.model, t.cast.numCtx, offered)
	t.assembly = &assembly{
		parts: t.parts, dialogue: t.dialogue, window: t.dialogue.window, to: to,
		contents: prompt.Contents{
			Guides: t.engine.guides, Read: delivery{t.engine.p.Store, t.req}.readFile, AsSent: t.place.asSent, Sees: t.cast.model.Can(visionCapability), Limit: t.cast.filesLimit(),
		},
	}
	t.assembly.readFiles()
}

// ownTools returns the app's own tools, always in this order.
func (t *turn) ownTools(to delegate.Config) []tools.Tool {
	list := append(to.Tools(), t.lessons.Tools()...)
	if t.engine.p.Stats != nil {
		list = append(list, tools.Stats{Read: t.engine.p.Stats})
	}
	if t.passages.Searchable() {
		list = append(list, t.passages.Tool())
	}
	return append(list, fetch.Tool{Fetcher: t.engine.fetch, Host: t.consent})
}
