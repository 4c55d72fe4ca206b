package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

const (
	// weighFrom is from how many raw tokens on a message is weighed against the
	// model's context before it is written: shorter ones go to disk at once.
	weighFrom = 256
	// roundingTokens is left free, so that what was trimmed here always passes
	// dialogue.fit.
	roundingTokens = 32
	// defaultMaxMessages and defaultMaxTokens cap the history where nothing is set.
	defaultMaxMessages = 20
	defaultMaxTokens   = 8192
)

// write puts the user's message on disk, before any model is called. A message
// that can't fit the model's context is refused before it is written, so that it
// doesn't crowd out later turns; where the server can't be asked it is kept.
func (t *turn) write(ctx context.Context) (phase, error) {
	text := transcript.Block{Kind: transcript.KindUser, Text: t.req.Text}.Normalized().Text
	if strings.TrimSpace(text) == "" && len(t.req.Files) == 0 {
		return nil, fmt.Errorf("%w: the message is empty", ErrRequest)
	}
	linked, err := t.linked(text)
	if err != nil {
		return nil, err
	}
	notes := t.lookUp(ctx, text)
	b := t.message(linked, notes)
	if transcript.EstimateTokens(text) > weighFrom || len(b.Attachments()) > 0 {
		t.state(StateReading, "looking at the message")
		err := t.weigh(ctx, &b)
		if errors.Is(err, ErrTooLong) && len(notes) > 0 { // the message goes first
			notes = nil
			b = t.message(linked, nil)
			err = t.weigh(ctx, &b)
		}
		if err != nil {
			return nil, err
		}
	}
	if b.Text, err = t.keepFiles(context.WithoutCancel(ctx), text); err != nil {
		return nil, err
	}
	user, err := t.save(context.WithoutCancel(ctx), b)
	if err != nil {
		return nil, err
	}
	t.setUser(user)
	t.tellRecalled(notes)
	for _, u := range t.engine.p.Store.Refused() {
		if u.Session == t.req.Session {
			t.warn(StateReading, ExplainWaiting(u).Sentence)
		}
	}
	return (*turn).choose, nil
}

// message is the user's message as it is kept: with what is attached to it.
func (t *turn) message(text string, notes []transcript.Quotation) transcript.Block {
	b := transcript.Block{Kind: transcript.KindUser, Text: text, Context: strings.TrimLeft(t.attached(text, time.Now())+t.quotedNotes(notes), "\n")}
	from := t.req.From
	if p := t.req.Place; p != nil {
		b.Attrs = p.attrs(t.uploads())
		from |= transcript.FromDiscord
	} else {
		b.Attrs = t.address()
	}
	return b.WithSources(from).WithRecalled(notes)
}

// save appends the user's message: at the end or, in the place of an edited one,
// on a branch that starts there.
func (t *turn) save(ctx context.Context, b transcript.Block) (transcript.Block, error) {
	store, name := t.engine.p.Store, t.req.Session
	blocks := []transcript.Block{b}
	if t.req.Settings != nil && !t.hasSettings(ctx, *t.req.Settings) {
		blocks = []transcript.Block{t.req.Settings.Note(), b}
	}
	if t.req.Edit == "" {
		out, err := store.AppendAll(ctx, name, blocks...)
		if err != nil {
			return transcript.Block{}, saveProblem("Your message", err)
		}
		return out[len(out)-1], nil
	}
	edited, _, err := store.Message(ctx, name, t.req.Edit)
	switch {
	case errors.Is(err, sessionmem.ErrNotFound), err == nil && edited.Kind != transcript.KindUser:
		return transcript.Block{}, fmt.Errorf("%w: the message to edit is no longer part of the conversation", ErrRequest)
	case err != nil:
		return transcript.Block{}, fmt.Errorf("reading the conversation: %w", err)
	}
	out, err := store.Rewind(ctx, name, t.req.Edit, blocks...)
	if err != nil {
		return transcript.Block{}, saveProblem("Your message", err)
	}
	return out[len(out)-1], nil
}

// hasSettings reports whether the transcript says so already.
func (t *turn) hasSettings(ctx context.Context, s transcript.Settings) bool {
	window, err := t.engine.p.Store.Context(ctx, t.req.Session)
	return err == nil && window.Settings.Equal(s)
}

func (t *turn) setUser(user transcript.Block) {
	t.user = user.Normalized()
	t.result.UserID = t.user.ID
	t.state(StateReading, "")
}

// weigh gives an error for a message that doesn't fit, or whose files the model
// can't use.
func (t *turn) weigh(ctx context.Context, b *transcript.Block) error {
	if _, err := t.choose(ctx); err != nil {
		t.talk = nil
		return nil //nolint:nilerr // the choose phase meets it again, with the message safe on disk
	}
	if len(b.Attachments()) > 0 {
		if err := t.weighFiles(ctx, b); err != nil {
			return err
		}
	}
	return t.checkRoom(*b)
}

// checkRoom refuses a message that doesn't fit beside the system prompt.
func (t *turn) checkRoom(b transcript.Block) error {
	in := t.contents.of(b)
	room, need := t.room(0), t.talk.cost(in.text)+t.talk.images(len(in.images))
	if t.talk.budget.Known() && need > room {
		return &tooLongError{model: t.model.Name, need: need, room: room}
	}
	return nil
}

// room is what messages may take beside the system prompt, the tools and a
// Summary, in calibrated tokens.
func (t *turn) room(summary int) int {
	return t.talk.budget.Rest(t.talk.cost(t.system.System), t.talk.toolCost(), summary)
}

