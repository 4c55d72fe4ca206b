package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/agents/background"
	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

// Passages of earlier conversations: the few that are sent with a message automatically,
// and those that a model searches for (MEMORY_SEARCH). They never include messages that
// were reset or retracted, messages from Discord outside their session, or messages that
// the model sees anyway. They are quoted with their author and time, and never pass for a
// message of the user. The turn takes on the sources of each passage. The search for a
// message delays a turn by at most Params.RecallTime and never makes it fail.

const (
	defaultRecallTime = 150 * time.Millisecond
	// noteRelevance is the Hit.Relevance from which a passage is sent with a message.
	// Measured on half of LoCoMo, by words only (BenchmarkRelevance of recall): 54 % of
	// the questions with an answer get a note, 13 % of those without, and 2 % of somebody
	// else's questions. At .35 it would be 76, 34 and 7 %.
	noteRelevance = 0.45
	minNews       = 8 // minimum characters in words of a passage that the message doesn't have
	maxNotes      = 4
	noteChars     = 500             // of a passage
	answerChars   = 300             // of the answer sent with an earlier question
	longWord      = 24              // characters
	maxHits       = 16              // maximum hits to examine
	searchTime    = 5 * time.Second // of MEMORY_SEARCH
	searchChars   = 800             // of a passage that it finds
	quoteName     = "earlier conversations of the user, the newest last"
)

// Searcher searches conversations; recall.Index is one.
type Searcher interface {
	Search(ctx context.Context, q recall.Query) (recall.Answer, error)
}

// use records passages on which the answer is based.
func (t *turn) use(list []transcript.Quotation) {
	for _, q := range list {
		if !slices.ContainsFunc(t.used, func(u transcript.Quotation) bool { return u.Chunk == q.Chunk }) {
			t.used = append(t.used, q)
		}
		t.may.Hold(q.Sources)
	}
}

// searchable reports whether the session may search. A private one isn't indexed, and its
// searches leave no trace either.
func (t *turn) searchable() bool {
	return t.engine.p.Recall != nil && !t.settings.InMemoryOnly && !t.engine.p.Store.IsPrivate(t.req.Session)
}

// lookUp returns the passages to send with a message.
func (t *turn) lookUp(ctx context.Context, text string) []transcript.Quotation {
	if t.settings.NotesBudget <= 0 || t.req.Place != nil || !t.searchable() {
		return nil
	}
	ctx, stop := context.WithTimeout(background.ForTurn(ctx), cmp.Or(t.engine.p.RecallTime(), defaultRecallTime))
	defer stop()
	found := make(chan []transcript.Quotation, 1)
	t.engine.work.Go(func() { found <- t.notes(ctx, text) }) // the turn may abandon it
	select {
	case notes := <-found:
		return notes
	case <-ctx.Done():
		t.engine.log.Debug("earlier conversations were not asked in time", "session", t.req.Session)
		return nil
	}
}

// searchScope returns what the session may see: itself, and the owner's other sessions and
// memory if the user chose that. A channel only ever sees itself.
func (t *turn) searchScope() recall.Scope {
	if t.settings.CrossSession && t.req.Place == nil && !transcript.IsDiscord(t.req.Session) {
		return recall.Scope{}
	}
	return recall.Scope{Session: t.req.Session, NoMemory: true}
}

