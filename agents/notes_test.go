package agents

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

// notes returns what is sent with a message.
func (r *recalling) notes(text string) []transcript.Quotation {
	return r.idle().lookUp(r.t.Context(), text)
}

const (
	port  = "The zephyr proxy listens on port 8443 since the move."
	asked = "Which port does the zephyr proxy listen on?"
)

// With a message go the passages of earlier conversations that may answer it.
func TestNotesOfEarlierConversations(t *testing.T) {
	ask, answer := storetest.User, storetest.Assistant
	from := func(b transcript.Block, source string) transcript.Block {
		b.Attrs = map[string]string{"author": "4711", "name": source}
		return b
	}
	for _, tc := range []struct {
		name   string
		text   string // "" for the question
		set    func(r *recalling)
		blocks map[string][]transcript.Block
		want   string // part of a note; "" for no note
	}{
		{"a fact", "", nil, map[string][]transcript.Block{"cpu-old": {ask(port), answer("Noted.")}}, "port 8443 since the move"},
		{"a question with its answer", "", nil, map[string][]transcript.Block{"cpu-old": {ask("Hm, which port does that zephyr proxy of ours listen on?"), answer("On 8443, behind the wall.")}}, "of ours listen on? – answered: On 8443, behind the wall."},
		{"a question without an answer", "", nil, map[string][]transcript.Block{"cpu-old": {ask("Hm, which port does that zephyr proxy of ours listen on today?")}}, ""},
		{"nothing new", "", nil, map[string][]transcript.Block{"cpu-old": {ask("The zephyr proxy does listen on a port.")}}, ""},
		{"thanks", "Thanks!", nil, map[string][]transcript.Block{"cpu-old": {ask("Thanks!"), answer("You're welcome.")}}, ""},
		{"a capital NOT", "Why does the zephyr proxy NOT listen?", nil, map[string][]transcript.Block{"cpu-old": {ask(port), answer("Noted.")}}, "port 8443 since the move"},
		{"another subject", "What is the weather in Bergen like?", nil, map[string][]transcript.Block{"cpu-old": {ask(port)}}, ""},
		{"in the history anyway", "", nil, map[string][]transcript.Block{testSession: {ask(port), answer("Noted.")}}, ""},
		{"the same words in the history", "", nil, map[string][]transcript.Block{"cpu-old": {ask(port)}, testSession: {ask(port)}}, ""},
		{"left out of the history", "", func(r *recalling) { r.settings.MaxMessages = 2 }, map[string][]transcript.Block{testSession: {ask(port), answer("Noted."), ask("And now?"), answer("Now what?")}}, "port 8443"},
		{"other sessions, until that was chosen", "", func(r *recalling) { r.settings.CrossSession = false }, map[string][]transcript.Block{"cpu-old": {ask(port)}}, ""},
		{"where nothing is sent", "", func(r *recalling) { r.settings.NotesBudget = 0 }, map[string][]transcript.Block{"cpu-old": {ask(port)}}, ""},
		{"larger than the budget", "", func(r *recalling) { r.settings.NotesBudget = 20 }, map[string][]transcript.Block{"cpu-old": {ask(port)}}, ""},
		{"from Discord", "", nil, map[string][]transcript.Block{"discord-5": {from(ask(port), "Anna")}}, ""},
		{"without an index", "", func(r *recalling) { r.engine.p.Recall = nil }, map[string][]transcript.Block{"cpu-old": {ask(port)}}, ""},
		{"an index that can't be opened", "", func(r *recalling) {
			r.engine.p.Recall = func() (Searcher, error) { return nil, errors.New("the cache folder is gone") }
		}, map[string][]transcript.Block{"cpu-old": {ask(port)}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRecalling(t, ollamaScript("Fine."))
			for session, blocks := range tc.blocks {
				r.said(session, blocks...)
			}
			if tc.set != nil {
				tc.set(r)
			}
			text := tc.text
			if text == "" {
				text = asked
			}
			notes := r.notes(text)
			quoted := r.idle().quoteNotes(notes)
			if tc.want == "" {
				if len(notes) > 0 || quoted != "" {
					t.Errorf("sent: %s", quoted)
				}
				return
			}
			if len(notes) == 0 || !strings.Contains(quoted, tc.want) || !strings.Contains(quoted, "from "+strings.Split(notes[0].Chunk, "/")[0]+"/") {
				t.Errorf("sent: %s", quoted)
			}
		})
	}
}

// Notes are in order of time, at most four, and never more than their budget.
func TestNotesAreFewAndInOrder(t *testing.T) {
	r := newRecalling(t, ollamaScript("Fine."))
	r.settings.NotesBudget = 1200
	for i := range 6 {
		filler := strings.Repeat(fmt.Sprintf("Lorem%d ipsum dolor sit amet. ", i), 8)
		b := storetest.Ago(time.Duration(60-i)*time.Hour, filler+fmt.Sprintf("The zephyr proxy listens on port 844%d. ", i)+filler)
		r.said(fmt.Sprintf("cpu-old%d", i), b)
	}
	notes, size := r.notes(asked), 0
	for i, n := range notes {
		size += len([]rune(n.Text))
		if !strings.Contains(n.Text, "port 844") || i > 0 && n.Time.Before(notes[i-1].Time) {
			t.Errorf("%d: %s %q", i, n.Time, n.Text)
		}
	}
	if len(notes) == 0 || len(notes) > 4 || size > 1200 {
		t.Errorf("%d notes of %d characters", len(notes), size)
	}
}

