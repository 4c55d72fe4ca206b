package agents

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/agents/background"
	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

const (
	// recallTime is how long a turn waits for what earlier conversations say.
	recallTime = 150 * time.Millisecond
	// noteRelevance is from which Hit.Relevance on a passage goes with a message.
	// Measured on half of LoCoMo, by words alone (BenchmarkRelevance of recall): 54 % of
	// the questions that can be answered get a note, 13 % of those that can't, 2 % of
	// those of somebody else. At .35 it would be 76, 34 and 7 %.
	noteRelevance = 0.45
	leastNews     = 8 // characters of words that the message does not have, for a passage to be worth it
	mostNotes     = 4
	noteChars     = 500  // of a passage
	answerChars   = 300  // of the answer that goes with a question of before
	longWord      = 24   // characters
	recallLooks   = 16   // hits that are looked at
	recallQuery   = 2000 // bytes of the message that are searched with
	recalledFrom  = "earlier conversations of the user, the newest last"
)

// Searcher finds what was said; recall.Index is one.
type Searcher interface {
	Search(ctx context.Context, q recall.Query) (recall.Answer, error)
}

// RecalledNote is a passage that went with a message, or is named by an answer.
type RecalledNote struct {
	Chunk   string    `json:"chunk"` // its id
	Session string    `json:"session"`
	Block   string    `json:"block"`
	Time    time.Time `json:"time,omitzero"` // zero where only the id is known
	Text    string    `json:"text,omitempty"`
}

// RecalledOf gives the passages that an answer was made with, as its block names
// them.
func RecalledOf(b transcript.Block) []RecalledNote {
	var out []RecalledNote
	for _, id := range b.Recalled() {
		session, rest, _ := strings.Cut(id, "/")
		block, _, ok := strings.Cut(rest, "/")
		if ok && session != "memory" {
			out = append(out, RecalledNote{Chunk: id, Session: session, Block: block})
		}
	}
	return out
}

// lookUp finds what earlier conversations say to the message. It never holds the
// turn up for longer than Params.RecallTime, and never fails it.
func (t *turn) lookUp(ctx context.Context, text string) []transcript.Quotation {
	budget := t.settings.NotesBudget
	if budget <= 0 || !t.mayRecall() || t.req.Place != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(background.ForTurn(ctx), cmp.Or(t.engine.p.RecallTime(), recallTime))
	defer stop()
	found := make(chan []transcript.Quotation, 1)
	t.engine.work.Go(func() { found <- t.notes(ctx, text, budget) })
	select {
	case notes := <-found:
		return notes
	case <-ctx.Done():
		t.engine.log.Debug("earlier conversations were not asked in time", "session", t.req.Session)
		return nil
	}
}

// mayRecall reports whether the session may use the index: a private one is no part
// of it and leaves no trace of a search either.
func (t *turn) mayRecall() bool {
	return t.engine.p.Recall != nil && !t.settings.InMemoryOnly && !t.engine.p.Store.IsPrivate(t.req.Session)
}

// recallScope is what the session may see: itself; all of the owner's sessions and
// memory where the user chose that. A channel never sees more than itself.
func (t *turn) recallScope() recall.Scope {
	if !t.settings.CrossSession || t.req.Place != nil || transcript.IsDiscord(t.req.Session) {
		return recall.Scope{Session: t.req.Session, NoMemory: true}
	}
	return recall.Scope{}
}

// quotable tells the chunks that may be quoted here. Of this session: not what was
// before a reset, which asked for a conversation that knows nothing of it, nor what was
// taken back by an edit. Of others: nothing that was said on Discord.
func (t *turn) quotable(ctx context.Context) func(corpus.Chunk) bool {
	on, err := t.engine.p.Store.Standing(ctx, t.req.Session)
	if err != nil {
		t.engine.log.Warn("this conversation is not searched: what was reset in it can't be told", "session", t.req.Session, "err", err)
		on = func(string) bool { return false }
	}
	return func(c corpus.Chunk) bool {
		if c.Session == t.req.Session {
			return on(c.Block)
		}
		return c.Source != "discord" && (c.Kind != corpus.KindMemory || !c.Untrusted)
	}
}

// sourcesOf gives the sources of what was found.
func sourcesOf(h recall.Hit) transcript.Sources {
	switch {
	case h.Source == "discord":
		return h.Sources | transcript.FromDiscord
	case h.Untrusted && h.Sources.Typed():
		return transcript.FromUnknown
	}
	return h.Sources
}

