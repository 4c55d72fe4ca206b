package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"

	"github.com/ollama/ollama/api"
)

// build makes the request: system prompt, Summary, history, the user's message.
func (t *turn) build(ctx context.Context) (phase, error) {
	if err := t.mustSee(ctx, t.user); err != nil {
		return nil, err
	}
	if err := t.checkRoom(t.user); err != nil {
		if len(t.user.Recalled()) == 0 {
			return nil, err
		}
		line, _, _ := strings.Cut(t.user.Context, "\n") // the message goes first
		if t.user.Context = line; !strings.HasPrefix(line, "[") {
			t.user.Context = "" // it began with the notes
		}
		t.contents.forget(t.user.ID)
		if err := t.checkRoom(t.user); err != nil {
			return nil, err
		}
	}
	window, err := t.engine.p.Store.Context(context.WithoutCancel(ctx), t.req.Session)
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	if err := t.hold(ctx, window.Messages); err != nil {
		return nil, err
	}
	results := t.talk.results() // where the request is made anew in mid-turn
	t.talk.messages = nil
	if t.system.System != "" {
		t.talk.messages = []api.Message{{Role: "system", Content: t.system.System}}
	}
	cut := t.system.Cut
	summary := t.summary(window.Summary)
	messages, before := t.placeHistory(t.upToUser(window.Messages))
	if t.model.Tiny() && t.promptTier(t.agent, t.model) == prompt.TierPlain { // else somebody says that it can take more
		summary, messages, window.Omitted = api.Message{}, lastExchange(messages), 0
	}
	around := t.around(messages)
	if session.CoversNothing(window.Summary) && before+window.Omitted == 0 {
		if _, left := transcript.Trim(messages, t.limits(around), t.cost); left == 0 {
			summary = api.Message{} // all that it tells is in the request: a small model would take it up twice
		}
	}
	if summary.Content != "" {
		t.talk.messages = append(t.talk.messages, summary)
	}
	limits := t.limits(summary.Content + around)
	t.took.History = limits.Tokens
	history, left := transcript.Trim(messages, limits, t.cost)
	if len(history) == 0 {
		history = []transcript.Block{t.user} // it was weighed: it fits
	}
	if around != "" {
		t.talk.messages = append(t.talk.messages, api.Message{Role: "user", Content: around})
	}
	t.talk.fixed = len(t.talk.messages)
	t.talk.messages = append(t.talk.messages, t.toMessages(history)...)
	cut.Roster -= t.nameFitting()
	t.talk.messages = append(t.talk.messages, results...)
	t.talk.history = len(history) - 1
	t.engine.showed(t.req.Session, history[0].ID)
	cut.Messages = left + before + window.Omitted
	t.tellCut(cut)
	t.tellFiles(history)
	return (*turn).ask, nil
}

// lastExchange is the new message, and the one before with its answer: all that a tiny
// model is sent of a conversation, for more leads it away from the question. Of 25 questions
// SmolLM2-135M took up 23 % of the words with the whole history, 22 % with a Summary and the
// last exchange, 29 % with the last exchange, 26 % with the question alone.
func lastExchange(messages []transcript.Block) []transcript.Block {
	for i, b := range slices.Backward(messages[:len(messages)-1]) {
		if b.Kind == transcript.KindUser {
			return messages[i:]
		}
	}
	return messages
}

// upToUser is the conversation up to this turn's message, whatever an editor did
// to the file.
func (t *turn) upToUser(messages []transcript.Block) []transcript.Block {
	at := slices.IndexFunc(messages, func(b transcript.Block) bool { return b.ID == t.user.ID })
	if at < 0 {
		return append(slices.Clone(messages), t.user)
	}
	messages = slices.Clone(messages[:at+1])
	messages[at] = t.user
	return messages
}

// hold notes where the text that the request is made of came from, and which addresses
// the user typed.
func (t *turn) hold(ctx context.Context, messages []transcript.Block) error {
	t.may.Hold(t.user.Sources(t.req.Session))
	if t.req.Place != nil {
		t.may.Hold(transcript.FromDiscord)
		t.may.UserTyped(t.user.Text) // there "the user" is who wrote this message
		return nil
	}
	if t.engine.p.Compactor == nil { // else it was looked at when it might have been summarised
		snap, err := t.engine.p.Store.Snapshot(context.WithoutCancel(ctx), t.req.Session, t.user.ID)
		if err != nil {
			return fmt.Errorf("reading the conversation: %w", err)
		}
		t.may.Hold(snap.Sources(OwnTools()))
	}
	for _, b := range append(slices.Clone(messages), t.user) {
		if b.Kind == transcript.KindUser && b.TextSources(t.req.Session).Typed() {
			t.may.UserTyped(transcript.WithoutAttachments(b.Text))
		}
	}
	return nil
}

// summary is the Summary as it is sent, within its share. One that was made of others'
// text is quoted: a sentence of theirs may stand in it.
func (t *turn) summary(b *transcript.Block) api.Message {
	if b == nil {
		return api.Message{}
	}
	text, quoted := b.Text, !b.Sources(t.req.Session).Typed()
	if t.talk.budget.Known() {
		share := t.talk.raw(t.talk.budget.Summary)
		if quoted {
			share -= transcript.EstimateTokens(t.quoteSummary(""))
		}
		text, _ = prompt.CutResult(text, max(share, 1))
	}
	if quoted {
		return api.Message{Role: "user", Content: t.quoteSummary(text)}
	}
	return api.Message{Role: "system", Content: "# The conversation so far, in short\n" + text}
}

func (t *turn) quoteSummary(text string) string {
	return t.engine.guides.Quote("a summary of the conversation so far, in which text of others was read", text)
}

// limits caps the history: the settings, and what the real context leaves. They
// are the same from turn to turn, so that the same beginning is sent.
func (t *turn) limits(summary string) transcript.Limits {
	lim := transcript.Limits{Messages: t.settings.MaxMessages, Tokens: t.settings.MaxTokens}
	if lim.Messages <= 0 {
		lim.Messages = defaultMaxMessages
	}
	if lim.Tokens <= 0 {
		lim.Tokens = defaultMaxTokens
	}
	if t.talk.budget.Known() {
		room := t.talk.raw(t.room(t.talk.cost(summary))-t.system.Room) - roundingTokens
		lim.Tokens = min(lim.Tokens, max(room, 1))
	}
	return lim
}

// cost is what a message counts for in the caps.
func (t *turn) cost(b transcript.Block) int { return t.contents.cost(b) }

// toMessages makes the messages of a request of blocks.
func (t *turn) toMessages(blocks []transcript.Block) []api.Message {
	messages := make([]api.Message, 0, len(blocks))
	for _, b := range blocks {
		if b.Kind == transcript.KindUser {
			in := t.contents.of(b)
			messages = append(messages, api.Message{Role: "user", Content: in.text, Images: in.images})
			for _, text := range in.quoted {
				t.talk.quoted.Add(text)
			}
			if b.Attrs[attrAuthor] != "" {
				t.talk.quoted.Add(b.Text) // a stranger's: what the model repeats of it is no order
			}
			continue
		}
		messages = append(messages, api.Message{Role: "assistant", Content: t.asSent(b).Text})
	}
	return messages
}

// tellCut says what was left out, if anything was.
func (t *turn) tellCut(cut prompt.ContextCut) {
	if cut != (prompt.ContextCut{}) {
		t.emit(Event{Type: EventContextCut, Cut: &cut, Block: t.user.ID, Agent: t.agent.Slug, Model: t.model.Name})
	}
}
