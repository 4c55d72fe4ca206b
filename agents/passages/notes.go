// Package passages finds passages in earlier conversations: the few that are sent with a
// message automatically, and those that a model searches for (MEMORY_SEARCH).
//
// A session sees itself, and the owner's other sessions if the user chose that; a channel
// only ever sees itself. Passages never include messages that were reset or retracted,
// messages from Discord outside their session, or messages that the model sees anyway.
// They are quoted with their author and time, and never pass for a message of the user.
// The turn takes on the sources of each passage.
//
// The search for a message delays a turn by at most Config.Time and never makes it fail.
// A Passages belongs to one turn.
package passages

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/agents/background"
	"mac-stats/agents/prompt"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

const (
	defaultTime = 150 * time.Millisecond
	// noteRelevance is the Hit.Relevance from which a passage is sent with a message.
	// Measured on half of LoCoMo, by words only (BenchmarkRelevance of recall): 54 % of
	// the questions with an answer get a note, 13 % of those without, and 2 % of somebody
	// else's questions. At .35 it would be 76, 34 and 7 %.
	noteRelevance = 0.45
	minNews       = 8 // minimum characters in words of a passage that the message doesn't have
	maxNotes      = 4
	noteChars     = 500  // of a passage
	answerChars   = 300  // of the answer sent with an earlier question
	longWord      = 24   // characters
	maxHits       = 16   // maximum hits to examine
	maxQueryBytes = 2000 // maximum bytes of the message used as the query
	quoteName     = "earlier conversations of the user, the newest last"
)

// Searcher searches conversations; recall.Index is one.
type Searcher interface {
	Search(ctx context.Context, q recall.Query) (recall.Answer, error)
}

// Config configures a Passages.
type Config struct {
	Session string
	Store   *sessionmem.Store
	Index   func() (Searcher, error) // nil if the session may not search
	Across  bool                     // the owner's other sessions and memory are visible
	Budget  int                      // characters sent with a message; 0 sends nothing
	Time    time.Duration            // how long a turn waits for the search; 0 is 150 ms
	Guides  prompt.Guides
	// Window caps the history in a request. The history begins with the message First, if
	// that is known.
	Window transcript.Limits
	First  string
	Go     func(func())             // runs a search that the turn may abandon
	Held   func(transcript.Sources) // called with the sources of text that the turn now holds
	Asked  func() string            // returns the ID of the message being answered
	Logger *slog.Logger
}

// Passages finds passages of earlier conversations for one turn.
type Passages struct {
	c    Config
	used []transcript.Quotation
}

// New returns the Passages of a turn.
func New(c Config) *Passages { return &Passages{c: c} }

// Used returns the passages on which the answer is based.
func (p *Passages) Used() []transcript.Quotation { return p.used }

// Use records passages on which the answer is based.
func (p *Passages) Use(list []transcript.Quotation) {
	for _, q := range list {
		if !slices.ContainsFunc(p.used, func(u transcript.Quotation) bool { return u.Chunk == q.Chunk }) {
			p.used = append(p.used, q)
		}
		p.c.Held(q.Sources)
	}
}

// Searchable reports whether the session may search.
func (p *Passages) Searchable() bool { return p.c.Index != nil }

// LookUp returns the passages to send with a message.
func (p *Passages) LookUp(ctx context.Context, text string) []transcript.Quotation {
	if p.c.Budget <= 0 || p.c.Index == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(background.ForTurn(ctx), cmp.Or(p.c.Time, defaultTime))
	defer stop()
	found := make(chan []transcript.Quotation, 1)
	p.c.Go(func() { found <- p.notes(ctx, text) })
	select {
	case notes := <-found:
		return notes
	case <-ctx.Done():
		p.c.Logger.Debug("earlier conversations were not asked in time", "session", p.c.Session)
		return nil
	}
}

// scope returns what the session may see.
func (p *Passages) scope() recall.Scope {
	if p.c.Across {
		return recall.Scope{}
	}
	return recall.Scope{Session: p.c.Session, NoMemory: true}
}