// search asks the index. A fault of it is no fault of the turn. What came from Discord
// into a session of the owner's is quoted in that session alone.
func (t *turn) search(ctx context.Context, q recall.Query) (recall.Answer, error) {
	index, err := t.engine.p.Recall()
	if err != nil {
		return recall.Answer{}, err
	}
	answer, err := index.Search(ctx, q)
	answer.Hits = slices.DeleteFunc(answer.Hits, func(h recall.Hit) bool {
		return h.Session != t.req.Session && sourcesOf(h).Has(transcript.FromDiscord)
	})
	return answer, err
}

// notes are the passages that are worth it, within the budget of characters.
func (t *turn) notes(ctx context.Context, text string, budget int) []transcript.Quotation {
	scope := t.recallScope()
	scope.NoMemory = true // the prompt has it
	allowed := t.quotable(ctx)
	scope.Allow = func(c corpus.Chunk) bool {
		talk := c.Kind == corpus.KindUser || c.Kind == corpus.KindAssistant || c.Kind == corpus.KindSummary
		return talk && allowed(c)
	}
	query := strings.ToValidUTF8(text[:min(len(text), recallQuery)], "")
	if !asksSomething(query) {
		return nil
	}
	answer, err := t.search(ctx, recall.Query{Text: query, Limit: recallLooks, Scope: scope, HitsOnly: true})
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.engine.log.Warn("earlier conversations could not be asked; the turn goes on without", "session", t.req.Session, "err", err)
		}
		return nil
	}
	seen := t.inContext(ctx)
	seen.texts = append(seen.texts, excerpt.OneLine(text))
	var list []transcript.Quotation
	for _, h := range answer.Hits {
		if h.Relevance < noteRelevance || len(list) == mostNotes || ctx.Err() != nil {
			break
		}
		q, ok := t.noteOf(ctx, h, query, seen)
		if size := utf8.RuneCountInString(q.Text); ok && size <= budget {
			budget -= size
			list = append(list, q)
		}
	}
	return newestLast(list)
}

// Quotations are the hits that keep holds for as they are quoted, the newest last. keep
// sees them with the sources of their text.
func Quotations(hits []recall.Hit, keep func(recall.Hit) bool) []transcript.Quotation {
	var list []transcript.Quotation
	for _, h := range hits {
		if keep(h) {
			list = append(list, quotationOf(h))
		}
	}
	return newestLast(list)
}

// SaidOnDiscord reports whether the text of a hit is from Discord, wherever it is kept.
func SaidOnDiscord(h recall.Hit) bool { return sourcesOf(h).Has(transcript.FromDiscord) }

// newestLast puts quotations in the order of their times: where they contradict each
// other, what holds now comes last.
func newestLast(list []transcript.Quotation) []transcript.Quotation {
	slices.SortStableFunc(list, func(a, b transcript.Quotation) int { return a.Time.Compare(b.Time) })
	return list
}

// inContext is what the model is shown anyway.
type inContext struct {
	blocks map[string]bool // of this session
	texts  []string        // each in one line
}

// inContext finds what the window of the turn will hold, as the last turn of this
// process sent it; after a start as the settings cap it.
func (t *turn) inContext(ctx context.Context) *inContext {
	in := &inContext{blocks: map[string]bool{}}
	window, err := t.engine.p.Store.Context(ctx, t.req.Session)
	if err != nil {
		return in
	}
	messages := window.Messages
	first := t.engine.shownFrom(t.req.Session)
	if at := slices.IndexFunc(messages, func(b transcript.Block) bool { return b.ID == first }); at >= 0 && first != "" {
		messages = messages[at:]
	} else {
		messages, _ = transcript.Trim(messages, transcript.Limits{Messages: t.settings.MaxMessages, Tokens: t.maxTokens()},
			func(b transcript.Block) int { return transcript.EstimateTokens(userText(b)) + prompt.MessageTokens })
	}
	if window.Summary != nil {
		messages = append([]transcript.Block{*window.Summary}, messages...)
	}
	for _, b := range messages {
		in.blocks[b.ID] = true
		in.texts = append(in.texts, excerpt.OneLine(b.Text))
	}
	return in
}

