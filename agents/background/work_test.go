package background

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

const longMessage = "My fan is loud whenever I compile something large, what could be the reason for that?"

// working returns the work over a real store with a small model that gives these answers.
func working(t *testing.T, size string, answers ...string) (*Work, *sessionmem.Store, *Config) {
	t.Helper()
	small, _ := summarising(t, 8192, size, answers...)
	store := storetest.Open(t, t.TempDir())
	w := NewWork(Config{
		Store: store, Small: small, Titles: func() bool { return true }, Loaded: func(context.Context, string) bool { return true },
		Busy: func(string) bool { return false }, Logger: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(w.Close)
	return w, store, &w.c
}

// talk writes n messages of an exchange.
func talk(t *testing.T, store *sessionmem.Store, session string, n int) {
	t.Helper()
	for i := range n {
		b := storetest.User(longMessage)
		if i%2 == 1 {
			b = storetest.Assistant("Perhaps dust.")
		}
		storetest.Append(t, store, session, b)
	}
}

func titleOf(t *testing.T, store *sessionmem.Store) string {
	t.Helper()
	list, err := store.List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0].Title
}

// A session is named once, after its first answer, by a model that is loaded anyway.
func TestSessionsAreNamed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		size   string
		answer string
		n      int // messages
		set    func(c *Config)
		named  bool
	}{
		{"after the first answer", "8B", "**Title:** Loud fan", 2, nil, true},
		{"before an answer", "8B", "Loud fan", 1, nil, false},
		{"later", "8B", "Loud fan", 4, nil, false},
		{"with an answer that is no title", "8B", "I'm sorry, I can't", 2, nil, false},
		{"by a tiny model", "0.5B", "Loud fan", 2, nil, false},
		{"by a model that isn't loaded", "8B", "Loud fan", 2, func(c *Config) { c.Loaded = func(context.Context, string) bool { return false } }, false},
		{"where that can't be told", "8B", "Loud fan", 2, func(c *Config) { c.Loaded = nil }, false},
		{"switched off", "8B", "Loud fan", 2, func(c *Config) { c.Titles = func() bool { return false } }, false},
		{"during a turn", "8B", "Loud fan", 2, func(c *Config) { c.Busy = func(string) bool { return true } }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, store, c := working(t, tc.size, tc.answer, tc.answer)
			told := ""
			c.Named = func(session string) { told = session }
			if tc.set != nil {
				tc.set(c)
			}
			talk(t, store, "cpu-a", tc.n)
			w.Begin("cpu-a", Filled{})
			w.Wait()
			if got := titleOf(t, store) == "Loud fan"; got != tc.named || (told == "cpu-a") != tc.named {
				t.Errorf("the title is %q, told %q", titleOf(t, store), told)
			}
			w.Begin("cpu-a", Filled{}) // it has a title, or no model gives one now
			w.Wait()
		})
	}
}

// A title is made of the files' names too, and never replaces one that a person gave.
func TestWhatATitleIsMadeOf(t *testing.T) {
	small, server := summarising(t, 8192, "8B", "A plan of the house")
	loaded := func(context.Context, string) bool { return true }
	ask := storetest.User(transcript.WithLinks("look", transcript.Attachment{Name: "plan.txt", File: strings.Repeat("a", 64) + ".txt"}))
	title, by := small.Title(t.Context(), "", loaded, ask, storetest.Assistant("It is a house."))
	if title != "A plan of the house" || !strings.HasPrefix(by, "small") {
		t.Errorf("%q by %q", title, by)
	}
	chats := server.Chats()
	if sent := chats[len(chats)-1].Chat.Messages[1].Content; !strings.Contains(sent, "Files: plan.txt\nMessage: look\nAnswer: It is a house.") {
		t.Errorf("sent %q", sent)
	}
	for text, want := range map[string]bool{"Hi": false, longMessage: true, "two\nlines": true, "": true} {
		window := transcript.Context{Total: 2, Messages: []transcript.Block{storetest.User(text), storetest.Assistant("x")}}
		if got := lacksTitle(window); got != want {
			t.Errorf("%q lacks a title: %v", text, got)
		}
		window.Titled = true
		if lacksTitle(window) {
			t.Errorf("%q has a title", text)
		}
	}
}

func compaction(t *testing.T, store *sessionmem.Store, small compact.Summarizer) *compact.Compaction {
	t.Helper()
	return compact.New(compact.Config{
		Store: store, Summarizer: small, Policy: func() compact.Policy { return compact.Policy{} },
		Lessons: compact.MemoryLessons{Memory: memory.New(memory.Config{Root: t.TempDir()}), Store: store, Write: func() string { return "off" }},
	})
}

// A session that is due is summarised, and the app is told.
func TestDueSessionsAreSummarised(t *testing.T) {
	for _, tc := range []struct {
		name string
		n    int
		last Filled
		due  bool
	}{
		{"after many messages", 8, Filled{}, true},
		{"with a full context", 6, Filled{Percent: 95, History: 10}, true},
		{"a short one", 6, Filled{Percent: 20}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			digest := `{"context":"The user asked: ` + longMessage + `","lessons":[],"people":[]}`
			w, store, c := working(t, "8B", digest, digest)
			c.Loaded = nil // it isn't named
			c.Compactor = compaction(t, store, c.Small)
			done := 0
			c.Compacted = func(compact.Result) { done++ }
			talk(t, store, "cpu-a", tc.n)
			w.Begin("cpu-a", tc.last)
			w.Begin("cpu-a", tc.last) // it is repeated afterwards, because the first may have read it before
			w.Wait()
			now, err := store.Context(t.Context(), "cpu-a")
			if err != nil || (now.Summary != nil) != tc.due || (done == 1) != tc.due {
				t.Errorf("%d told, Summary %+v, %v", done, now.Summary, err)
			}
		})
	}
}

// Stopped work ends without a Summary, and the next work waits for it. Closed, no work
// begins.
func TestStoppedWork(t *testing.T) {
	w, store, c := working(t, "8B")
	c.Loaded = nil
	begun, ended := make(chan bool, 2), make(chan error, 2)
	c.Compactor = compaction(t, store, waiting{begun, ended})
	talk(t, store, "cpu-a", 8)
	w.Begin("cpu-a", Filled{})
	<-begun
	w.Stop("cpu-a")
	w.Stop("cpu-none")
	w.Begin("cpu-a", Filled{}) // waits for the first
	if err := <-ended; err == nil {
		t.Error("the first wasn't stopped")
	}
	<-begun
	w.Close()
	if err := <-ended; err == nil {
		t.Error("closing didn't stop it")
	}
	w.Begin("cpu-a", Filled{})
	select {
	case <-begun:
		t.Error("begun after closing")
	case <-time.After(10 * time.Millisecond):
	}
	if now, err := store.Context(t.Context(), "cpu-a"); err != nil || now.Summary != nil {
		t.Errorf("%+v, %v", now.Summary, err)
	}
}

// waiting summarises until it is stopped.
type waiting struct {
	begun chan bool
	ended chan error
}

func (s waiting) Summarize(ctx context.Context, _ string, _ *transcript.Block, _ []transcript.Block) (compact.Digest, error) {
	s.begun <- true
	<-ctx.Done()
	s.ended <- ctx.Err()
	return compact.Digest{}, ctx.Err()
}
