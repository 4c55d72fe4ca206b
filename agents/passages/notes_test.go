package passages_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/agents/passages"
	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

// rig is a turn that searches a real index of real sessions.
type rig struct {
	t      *testing.T
	store  *sessionmem.Store
	index  *recall.Index
	config passages.Config
	held   transcript.Sources
}

func newRig(t *testing.T) *rig {
	t.Helper()
	root := t.TempDir()
	r := &rig{t: t, store: storetest.Open(t, root)}
	var err error
	r.index, err = recall.Open(recall.Config{Root: root, CacheDir: t.TempDir(), Store: r.store})
	filetest.Must(t, err)
	t.Cleanup(func() { filetest.Must(t, r.index.Close()) })
	guides, err := prompt.LoadGuides(os.DirFS("../../assets"))
	filetest.Must(t, err)
	r.config = passages.Config{
		Session: "cpu-new", Store: r.store, Index: func() (passages.Searcher, error) { return r.index, nil },
		Across: true, Budget: 1500, Time: 20 * time.Second, Guides: guides, Window: transcript.Limits{Messages: 20, Tokens: 8192},
		Go: func(search func()) { go search() }, Held: func(s transcript.Sources) { r.held |= s },
		Asked: func() string { return "" }, Logger: slog.New(slog.DiscardHandler),
	}
	return r
}

// said writes blocks to a session, two days ago and a minute apart, and indexes them.
func (r *rig) said(session string, blocks ...transcript.Block) (written []transcript.Block) {
	r.t.Helper()
	for i, b := range blocks {
		if b.Time.IsZero() {
			b.Time = time.Now().Add(-48*time.Hour + time.Duration(i)*time.Minute)
		}
		written = append(written, storetest.Append(r.t, r.store, session, b))
	}
	_, err := r.index.Sync(r.t.Context())
	filetest.Must(r.t, err)
	return written
}

// notes returns what is sent with a message.
func (r *rig) notes(text string) []transcript.Quotation {
	return passages.New(r.config).LookUp(r.t.Context(), text)
}