// shows reports whether the model is shown the text anyway.
func (in *inContext) shows(text string) bool {
	line := excerpt.OneLine(text)
	return slices.ContainsFunc(in.texts, func(s string) bool { return strings.Contains(s, line) })
}

// noteOf makes a note of a hit; false for one that says nothing new.
func (t *turn) noteOf(ctx context.Context, h recall.Hit, query string, seen *inContext) (transcript.Quotation, bool) {
	own := h.Session == t.req.Session
	if own && seen.blocks[h.Block] {
		return transcript.Quotation{}, false
	}
	text := passage(h.Text, query, noteChars)
	if text == "" || seen.shows(h.Text) {
		return transcript.Quotation{}, false
	}
	seen.texts = append(seen.texts, excerpt.OneLine(h.Text))
	answer, sources := t.answerTo(ctx, h, query, seen)
	switch {
	case answer != "":
		text += " – answered: " + answer
	case asks(h) && !strings.Contains(strings.TrimRight(text, "?？؟ "), ". "):
		return transcript.Quotation{}, false // only a question
	}
	if news(text, query) < leastNews {
		return transcript.Quotation{}, false
	}
	return transcript.Quotation{
		Chunk: h.ID, Time: h.Time, Who: string(h.Kind), Text: text,
		Sources: sourcesOf(h) | sources,
	}, true
}

// asksSomething reports whether a message has enough words to look for: thanks and
// greetings find only their like.
func asksSomething(text string) bool {
	n := 0
	for _, term := range analysis.NewAnalyzer().Query(text, time.Now()).Terms {
		switch term.Class {
		case analysis.ClassExact:
			return true
		case analysis.ClassWord:
			n++
		}
	}
	return n >= 2
}

// news is how many characters the words of a text have that another text lacks.
func news(text, known string) int {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	}
	seen, n := words(known), 0
	for _, w := range words(text) {
		if !slices.Contains(seen, w) {
			seen = append(seen, w)
			n += utf8.RuneCountInString(w)
		}
	}
	return n
}

// asks reports whether a hit is a question of the user.
func asks(h recall.Hit) bool {
	return h.Kind == corpus.KindUser && strings.ContainsAny(h.Text, "?？؟")
}

// answerTo is the beginning of what was answered to a question of the user, with its
// sources: alone the question would say nothing.
func (t *turn) answerTo(ctx context.Context, h recall.Hit, query string, seen *inContext) (string, transcript.Sources) {
	if !asks(h) {
		return "", 0
	}
	store := t.engine.p.Store
	_, next, err := store.Message(ctx, h.Session, h.Block)
	if err != nil || next == "" {
		return "", 0
	}
	answer, _, err := store.Message(ctx, h.Session, next)
	if err != nil || answer.Kind != transcript.KindAssistant || seen.shows(answer.Text) {
		return "", 0
	}
	sources := answer.Sources(h.Session)
	if h.Session != t.req.Session && sources.Has(transcript.FromDiscord) {
		return "", 0
	}
	seen.texts = append(seen.texts, excerpt.OneLine(answer.Text))
	return passage(answer.Text, query, answerChars), sources
}

// quotedNotes is what goes below the message.
func (t *turn) quotedNotes(list []transcript.Quotation) string {
	if len(list) == 0 {
		return ""
	}
	var lines []string
	for _, q := range list {
		lines = append(lines, q.Line())
	}
	return "\n\n" + t.engine.guides.Quote(recalledFrom, strings.Join(lines, "\n"))
}

// tellRecalled tells what went with the message.
func (t *turn) tellRecalled(list []transcript.Quotation) {
	if len(list) == 0 {
		return
	}
	t.use(list)
	t.emit(Event{Type: EventRecalled, Block: t.user.ID, Recalled: notesOf(list)})
}

// notesOf names passages for events.
func notesOf(list []transcript.Quotation) []RecalledNote {
	notes := RecalledOf(transcript.Block{}.WithRecalled(list))
	for i := range notes {
		at := slices.IndexFunc(list, func(q transcript.Quotation) bool { return q.Chunk == notes[i].Chunk })
		notes[i].Time, notes[i].Text = list[at].Time, list[at].Text
	}
	return notes
}

// usedOf are the passages that a message was sent with before.
func usedOf(b transcript.Block) []transcript.Quotation {
	var list []transcript.Quotation
	for _, id := range b.Recalled() {
		list = append(list, transcript.Quotation{Chunk: id})
	}
	return list
}