// quotable returns a function that reports whether a chunk may be quoted here. In this
// session, that excludes messages before a reset and messages that an edit retracted; in
// others, messages from Discord.
func (t *turn) quotable(ctx context.Context) func(corpus.Chunk) bool {
	on, err := t.engine.p.Store.Session(t.req.Session).InContext(ctx)
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

// sourcesOf returns the sources of a hit.
func sourcesOf(h recall.Hit) transcript.Sources {
	switch {
	case h.Source == "discord":
		return h.Sources | transcript.FromDiscord
	case h.Untrusted && h.Sources.Typed():
		return transcript.FromUnknown
	}
	return h.Sources
}

// searchIndex searches the index. Its failure doesn't make the turn fail. Text from Discord in
// one of the owner's sessions is quoted only in that session.
func (t *turn) searchIndex(ctx context.Context, q recall.Query) (recall.Answer, error) {
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

// notes returns the passages worth sending, within the budget of characters.
func (t *turn) notes(ctx context.Context, text string) []transcript.Quotation {
	scope, budget := t.searchScope(), t.settings.NotesBudget
	scope.NoMemory = true // the prompt has the memory
	allowed := t.quotable(ctx)
	scope.Allow = func(c corpus.Chunk) bool {
		talk := c.Kind == corpus.KindUser || c.Kind == corpus.KindAssistant || c.Kind == corpus.KindSummary
		return talk && allowed(c)
	}
	query := strings.ToValidUTF8(text[:min(len(text), maxQueryBytes)], "")
	if !asksSomething(query) {
		return nil
	}
	answer, err := t.searchIndex(ctx, recall.Query{Text: query, Limit: maxHits, Scope: scope, HitsOnly: true, Message: true})
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
		if h.Relevance < noteRelevance || len(list) == maxNotes || ctx.Err() != nil {
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

// Quotations returns the hits that keep accepts as quotations, the newest last. keep sees
// them with the sources of their text.
func Quotations(hits []recall.Hit, keep func(recall.Hit) bool) []transcript.Quotation {
	var list []transcript.Quotation
	for _, h := range hits {
		if keep(h) {
			list = append(list, quotationOf(h))
		}
	}
	return newestLast(list)
}

// SaidOnDiscord reports whether the text of a hit is from Discord, whatever its session.
func SaidOnDiscord(h recall.Hit) bool { return sourcesOf(h).Has(transcript.FromDiscord) }

// newestLast sorts quotations by time, so that if they contradict each other, the current
// one comes last.
func newestLast(list []transcript.Quotation) []transcript.Quotation {
	slices.SortStableFunc(list, func(a, b transcript.Quotation) int { return a.Time.Compare(b.Time) })
	return list
}

// inContext is what the model sees anyway.
type inContext struct {
	blocks map[string]bool // of this session
	texts  []string        // each as one line
}

// inContext returns what the window of the turn will hold: what the last turn of this
// process sent or, after a start, what the settings' caps allow.
func (t *turn) inContext(ctx context.Context) *inContext {
	in := &inContext{blocks: map[string]bool{}}
	window, err := t.engine.p.Store.Context(ctx, t.req.Session)
	if err != nil {
		return in
	}
	messages := window.Messages
	first := t.engine.lastTurn(t.req.Session, nil).first
	if at := slices.IndexFunc(messages, func(b transcript.Block) bool { return b.ID == first }); at >= 0 && first != "" {
		messages = messages[at:]
	} else {
		messages, _ = transcript.Trim(messages, transcript.Limits{Messages: t.settings.MaxMessages, Tokens: t.settings.maxTokens()},
			func(b transcript.Block) int {
				return transcript.EstimateTokens(prompt.UserText(b)) + prompt.MessageTokens
			})
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

// shows reports whether the model sees the text anyway.
func (in *inContext) shows(text string) bool {
	line := excerpt.OneLine(text)
	return slices.ContainsFunc(in.texts, func(s string) bool { return strings.Contains(s, line) })
}

// noteOf returns a note for a hit; ok is false if it has nothing new.
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
		return transcript.Quotation{}, false // a question without an answer
	}
	if news(text, query) < minNews {
		return transcript.Quotation{}, false
	}
	return transcript.Quotation{
		Chunk: h.ID, Time: h.Time, Who: string(h.Kind), Text: text,
		Sources: sourcesOf(h) | sources,
	}, true
}

// asksSomething reports whether a message has enough words for a search: thanks and
// greetings would only find other thanks and greetings.
func asksSomething(text string) bool {
	n := 0
	for _, term := range analysis.NewAnalyzer().Message(text, time.Now()).Terms {
		switch term.Class {
		case analysis.ClassExact:
			return true
		case analysis.ClassWord:
			n++
		}
	}
	return n >= 2
}

// news returns the number of characters in those words of a text that known doesn't have.
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

// answerTo returns the beginning of the answer to a question of the user, with its
// sources. The question alone would be useless.
func (t *turn) answerTo(ctx context.Context, h recall.Hit, query string, seen *inContext) (string, transcript.Sources) {
	if !asks(h) {
		return "", 0
	}
	store := t.engine.p.Store
	_, next, err := store.Session(h.Session).Message(ctx, h.Block)
	if err != nil || next == "" {
		return "", 0
	}
	answer, _, err := store.Session(h.Session).Message(ctx, next)
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

// quoteNotes returns the quoted passages for the end of the message.
func (t *turn) quoteNotes(list []transcript.Quotation) string {
	if len(list) == 0 {
		return ""
	}
	var lines []string
	for _, q := range list {
		lines = append(lines, q.Line())
	}
	return "\n\n" + t.engine.guides.Quote(quoteName, strings.Join(lines, "\n"))
}

// searchMemory runs MEMORY_SEARCH. It quotes the results with their author and time, the newest last, so that
// they never pass for a message of the user.
func (t *turn) searchMemory(ctx context.Context, call *tools.Call) (tools.Result, error) {
	query := call.Only("query")
	if query == "" {
		return tools.Result{}, errors.New("there is no query: write what to look for after the colon")
	}
	ctx, stop := context.WithTimeout(background.ForTurn(ctx), searchTime)
	defer stop()
	scope, allowed := t.searchScope(), t.quotable(ctx)
	scope.Allow = func(c corpus.Chunk) bool { // everything except the message being answered
		return allowed(c) && (c.Session != t.req.Session || c.Block != t.message.ID)
	}
	answer, err := t.searchIndex(ctx, recall.Query{Text: query, Scope: scope, Rerank: true})
	if err != nil {
		return tools.Result{}, fmt.Errorf("searching: %w", err)
	}
	list := Quotations(answer.Hits, func(recall.Hit) bool { return true })
	var parts []string
	for _, q := range list {
		parts = append(parts, q.Line())
	}
	t.use(list)
	if len(list) == 0 {
		return tools.Result{Text: "Nothing was found. The index is " + answer.State.String() + "."}, nil
	}
	parts = append(parts, "The index is "+answer.State.String()+".")
	return tools.Result{Text: strings.Join(parts, "\n"), Quote: quoteName, Recalled: list}, nil
}

// quotationOf returns a hit in the form that the model sees.
func quotationOf(h recall.Hit) transcript.Quotation {
	text, _ := prompt.CutResult(h.Text, searchChars/4)
	return transcript.Quotation{
		Chunk: h.ID, Time: h.Time, Who: string(h.Kind), Text: text, Sources: sourcesOf(h),
	}
}

// passage returns the part of a text with the most words of the query, as one line of at
// most that many characters.
func passage(text, query string, most int) string {
	runes := []rune(excerpt.OneLine(text))
	if len(runes) <= most {
		return string(runes)
	}
	start := bestStart(runes, strings.Fields(strings.ToLower(query)), most)
	part := strings.TrimSpace(string(runes[start:min(start+most-2, len(runes))]))
	if start > 0 {
		part = "…" + part
	}
	if start+most-2 < len(runes) {
		part += "…"
	}
	return part
}

// bestStart returns the start of the window of that many characters with the most words.
// Windows start at every quarter of one.
func bestStart(text []rune, words []string, most int) int {
	best, bestCount := 0, -1
	for start := 0; start < len(text); start += most / 4 {
		window := strings.ToLower(string(text[start:min(start+most, len(text))]))
		n := 0
		for _, w := range words {
			if utf8.RuneCountInString(w) > 2 && strings.Contains(window, w) {
				n++
			}
		}
		if n > bestCount {
			best, bestCount = start, n
		}
	}
	for at := best; at > 0 && at < min(best+longWord, len(text)); at++ {
		if text[at-1] == ' ' { // not inside a word
			return at
		}
	}
	return best
}