const (
	question = "Which port does the zephyr proxy listen on?"
	fact     = "The zephyr proxy listens on port 8443 since the move."
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
		set    func(r *rig)
		blocks map[string][]transcript.Block
		want   string // part of a note; "" for no note
	}{
		{"a fact", "", nil, map[string][]transcript.Block{"cpu-old": {ask(fact), answer("Noted.")}}, "port 8443 since the move"},
		{"a question with its answer", "", nil, map[string][]transcript.Block{"cpu-old": {ask("Hm, which port does that zephyr proxy of ours listen on?"), answer("On 8443, behind the wall.")}}, "of ours listen on? – answered: On 8443, behind the wall."},
		{"a question without an answer", "", nil, map[string][]transcript.Block{"cpu-old": {ask("Hm, which port does that zephyr proxy of ours listen on today?")}}, ""},
		{"nothing new", "", nil, map[string][]transcript.Block{"cpu-old": {ask("The zephyr proxy does listen on a port.")}}, ""},
		{"thanks", "Thanks!", nil, map[string][]transcript.Block{"cpu-old": {ask("Thanks!"), answer("You're welcome.")}}, ""},
		{"a capital NOT", "Why does the zephyr proxy NOT listen?", nil, map[string][]transcript.Block{"cpu-old": {ask(fact), answer("Noted.")}}, "port 8443 since the move"},
		{"another subject", "What is the weather in Bergen like?", nil, map[string][]transcript.Block{"cpu-old": {ask(fact)}}, ""},
		{"in the history anyway", "", nil, map[string][]transcript.Block{"cpu-new": {ask(fact), answer("Noted.")}}, ""},
		{"the same words in the history", "", nil, map[string][]transcript.Block{"cpu-old": {ask(fact)}, "cpu-new": {ask(fact)}}, ""},
		{"left out of the history", "", func(r *rig) { r.config.Window.Messages = 2 }, map[string][]transcript.Block{"cpu-new": {ask(fact), answer("Noted."), ask("And now?"), answer("Now what?")}}, "port 8443"},
		{"other sessions, until that was chosen", "", func(r *rig) { r.config.Across = false }, map[string][]transcript.Block{"cpu-old": {ask(fact)}}, ""},
		{"where nothing is sent", "", func(r *rig) { r.config.Budget = 0 }, map[string][]transcript.Block{"cpu-old": {ask(fact)}}, ""},
		{"larger than the budget", "", func(r *rig) { r.config.Budget = 20 }, map[string][]transcript.Block{"cpu-old": {ask(fact)}}, ""},
		{"from Discord", "", nil, map[string][]transcript.Block{"discord-5": {from(ask(fact), "Anna")}}, ""},
		{"without an index", "", func(r *rig) { r.config.Index = nil }, map[string][]transcript.Block{"cpu-old": {ask(fact)}}, ""},
		{"an index that can't be opened", "", func(r *rig) {
			r.config.Index = func() (passages.Searcher, error) { return nil, errors.New("the cache folder is gone") }
		}, map[string][]transcript.Block{"cpu-old": {ask(fact)}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			for session, blocks := range tc.blocks {
				r.said(session, blocks...)
			}
			if tc.set != nil {
				tc.set(r)
			}
			text := tc.text
			if text == "" {
				text = question
			}
			notes := r.notes(text)
			quoted := passages.New(r.config).Quoted(notes)
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

// Messages before a reset and messages that an edit retracted are neither sent nor found.
func TestRetractedMessagesAreNotFound(t *testing.T) {
	r := newRig(t)
	r.config.Window.Messages = 1
	r.said("cpu-new", storetest.User(fact), storetest.Assistant("Noted."))
	filetest.Must(t, r.store.Reset(t.Context(), "cpu-new"))
	r.said("cpu-new", storetest.Ago(time.Minute, "Hello again."), storetest.Assistant("Hello."))
	if notes := r.notes(question); len(notes) > 0 {
		t.Errorf("sent: %+v", notes)
	}
	result, err := passages.New(r.config).Tool().Run(t.Context(), tools.Call{Arg: "zephyr port"})
	if err != nil || strings.Contains(result.Text, "zephyr") || !strings.Contains(result.Text, "The index is ") {
		t.Errorf("found: %q, %v", result.Text, err)
	}
}

// Notes are in order of time, at most four, and never more than their budget.
func TestNotesAreFewAndInOrder(t *testing.T) {
	r := newRig(t)
	r.config.Budget = 1200
	for i := range 6 {
		filler := strings.Repeat(fmt.Sprintf("Lorem%d ipsum dolor sit amet. ", i), 8)
		b := storetest.Ago(time.Duration(60-i)*time.Hour, filler+fmt.Sprintf("The zephyr proxy listens on port 844%d. ", i)+filler)
		r.said(fmt.Sprintf("cpu-old%d", i), b)
	}
	notes, size := r.notes(question), 0
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

// hanging is an index on a disk that doesn't respond.
type hanging struct{}

func (hanging) Search(ctx context.Context, _ recall.Query) (recall.Answer, error) {
	<-ctx.Done()
	return recall.Answer{}, context.Cause(ctx)
}

// A slow or broken index never delays or fails the turn; a search by the model says why.
func TestASlowIndexDoesNotDelayTheTurn(t *testing.T) {
	r := newRig(t)
	r.config.Index = func() (passages.Searcher, error) { return hanging{}, nil }
	r.config.Time = time.Millisecond
	if notes := r.notes(question); notes != nil {
		t.Errorf("%+v", notes)
	}
	synctest.Test(t, func(t *testing.T) {
		r.config.Time = 0 // as for a turn
		began := time.Now()
		if notes := passages.New(r.config).LookUp(t.Context(), question); notes != nil || time.Since(began) != 150*time.Millisecond {
			t.Errorf("after %s: %+v", time.Since(began), notes)
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := passages.New(r.config).Tool().Run(ctx, tools.Call{Arg: "zephyr"}); err == nil || !strings.HasPrefix(err.Error(), "searching: ") {
		t.Errorf("the search: %v", err)
	}
}

// MEMORY_SEARCH quotes what it finds with its origin, and the turn takes on its sources.
func TestTheModelSearches(t *testing.T) {
	r := newRig(t)
	page := storetest.Assistant("The page says: the zephyr proxy was moved to port 9000.")
	r.said("cpu-old", storetest.User("The zephyr proxy:\nFETCH_URL: https://example.org\nport 8443"), page)
	asked := r.said("cpu-new", storetest.Ago(time.Second, "Look for the zephyr port"))[0]
	r.config.Asked = func() string { return asked.ID }
	p := passages.New(r.config)
	if !p.Searchable() {
		t.Error("the session may search")
	}
	for _, call := range []tools.Call{{Arg: "zephyr port"}, {Args: map[string]any{"query": "zephyr port"}}} {
		result, err := p.Tool().Run(t.Context(), call)
		filetest.Must(t, err)
		if !strings.Contains(result.Text, "from cpu-old/") || !strings.Contains(result.Text, ", user: The zephyr proxy:") || !strings.Contains(result.Text, "The index is ") || strings.Contains(result.Text, "Look for") || result.Quote == "" {
			t.Errorf("%+v", result)
		}
		if len(result.Recalled) == 0 || len(p.Used()) != len(result.Recalled) {
			t.Errorf("%d found, the answer names %d", len(result.Recalled), len(p.Used()))
		}
	}
	if _, err := p.Tool().Run(t.Context(), tools.Call{Arg: " "}); err == nil || !strings.Contains(err.Error(), "there is no query") {
		t.Errorf("no query: %v", err)
	}
	r.config.Across = false
	for _, across := range []bool{true, false} {
		r.config.Across = across
		if doc := passages.New(r.config).Tool().Doc(); strings.Contains(doc.Description, "the memory") != across {
			t.Errorf("across sessions %v: %q", across, doc.Description)
		}
	}
	p.Use([]transcript.Quotation{{Chunk: "x/1/0", Sources: transcript.FromPage}})
	if !r.held.Has(transcript.FromPage) {
		t.Errorf("held: %v", r.held)
	}
}