// attached is what changes each turn and so goes with the user's message, at the end of
// the request: one line with the time and the machine's vitals, each only where the
// message speaks of it. Small models repeat it, and take it for the user's words.
func (t *turn) attached(text string, now time.Time) string {
	var parts []string
	if asksForTime(text) {
		parts = append(parts, "it is "+now.Format("Mon 2006-01-02 15:04 -07:00"))
	}
	if t.engine.p.Vitals != nil && t.req.Place == nil && asksForVitals(text) { // the machine is no business of strangers
		if vitals := excerpt.OneLine(t.engine.p.Vitals()); vitals != "" {
			parts = append(parts, vitals)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return prompt.Context(strings.Join(parts, " · "))
}

// userText is what is sent for a User block without files: always the same, from
// the block.
func userText(b transcript.Block) string {
	if b.Context == "" {
		return b.Text
	}
	return b.Text + "\n\n" + b.Context
}

// reopen takes up a User block again. If something answered it, a Note rewind
// starts a branch there: the old answer stays in the file.
func (t *turn) reopen(ctx context.Context) (phase, error) {
	user, after, err := t.engine.p.Store.Message(ctx, t.req.Session, t.req.Retry)
	switch {
	case errors.Is(err, sessionmem.ErrNotFound), err == nil && user.Kind != transcript.KindUser:
		return nil, fmt.Errorf("%w: the message to retry is no longer part of the conversation", ErrRequest)
	case err != nil:
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	t.setUser(user)
	t.use(usedOf(user))
	t.req.Agent, t.req.Skill = cmp.Or(t.req.Agent, user.Attrs[attrTo]), cmp.Or(t.req.Skill, user.Attrs[attrSkill])
	if after != "" {
		note := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: t.user.ID, Text: after}
		if err := t.note(ctx, note); err != nil {
			return nil, err
		}
	}
	return (*turn).choose, nil
}

// note appends a Note block.
func (t *turn) note(ctx context.Context, b transcript.Block) error {
	b.Kind = transcript.KindNote
	if _, err := t.engine.p.Store.Append(context.WithoutCancel(ctx), t.req.Session, b); err != nil {
		return saveProblem("A note", err)
	}
	return nil
}

// systemPrompt builds the system prompt from what the files say now.
func (t *turn) systemPrompt() prompt.System {
	build := func() prompt.System {
		in := t.promptInput(t.talk)
		in.Session = t.chosen.Prompt + t.rules
		if in.Delegate = t.mayDelegate(); in.Delegate {
			roster := t.promptRoster()
			in.Agents, in.Skills = roster.Agents, roster.Skills
		}
		return prompt.BuildSystem(in)
	}
	system := build()
	if len(system.Others) == 0 || tools.Find(t.talk.tools, registry.ToolFindAgent) != nil {
		return system
	}
	t.talk.tools = append(t.talk.tools, findTool{t, false}, findTool{t, true})
	return build()
}

// promptRoster is who and what the turn's agent may hand tasks to.
func (t *turn) promptRoster() prompt.Input {
	return prompt.Input{Agent: t.agent, Agents: t.roster, Skills: t.engine.p.Registry.Skills()}
}

// nameFitting puts the agents and skills that fit the message below it, where the roster
// has no room for all: behind all that is the same in the next request. They are no part
// of the message that is kept. It gives how many they are.
func (t *turn) nameFitting() int {
	last := &t.talk.messages[len(t.talk.messages)-1]
	asked := transcript.WithoutAttachments(t.user.Text)
	asked = strings.ToValidUTF8(asked[:min(len(asked), recallQuery)], "")
	text, named := prompt.NameFitting(asked, t.system, t.talk.cost)
	if named == 0 || t.talk.total()+t.talk.cost(text) > t.talk.budget.Context-t.talk.budget.Answer {
		return 0
	}
	last.Content += "\n\n" + text
	return named
}

// promptInput is what every system prompt has: the agent, its memory, its tools.
func (t *turn) promptInput(d *dialogue) prompt.Input {
	in := prompt.Input{
		Agent: d.agent, GlobalBudget: t.settings.GlobalBudget, AgentBudget: t.settings.AgentBudget,
		Global: t.loadMemory(memory.Target{Kind: memory.TargetGlobal}),
		Own:    memory.File{Missing: true},
		Tier:   t.promptTier(d.agent, d.model), ContextTokens: d.numCtx, Native: d.native, Tools: tools.Docs(d.tools), Guides: t.engine.guides,
		Estimate: d.estimate,
	}
	if target, ok := registry.OwnMemory(d.agent); ok {
		in.Own = t.loadMemory(target)
	}
	t.placeMemory(&in)
	return in
}

// loadMemory reads a memory file now, so that an edit saved before Enter is in
// this prompt. One that can't be read is said, and left out.
func (t *turn) loadMemory(target memory.Target) memory.File {
	f, err := t.engine.p.Memory.LoadStable(context.Background(), target)
	if f.Saving && f.Text == "" {
		t.warn(StateReading, filepath.Base(f.Path)+" is being saved by another program; this message goes without it")
	}
	if err != nil {
		t.engine.log.Warn("a memory file could not be read", "path", f.Path, "err", err)
		t.warn(StateReading, "the memory could not be read and is left out: "+err.Error())
		return memory.File{Target: target, Missing: true}
	}
	if added, removed, changed := t.engine.memoryChanged(f); changed {
		t.emit(Event{Type: EventMemoryReloaded, Memory: &MemoryChange{
			Path: f.Path, Target: targetName(target), Added: added, Removed: removed,
		}})
	}
	return f
}