// quotable returns a function that reports whether a chunk may be quoted here. In this
// session, that excludes messages before a reset and messages that an edit retracted; in
// others, messages from Discord.
func (p *Passages) quotable(ctx context.Context) func(corpus.Chunk) bool {
	on, err := p.c.Store.Session(p.c.Session).InContext(ctx)
	if err != nil {
		p.c.Logger.Warn("this conversation is not searched: what was reset in it can't be told", "session", p.c.Session, "err", err)
		on = func(string) bool { return false }
	}
	return func(c corpus.Chunk) bool {
		if c.Session == p.c.Session {
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

// search searches the index. Its failure doesn't make the turn fail. Text from Discord in
// one of the owner's sessions is quoted only in that session.
func (p *Passages) search(ctx context.Context, q recall.Query) (recall.Answer, error) {
	index, err := p.c.Index()
	if err != nil {
		return recall.Answer{}, err
	}
	answer, err := index.Search(ctx, q)
	answer.Hits = slices.DeleteFunc(answer.Hits, func(h recall.Hit) bool {
		return h.Session != p.c.Session && sourcesOf(h).Has(transcript.FromDiscord)
	})
	return answer, err
}

// notes returns the passages worth sending, within the budget of characters.
func (p *Passages) notes(ctx context.Context, text string) []transcript.Quotation {
	scope, budget := p.scope(), p.c.Budget
	scope.NoMemory = true // the prompt has the memory
	allowed := p.quotable(ctx)
	scope.Allow = func(c corpus.Chunk) bool {
		talk := c.Kind == corpus.KindUser || c.Kind == corpus.KindAssistant || c.Kind == corpus.KindSummary
		return talk && allowed(c)
	}
	query := strings.ToValidUTF8(text[:min(len(text), maxQueryBytes)], "")
	if !asksSomething(query) {
		return nil
	}
	answer, err := p.search(ctx, recall.Query{Text: query, Limit: maxHits, Scope: scope, HitsOnly: true, Message: true})
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			p.c.Logger.Warn("earlier conversations could not be asked; the turn goes on without", "session", p.c.Session, "err", err)
		}
		return nil
	}
	seen := p.inContext(ctx)
	seen.texts = append(seen.texts, excerpt.OneLine(text))
	var list []transcript.Quotation
	for _, h := range answer.Hits {
		if h.Relevance < noteRelevance || len(list) == maxNotes || ctx.Err() != nil {
			break
		}
		q, ok := p.noteOf(ctx, h, query, seen)
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
func (p *Passages) inContext(ctx context.Context) *inContext {
	in := &inContext{blocks: map[string]bool{}}
	window, err := p.c.Store.Context(ctx, p.c.Session)
	if err != nil {
		return in
	}
	messages := window.Messages
	first := p.c.First
	if at := slices.IndexFunc(messages, func(b transcript.Block) bool { return b.ID == first }); at >= 0 && first != "" {
		messages = messages[at:]
	} else {
		messages, _ = transcript.Trim(messages, p.c.Window,
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
func (p *Passages) noteOf(ctx context.Context, h recall.Hit, query string, seen *inContext) (transcript.Quotation, bool) {
	own := h.Session == p.c.Session
	if own && seen.blocks[h.Block] {
		return transcript.Quotation{}, false
	}
	text := passage(h.Text, query, noteChars)
	if text == "" || seen.shows(h.Text) {
		return transcript.Quotation{}, false
	}
	seen.texts = append(seen.texts, excerpt.OneLine(h.Text))
	answer, sources := p.answerTo(ctx, h, query, seen)
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
func (p *Passages) answerTo(ctx context.Context, h recall.Hit, query string, seen *inContext) (string, transcript.Sources) {
	if !asks(h) {
		return "", 0
	}
	store := p.c.Store
	_, next, err := store.Session(h.Session).Message(ctx, h.Block)
	if err != nil || next == "" {
		return "", 0
	}
	answer, _, err := store.Session(h.Session).Message(ctx, next)
	if err != nil || answer.Kind != transcript.KindAssistant || seen.shows(answer.Text) {
		return "", 0
	}
	sources := answer.Sources(h.Session)
	if h.Session != p.c.Session && sources.Has(transcript.FromDiscord) {
		return "", 0
	}
	seen.texts = append(seen.texts, excerpt.OneLine(answer.Text))
	return passage(answer.Text, query, answerChars), sources
}

// Quoted returns the quoted passages for the end of the message.
func (p *Passages) Quoted(list []transcript.Quotation) string {
	if len(list) == 0 {
		return ""
	}
	var lines []string
	for _, q := range list {
		lines = append(lines, q.Line())
	}
	return "\n\n" + p.c.Guides.Quote(quoteName, strings.Join(lines, "\n"))
}