// A turn waits 150 ms for the notes, if nobody set another time.
func TestATurnWaitsBrieflyForNotes(t *testing.T) {
	store := storetest.Open(t, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		p := Params{Store: store, Recall: func() (Searcher, error) { return hanging{}, nil }, RecallTime: func() time.Duration { return 0 }}
		idle := newTurn(&Engine{p: p, log: slog.New(slog.DiscardHandler), last: map[string]lastTurn{}}, nil, Request{Session: testSession})
		idle.settings.NotesBudget = 1500
		began := time.Now()
		if notes := idle.lookUp(t.Context(), asked); notes != nil || time.Since(began) != 150*time.Millisecond {
			t.Errorf("after %s: %+v", time.Since(began), notes)
		}
	})
}

// MEMORY_SEARCH quotes what it finds with its origin, and the turn takes on its sources.
func TestTheModelSearches(t *testing.T) {
	r := newRecalling(t, ollamaScript("Fine."))
	page := storetest.Assistant("The page says: the zephyr proxy was moved to port 9000.")
	r.said("cpu-old", storetest.User("The zephyr proxy:\nFETCH_URL: https://example.org\nport 8443"), page)
	message := storetest.Append(t, r.store, testSession, storetest.Ago(time.Second, "Look for the zephyr port"))
	r.sync()
	idle := r.idle()
	idle.message = message
	for _, call := range []*tools.Call{{Arg: "zephyr port"}, {Args: map[string]any{"query": "zephyr port"}}} {
		result, err := tools.Find(idle.own, tools.MemorySearch).Run(t.Context(), call)
		filetest.Must(t, err)
		if !strings.Contains(result.Text, "from cpu-old/") || !strings.Contains(result.Text, ", user: The zephyr proxy:") || !strings.Contains(result.Text, "The index is ") || strings.Contains(result.Text, "Look for") || result.Quote == "" {
			t.Errorf("%+v", result)
		}
		if len(result.Recalled) == 0 || len(idle.used) != len(result.Recalled) {
			t.Errorf("%d found, the answer names %d", len(result.Recalled), len(idle.used))
		}
	}
	if _, err := idle.searchMemory(t.Context(), &tools.Call{Arg: " "}); err == nil || !strings.Contains(err.Error(), "there is no query") {
		t.Errorf("no query: %v", err)
	}
	for _, across := range []bool{true, false} {
		r.settings.CrossSession = across
		if doc := tools.Find(r.idle().own, tools.MemorySearch).Doc(); strings.Contains(doc.Description, "the memory") != across {
			t.Errorf("across sessions %v: %q", across, doc.Description)
		}
	}
	idle.use([]transcript.Quotation{{Chunk: "x/1/0", Sources: transcript.FromPage}})
	if !idle.may.Sources().Has(transcript.FromPage) {
		t.Errorf("held: %v", idle.may.Sources())
	}
}

func TestAPassageIsThePartWithTheQueryWords(t *testing.T) {
	long := strings.Repeat("Nothing of it. ", 60) + "The zephyr proxy listens on port 8443. " + strings.Repeat("And so on. ", 60)
	for name, c := range map[string]struct{ text, query, want string }{
		"short, in one line":      {"It listens\n on 8443.", "zephyr", "It listens on 8443."},
		"the words in the middle": {long, "which port has the zephyr proxy?", "zephyr proxy listens on port 8443"},
		"a line like a call":      {"Likes tea.\nMEMORY_APPEND: x\nAnd coffee.", "tea", "Likes tea. MEMORY_APPEND: x And coffee."},
	} {
		got := passage(c.text, c.query, noteChars)
		if !strings.Contains(got, c.want) || utf8.RuneCountInString(got) > noteChars {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestSourcesOfAHit(t *testing.T) {
	var typed, page recall.Hit
	page.Sources = transcript.FromPage
	said := typed
	said.Source = "discord"
	odd := typed
	odd.Untrusted = true
	for name, c := range map[string]struct {
		hit  recall.Hit
		want transcript.Sources
	}{
		"typed": {typed, 0}, "a page's": {page, transcript.FromPage}, "said on Discord": {said, transcript.FromDiscord},
		"nobody can tell": {odd, transcript.FromUnknown},
	} {
		if got := sourcesOf(c.hit); got != c.want || SaidOnDiscord(c.hit) != (name == "said on Discord") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPassagesWorthANote(t *testing.T) {
	if asksSomething("Thanks!") || !asksSomething("Where is the zephyr proxy?") {
		t.Error("thanks are no question, and a question is one")
	}
	if news("the zephyr proxy", "where is the zephyr proxy?") != 0 || news("port 8443", "which port?") != 4 {
		t.Error("only words that the message lacks are news")
	}
}
