// Package passages finds what earlier conversations say: the few passages that go with a
// message by themselves, and those that a model searches for (MEMORY_SEARCH).
//
// A session sees itself; the owner's others where the user chose that; a channel never
// more than itself. Nothing comes back that was reset or taken back, nothing that was said
// on Discord outside the session it was said in, and nothing that the model is shown
// anyway. What is found is quoted with who said it and when: it is no message of the user.
// The sources of a passage count as the turn's own from then on.
//
// The search of a message holds no turn up for longer than Config.Time and never fails it.
// A Passages belongs to one turn, which makes it.
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
	mostLooked    = 16   // hits that are looked at
	mostQuery     = 2000 // bytes of the message that are searched with
	quoteName     = "earlier conversations of the user, the newest last"
)

// Searcher finds what was said; recall.Index is one.
type Searcher interface {
	Search(ctx context.Context, q recall.Query) (recall.Answer, error)
}

// Config is what a Passages needs.
type Config struct {
	Session string
	Store   *sessionmem.Store
	Index   func() (Searcher, error) // nil where the session may not be searched from
	Across  bool                     // the owner's other sessions and memory may be seen
	Budget  int                      // characters of what goes with a message; 0 is nothing
	Time    time.Duration            // that a turn waits for it; 0 is 150 ms
	Guides  prompt.Guides
	// Window caps the history that a request holds, which begins with the message First
	// where that is known.
	Window transcript.Limits
	First  string
	Go     func(func())             // runs a search that the turn may leave behind
	Held   func(transcript.Sources) // told whose text the turn holds from now on
	Asked  func() string            // the id of the message that is answered
	Logger *slog.Logger
}

// Passages are what one turn finds of earlier conversations.
type Passages struct {
	c    Config
	used []transcript.Quotation
}

// New makes the Passages of a turn.
func New(c Config) *Passages { return &Passages{c: c} }

// Used are the passages that the answer is made with.
func (p *Passages) Used() []transcript.Quotation { return p.used }

// Use notes which passages the answer is made with.
func (p *Passages) Use(list []transcript.Quotation) {
	for _, q := range list {
		if !slices.ContainsFunc(p.used, func(u transcript.Quotation) bool { return u.Chunk == q.Chunk }) {
			p.used = append(p.used, q)
		}
		p.c.Held(q.Sources)
	}
}

// Searchable reports whether the session may be searched from.
func (p *Passages) Searchable() bool { return p.c.Index != nil }

// LookUp finds what goes with a message.
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

// scope is what the session may see.
func (p *Passages) scope() recall.Scope {
	if p.c.Across {
		return recall.Scope{}
	}
	return recall.Scope{Session: p.c.Session, NoMemory: true}
}

// quotable tells the chunks that may be quoted here. Of this session: not what was
// before a reset, which asked for a conversation that knows nothing of it, nor what was
// taken back by an edit. Of others: nothing that was said on Discord.
func (p *Passages) quotable(ctx context.Context) func(corpus.Chunk) bool {
	on, err := p.c.Store.Session(p.c.Session).Standing(ctx)
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

// notes are the passages that are worth it, within the budget of characters.
func (p *Passages) notes(ctx context.Context, text string) []transcript.Quotation {
	scope, budget := p.scope(), p.c.Budget
	scope.NoMemory = true // the prompt has it
	allowed := p.quotable(ctx)
	scope.Allow = func(c corpus.Chunk) bool {
		talk := c.Kind == corpus.KindUser || c.Kind == corpus.KindAssistant || c.Kind == corpus.KindSummary
		return talk && allowed(c)
	}
	query := strings.ToValidUTF8(text[:min(len(text), mostQuery)], "")
	if !asksSomething(query) {
		return nil
	}
	answer, err := p.search(ctx, recall.Query{Text: query, Limit: mostLooked, Scope: scope, HitsOnly: true})
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
		if h.Relevance < noteRelevance || len(list) == mostNotes || ctx.Err() != nil {
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

// shows reports whether the model is shown the text anyway.
func (in *inContext) shows(text string) bool {
	line := excerpt.OneLine(text)
	return slices.ContainsFunc(in.texts, func(s string) bool { return strings.Contains(s, line) })
}

// noteOf makes a note of a hit; false for one that says nothing new.
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

// Quoted is what goes below the message.
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
