package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/reply"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/compact"
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

// measureFrom is the size in raw tokens from which a message is compared with the
// model's context before it is written. Shorter messages are written at once.
const measureFrom = 256

// write writes the user's message to disk before any model is called. It refuses a
// message that can't fit the model's context, so that it doesn't crowd out later turns,
// but writes it if the server can't be reached.
func (t *turn) write(ctx context.Context) (phase, error) {
	text := transcript.Block{Kind: transcript.KindUser, Text: t.req.Text}.Normalized().Text
	if strings.TrimSpace(text) == "" && len(t.req.Files) == 0 {
		return nil, fmt.Errorf("%w: the message is empty", fault.ErrRequest)
	}
	if rest, anew := t.engine.p.Registry.BeginsAnew(text); anew && t.req.Place == nil && t.req.Edit == "" && len(t.req.Files) == 0 {
		if err := t.engine.p.Store.Reset(context.WithoutCancel(ctx), t.req.Session); err != nil {
			return nil, fault.Saving("The end of the earlier conversation", err)
		}
		text = rest
	}
	if n := len(t.req.Files) + len(transcript.Attachments(text)); n > attach.Max {
		return nil, fmt.Errorf("%w: %d files are attached, and %d is the most for one message", fault.ErrRequest, n, attach.Max)
	}
	linked := transcript.WithLinks(text, t.req.uploads()...)
	notes := t.lookUp(ctx, text)
	b := t.newMessage(linked, notes)
	if transcript.EstimateTokens(text) > measureFrom || len(b.Attachments()) > 0 {
		t.state(StateReading, "looking at the message")
		err := t.measure(ctx, &b)
		if errors.Is(err, fault.ErrTooLong) && len(notes) > 0 { // the message is more important than the notes
			notes = nil
			b = t.newMessage(linked, nil)
			err = t.measure(ctx, &b)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := t.save(context.WithoutCancel(ctx), text, b); err != nil {
		return nil, err
	}
	if len(notes) > 0 {
		t.use(notes)
		t.emit(Event{Type: EventRecalled, Block: t.message.ID, Made: Made{Recalled: notesOf(notes)}})
	}
	for _, u := range t.engine.p.Store.Sessions().Refused() {
		if u.Session == t.req.Session {
			t.warn(StateReading, fault.ExplainWaiting(u).Sentence)
		}
	}
	return (*turn).choose, nil
}

// newMessage returns the user's message as it is written, with its context and attributes.
func (t *turn) newMessage(text string, notes []transcript.Quotation) transcript.Block {
	vitals := t.engine.p.Vitals
	if t.req.Place != nil {
		vitals = nil // strangers don't learn about the machine
	}
	b := transcript.Block{Kind: transcript.KindUser, Text: text, Context: strings.TrimLeft(prompt.ContextFor(text, time.Now(), vitals)+t.quoteNotes(notes), "\n")}
	from := t.req.From
	if p := t.req.Place; p != nil {
		b.Attrs = p.attrs(t.req.uploads())
		from |= transcript.FromDiscord
	} else {
		b.Attrs = map[string]string{}
		if t.req.Agent != "" {
			b.Attrs[attrTo] = t.req.Agent
		}
		if t.req.Skill != "" {
			b.Attrs[attrSkill] = t.req.Skill
		}
	}
	return b.WithSources(from).WithRecalled(notes)
}

// save stores the attached files and appends the user's message with links to them: at the
// end or, for an edited message, on a branch that starts in its place.
func (t *turn) save(ctx context.Context, text string, b transcript.Block) error {
	store, session := t.engine.p.Store, t.req.Session
	var files []transcript.Attachment
	for _, f := range t.req.Files {
		kept, err := store.Attach(ctx, session, f)
		if err != nil {
			return fault.Saving("The attached file", err)
		}
		files = append(files, kept)
	}
	b.Text = transcript.WithLinks(text, files...)
	blocks := []transcript.Block{b}
	if t.req.Settings != nil {
		if window, err := store.Context(ctx, session); err != nil || !window.Settings.Equal(*t.req.Settings) {
			blocks = []transcript.Block{t.req.Settings.Note(), b}
		}
	}
	var err error
	if t.req.Edit == "" {
		blocks, err = store.Session(session).Append(ctx, blocks...)
	} else {
		if _, _, err := t.sent(ctx, t.req.Edit, "edit"); err != nil {
			return err
		}
		blocks, err = store.Rewind(ctx, session, t.req.Edit, blocks...)
	}
	if err != nil {
		return fault.Saving("Your message", err)
	}
	t.setUser(blocks[len(blocks)-1])
	return nil
}

// sent returns an earlier message and the block that answered it. to is the purpose, for
// errors.
func (t *turn) sent(ctx context.Context, id, to string) (user transcript.Block, after string, err error) {
	user, after, err = t.engine.p.Store.Session(t.req.Session).Message(ctx, id)
	switch {
	case errors.Is(err, session.ErrNotFound), err == nil && user.Kind != transcript.KindUser:
		return user, "", fmt.Errorf("%w: the message to %s is no longer part of the conversation", fault.ErrRequest, to)
	case err != nil:
		return user, "", fmt.Errorf("reading the conversation: %w", err)
	}
	return user, after, nil
}

// readFile reads a file of a message, either from the request or from the store.
func (t *turn) readFile(f transcript.Attachment) ([]byte, error) {
	for _, u := range t.req.Files {
		if u.Attachment().File == f.File {
			return u.Data, nil
		}
	}
	return t.engine.p.Store.ReadAttachment(t.req.Session, f)
}

func (t *turn) setUser(user transcript.Block) {
	t.message = user.Normalized()
	t.result.UserID = t.message.ID
	t.state(StateReading, "")
}

// measure returns an error for a message that doesn't fit, or whose files the model
// can't use.
func (t *turn) measure(ctx context.Context, b *transcript.Block) error {
	t.image = hasImage(*b)
	if _, err := t.choose(ctx); err != nil {
		t.dialogue = nil
		return nil //nolint:nilerr // the choose phase gets the same error, with the message safe on disk
	}
	if err := t.checkVision(ctx, *b); err != nil {
		return err
	}
	if err := t.dialogue.limitFiles(b); err != nil {
		return err
	}
	return t.dialogue.checkRoom(*b)
}

// reopen answers a User block again. If it already has an answer, a rewind Note starts a
// branch there; the old answer stays in the file.
func (t *turn) reopen(ctx context.Context) (phase, error) {
	user, after, err := t.sent(ctx, t.req.Retry, "retry")
	if err != nil {
		return nil, err
	}
	t.setUser(user)
	t.image = hasImage(user)
	t.use(usedOf(user))
	t.req.Agent, t.req.Skill = cmp.Or(t.req.Agent, user.Attrs[attrTo]), cmp.Or(t.req.Skill, user.Attrs[attrSkill])
	if after != "" {
		note := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: t.message.ID, Text: after}
		if err := t.note(ctx, note); err != nil {
			return nil, err
		}
	}
	return (*turn).choose, nil
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
	if before := beginningOf(t.lastAnswer); before.factor > 0 && t.lastAnswer.Model == t.model.Name {
		t.dialogue.window.Factor = before.factor
	}
	t.dialogue.contents = prompt.Contents{
		Guides: t.engine.guides, Read: t.readFile, AsSent: t.req.Place.asSent, Sees: t.model.Can(visionCapability), Limit: t.filesLimit(),
	}
	t.dialogue.readFiles()
}

// compactFirst summarises a session that is due before the request is built. If the app
// does that after turns, it only summarises messages that this request would leave out,
// and saves their lessons. A failure leaves the context as it is.
func (t *turn) compactFirst(ctx context.Context) (phase, error) {
	c := t.engine.p.Compactor
	if c == nil {
		return (*turn).build, nil
	}
	snap, policy, err := c.Snapshot(ctx, t.req.Session, t.message.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	t.may.Hold(snap.Sources(OwnTools()))
	limits := t.dialogue.limits(t.dialogue.summary(snap.Previous).Content, nil)
	_, left := transcript.Trim(append(slices.Clone(snap.Messages), t.message), limits, t.dialogue.contents.Cost)
	due := snap.Since >= 2 && left > 0 // the request would leave out messages that no Summary covers
	policy.KeepTokens, policy.Window = min(policy.KeepTokens, limits.Tokens/2), limits.Messages
	if due { // otherwise a window of few messages would be full again at once
		policy.KeepRecent = min(policy.KeepRecent, limits.Messages/2)
	}
	if !t.engine.p.Background && !t.req.AppCompacts {
		due = due || policy.Due(snap.Since, t.dialogue.share(snap))
	}
	if due && snap.Covered(policy.KeepRecent) > 0 {
		if _, err := t.compact(ctx, snap, policy.Keep(snap)); err != nil {
			return nil, err
		}
	}
	return (*turn).build, nil
}

// compactOverflow summarises what didn't fit the model's context. It reports whether the
// request is shorter now.
func (t *turn) compactOverflow(ctx context.Context) bool {
	c := t.engine.p.Compactor
	if c == nil {
		return false
	}
	snap, policy, err := c.Snapshot(ctx, t.req.Session, t.message.ID)
	if err != nil || snap.Covered(policy.KeepRecent) == 0 {
		return false
	}
	shorter, err := t.compact(ctx, snap, policy.KeepRecent)
	return shorter && err == nil
}

// compact summarises while the user waits, and reports that. It fails only after a Stop:
// without a Summary, the turn continues with what it has.
func (t *turn) compact(ctx context.Context, snap session.Snapshot, keep int) (bool, error) {
	t.state(StateCompacting, fmt.Sprintf("compacting %d messages…", len(snap.Messages)))
	if t.req.Agent != "" {
		snap.Agent = t.agent.Slug
	}
	done, err := t.engine.p.Compactor.Compact(ctx, snap, keep)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	t.reportLessons(done.Lessons)
	if errors.Is(err, compact.ErrBusy) || errors.Is(err, session.ErrStale) {
		return false, nil // another process has made or is making a Summary
	}
	if err != nil {
		t.engine.log.Warn("a session could not be summarised", "session", t.req.Session, "err", err)
		return false, nil
	}
	t.emit(Event{Type: EventCompaction, Block: done.Summary.ID, Model: done.Summary.By, Text: done.Words()})
	if len(done.Lessons.Written) > 0 {
		t.dialogue.readFiles() // now with the new lessons
	}
	return true, nil
}

// build builds the request: system prompt, Summary, history, the user's message.
func (t *turn) build(ctx context.Context) (phase, error) {
	message := &t.message
	if err := t.checkVision(ctx, *message); err != nil {
		return nil, err
	}
	if err := t.dialogue.checkRoom(*message); err != nil {
		var tooLong *fault.TooLong
		if errors.As(err, &tooLong) {
			tooLong.Sent = t.shrunk // the server refused it before
		}
		if len(message.Recalled()) == 0 {
			return nil, err
		}
		line, _, _ := strings.Cut(message.Context, "\n") // the message is more important than the notes
		if message.Context = line; !strings.HasPrefix(line, "[") {
			message.Context = "" // the notes came first
		}
		t.dialogue.contents.Forget(message.ID)
		if err := t.dialogue.checkRoom(*message); err != nil {
			return nil, err
		}
	}
	window, err := t.engine.p.Store.Context(context.WithoutCancel(ctx), t.req.Session)
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	if err := t.holdSources(ctx, window.Messages); err != nil {
		return nil, err
	}
	t.dialogue.fill(window)
	return (*turn).ask, nil
}

// holdSources records the sources of the request's text, and the addresses that the user
// typed.
func (t *turn) holdSources(ctx context.Context, messages []transcript.Block) error {
	t.may.Hold(t.message.Sources(t.req.Session))
	if t.req.Place != nil {
		t.may.Hold(transcript.FromDiscord)
		t.may.UserTyped(t.message.Text) // here "the user" is the author of this message
		return nil
	}
	if t.engine.p.Compactor == nil { // otherwise compactFirst has done this
		snap, err := t.engine.p.Store.Session(t.req.Session).Summaries().Snapshot(context.WithoutCancel(ctx), t.message.ID)
		if err != nil {
			return fmt.Errorf("reading the conversation: %w", err)
		}
		t.may.Hold(snap.Sources(OwnTools()))
	}
	for _, b := range append(slices.Clone(messages), t.message) {
		if b.Kind == transcript.KindUser && b.TextSources(t.req.Session).Typed() {
			t.may.UserTyped(transcript.WithoutAttachments(b.Text))
		}
	}
	return nil
}

// ask calls the model and chooses the next phase.
func (t *turn) ask(ctx context.Context) (phase, error) {
	r, err := t.dialogue.ask(ctx)
	t.reply = r
	switch {
	case errors.Is(err, ollama.ErrContextOverflow) && t.mayShrink():
		return (*turn).shrink, nil
	case err != nil:
		return nil, errors.Join(err, t.keepPartial(ctx))
	case r.cut && t.mayShrink():
		return (*turn).shrink, nil
	case r.cut:
		return t.next(r), t.limit(ctx, "The server left out a part of the request: the answer may miss something.")
	}
	return t.next(r), nil
}

// next returns the phase that follows a reply.
func (t *turn) next(r response) phase {
	switch {
	case len(r.calls) > 0:
		return (*turn).runTools
	case len(t.dialogue.window.Tools) == 0 || t.dialogue.window.Final || r.ended != "" && r.ended != "stop":
		return (*turn).answer
	}
	if !t.nudged && prompt.OnlyAnnounces(r.text) {
		t.nudged = true
		return (*turn).nudge
	}
	return (*turn).answer
}

// mayShrink reports whether the one retry after an overflow remains and there is
// something to leave out.
func (t *turn) mayShrink() bool {
	return !t.shrunk && t.dialogue.window.History > 0
}

// shrink makes the request shorter, once: with a Summary if there is a compactor,
// otherwise by leaving out the older half of the history.
func (t *turn) shrink(ctx context.Context) (phase, error) {
	t.shrunk = true
	_, err := t.dialogue.keep(ctx, t.reply)
	if err := errors.Join(err, t.dialogue.keepUnrun(ctx, t.reply)); err != nil {
		return nil, err
	}
	if numCtx, err := t.engine.p.Models.NumCtx(ctx, t.model.Name); err == nil && numCtx > 0 && t.chosen.Context == 0 {
		t.numCtx, t.dialogue.numCtx, t.dialogue.window.Budget = numCtx, numCtx, prompt.NewBudget(numCtx) // the server may have reported a smaller context
	}
	t.dialogue.window.Factor = t.dialogue.learned()
	if t.compactOverflow(ctx) {
		return (*turn).build, nil
	}
	t.cut(prompt.ContextCut{Messages: t.dialogue.window.Drop((t.dialogue.window.History + 1) / 2)})
	return (*turn).ask, nil
}

// nudge asks the model to take the step that it announced.
func (t *turn) nudge(ctx context.Context) (phase, error) {
	if _, err := t.dialogue.keep(ctx, t.reply); err != nil {
		return nil, err
	}
	t.state(StateReading, "the model announced a step and took none; it is asked to take it")
	t.dialogue.addReply(t.reply)
	t.dialogue.window.Say(t.engine.guides.Nudge)
	return (*turn).ask, nil
}

// runTools runs the calls of the reply.
func (t *turn) runTools(ctx context.Context) (phase, error) {
	if _, err := t.dialogue.keep(ctx, t.reply); err != nil {
		return nil, err
	}
	if err := t.dialogue.runCalls(ctx, t.reply); err != nil {
		return nil, err
	}
	return (*turn).ask, nil
}

// keepPartial writes what had arrived of an interrupted answer.
func (t *turn) keepPartial(ctx context.Context) error {
	if strings.TrimSpace(t.reply.text) == "" {
		t.reply.draft.Discard()
		return errors.Join(t.dialogue.keepThought(ctx, t.reply), t.dialogue.keepUnrun(ctx, t.reply))
	}
	t.result.Stopped = true
	return errors.Join(t.dialogue.keepUnrun(ctx, t.reply), t.keepAnswer(ctx))
}

// keepAnswer appends the reply as the turn's answer.
func (t *turn) keepAnswer(ctx context.Context) error {
	if err := t.dialogue.keepThought(ctx, t.reply); err != nil {
		return err
	}
	t.result.Text, t.result.AnswerID = t.reply.text, t.reply.draft.ID()
	b, err := t.reply.draft.Commit(context.WithoutCancel(ctx), t.dialogue.withSources(transcript.Block{
		Kind: transcript.KindAssistant, Agent: t.agent.Slug, Model: t.model.Name, Parent: t.message.ID, Text: t.reply.text,
		Attrs: t.answerAttrs(),
	}).WithRecalled(t.used))
	if err != nil {
		return &fault.Save{What: "The answer", Answer: t.reply.text, Err: err}
	}
	t.result.Text = b.Text
	return nil
}

// answerAttrs returns what the answer's block tells about its request.
func (t *turn) answerAttrs() map[string]string {
	attrs := usageAttrs(memoryAttrs(t.dialogue.memoryRead()), t.dialogue.usage)
	if attrs == nil {
		attrs = map[string]string{}
	}
	t.dialogue.began.learned = t.dialogue.learned()
	t.dialogue.began.attrs(attrs)
	if first := t.dialogue.first; first != nil && first.NewTokens > 0 {
		attrs[attrRead] = readAttr(first, t.dialogue.why)
	}
	if len(t.offered) > 0 {
		attrs[attrTools] = strings.Join(t.offered, " ")
	}
	return attrs
}

// answer ends the turn with the reply.
func (t *turn) answer(ctx context.Context) (phase, error) {
	if strings.TrimSpace(t.reply.text) == "" {
		t.reply.draft.Discard()
		if err := t.dialogue.keepThought(ctx, t.reply); err != nil {
			return nil, err
		}
		return nil, t.dialogue.empty(t.reply)
	}
	if err := t.keepAnswer(ctx); err != nil {
		return nil, err
	}
	if cut := t.cutShort(t.reply, t.dialogue.usage); cut != nil {
		t.emitForMessage(Event{Type: EventState, State: StateTool, Detail: cut.words(), Warning: true, GoOn: true, CutShort: cut})
		if err := t.note(ctx, cut.note(t.message.ID)); err != nil {
			return nil, err
		}
	}
	t.last = Event{
		Type: EventDone, Block: t.result.AnswerID, Round: t.dialogue.rounds,
		Agent: t.agent.Slug, Model: t.model.Name, Text: t.result.Text, Made: Made{
			Read: t.dialogue.memoryRead(), Recalled: notesOf(t.used),
		},
	}
	return nil, nil
}

// fail ends the turn with an error: it writes a Note, if the user's message is in the
// transcript, and sets the terminal event.
func (t *turn) fail(ctx context.Context, err error) error {
	why := fault.Explain(err)
	if t.lock != nil && t.message.ID != "" {
		note := transcript.Block{Note: transcript.NoteError, Parent: t.message.ID, Text: why.Sentence}
		if why.Kind == fault.KindCancelled {
			note.Note, note.Text = transcript.NoteInterrupted, ""
		}
		if t.result.AnswerID != "" {
			note.Attrs = map[string]string{"block": t.result.AnswerID}
		}
		if noteErr := t.note(ctx, note); noteErr != nil {
			t.engine.log.Warn("the transcript doesn't say that the turn failed", "session", t.req.Session, "err", noteErr)
		}
	}
	t.last = Event{
		Type: EventError, Kind: why.Kind, Text: why.Sentence, Detail: why.Next, Err: err,
		Block: t.result.AnswerID, Agent: t.result.Agent, Model: t.result.Model,
	}
	if t.last.Block == "" {
		t.last.Block = t.message.ID
	}
	var save *fault.Save
	if errors.As(err, &save) && save.Answer != "" {
		t.last.Text += "\n\n" + save.Answer // it exists nowhere else
	}
	return err
}
