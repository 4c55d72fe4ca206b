// Package recalltest tests what every search index promises: the same hits, ordered by the
// same rules, and the same forgetting, wherever the index keeps its data. It also starts the
// PostgreSQL servers of tests. Only tests import it.
package recalltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

// Backend is a search index of a data folder.
type Backend interface {
	Sync(ctx context.Context) (recall.Report, error)
	Search(ctx context.Context, q recall.Query) (recall.Answer, error)
	Chunks(ctx context.Context, session string) ([]corpus.Chunk, error)
	Chunk(ctx context.Context, id string) (corpus.Chunk, error)
	Erase(ctx context.Context, ids, sessions, files []string) error
	Close() error
}

// Params are what a backend is opened with.
type Params struct {
	Root, CacheDir string
	Store          *sessionmem.Store
	Memory         *memory.Memory
	Settings       func() recall.Settings
}

// Run tests a backend. open opens it; residue returns the places in its storage that still
// contain a word, or nil.
func Run(t *testing.T, open func(t *testing.T, p Params) Backend, residue func(t *testing.T, p Params, word string) []string) {
	for _, c := range []struct {
		name string
		test func(f *folder)
	}{
		{"what was said is found", found},
		{"hits come by score, then the newer, then the id", ordered},
		{"a scope keeps out what is not in it", scoped},
		{"cold sessions are left out and counted", cold},
		{"what changes is followed", followed},
		{"what is erased is nowhere", erased},
		{"odd questions have no hits and no error", odd},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFolder(t)
			f.Backend = open(t, f.Params)
			f.residue = residue
			t.Cleanup(func() {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
			c.test(f)
		})
	}
}

// folder is a data folder with an index.
type folder struct {
	*testing.T
	Backend
	Params
	residue func(t *testing.T, p Params, word string) []string
	now     time.Time
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	root := t.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &folder{T: t, now: time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)}
	f.Params = Params{Root: root, CacheDir: t.TempDir(), Store: store, Memory: memory.New(memory.Config{Root: root}), Settings: func() recall.Settings {
		return recall.Settings{TopK: 8, Strategy: recall.Lexical, ColdAfter: 90 * 24 * time.Hour}
	}}
	return f
}

// say appends messages to a session, each a minute after the last.
func (f *folder) say(session string, texts ...string) []transcript.Block {
	f.Helper()
	var out []transcript.Block
	for i, text := range texts {
		f.now = f.now.Add(time.Minute)
		kind := transcript.KindUser
		if i%2 == 1 {
			kind = transcript.KindAssistant
		}
		b, err := f.Store.Append(f.Context(), session, transcript.Block{Kind: kind, Text: text, Time: f.now})
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func (f *folder) remember(lines ...string) {
	f.Helper()
	dir := filepath.Join(f.Root, "agents")
	text := "- " + strings.Join(lines, "\n- ") + "\n"
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "memory.md"), []byte(text), 0o600)); err != nil {
		f.Fatal(err)
	}
}

func (f *folder) sync() {
	f.Helper()
	if _, err := f.Sync(f.Context()); err != nil {
		f.Fatal(err)
	}
}

func (f *folder) ask(q recall.Query) recall.Answer {
	f.Helper()
	if q.Now.IsZero() {
		q.Now = f.now
	}
	a, err := f.Search(f.Context(), q)
	if err != nil {
		f.Fatal(err)
	}
	return a
}

// texts returns the texts of the hits for a question.
func (f *folder) texts(question string) []string {
	f.Helper()
	var out []string
	for _, h := range f.ask(recall.Query{Text: question}).Hits {
		out = append(out, h.Text)
	}
	return out
}

// first returns the text of the best hit.
func (f *folder) first(question string) string {
	f.Helper()
	if all := f.texts(question); len(all) > 0 {
		return all[0]
	}
	return ""
}

func found(f *folder) {
	f.say("cpu-a", "Why is my fan loud?", "kernel_task runs hot, see thermald.conf:12.", "And the batteries?", "They were charged to 80 % yesterday.")
	f.say("cli-b", "Which sea did we sail on?", "You went across the Adriatic.")
	f.remember("prefers answers in Catalan")
	f.sync()
	for question, want := range map[string]string{
		"fan":                    "Why is my fan loud?",
		"kernel_task":            "kernel_task runs hot, see thermald.conf:12.",
		"thermald.conf:12":       "kernel_task runs hot, see thermald.conf:12.",
		"battery":                "And the batteries?", // another form of the word
		"charging":               "They were charged to 80 % yesterday.",
		"ADRIATIC":               "You went across the Adriatic.",
		"which language catalan": "prefers answers in Catalan",
	} {
		if got := f.texts(question); !slices.Contains(got, want) {
			f.Errorf("%q: %q, want %q among them", question, got, want)
		}
	}
	if got := f.texts("sea sail"); !slices.Contains(got, "You went across the Adriatic.") {
		f.Errorf("%q: the answer is not found by the words of its question", got)
	}
	h := f.ask(recall.Query{Text: "Adriatic"}).Hits[0]
	if h.Session != "cli-b" || h.Source != "cli" || h.Kind != corpus.KindAssistant || h.Turn != 1 || h.Score <= 0 || h.Score > 1 || h.ID != "cli-b/"+h.Block+"/0" {
		f.Errorf("%+v", h)
	}
	if c, err := f.Chunk(f.Context(), h.ID); err != nil || c.Text != h.Text {
		f.Errorf("Chunk: %+v %v", c, err)
	}
	if all, err := f.Chunks(f.Context(), "cpu-a"); err != nil || len(all) != 4 || all[2].Text != "And the batteries?" {
		f.Errorf("Chunks: %+v %v", all, err)
	}
}

func ordered(f *folder) {
	for i := range 5 {
		f.say(fmt.Sprintf("cpu-s%d", i), "the otter swims")
	}
	f.sync()
	hits := f.ask(recall.Query{Text: "otter", Limit: 20}).Hits
	if len(hits) != 5 {
		f.Fatalf("%d hits, want 5", len(hits))
	}
	for i, h := range hits[1:] {
		before := hits[i]
		if before.Score < h.Score || before.Score == h.Score && (before.Time.Before(h.Time) || before.Time.Equal(h.Time) && before.ID > h.ID) {
			f.Errorf("%s (%v, %s) comes before %s (%v, %s)", before.ID, before.Score, before.Time, h.ID, h.Score, h.Time)
		}
	}
	if a := f.ask(recall.Query{Text: "otter", Limit: 2}); len(a.Hits) != 2 {
		f.Errorf("%d hits, want the 2 asked for", len(a.Hits))
	}
}

func scoped(f *folder) {
	for _, name := range []string{"cpu-a", "cli-b", "discord-c"} {
		f.say(name, "the otter swims in "+name)
	}
	f.remember("likes the otter")
	f.sync()
	for _, c := range []struct {
		scope recall.Scope
		want  string
	}{
		{recall.Scope{}, "cli-b cpu-a discord-c memory"},
		{recall.Scope{Session: "cpu-a"}, "cpu-a"},
		{recall.Scope{NotSession: "cpu-a"}, "cli-b discord-c memory"},
		{recall.Scope{Sources: []string{"cpu", "cli"}, NoMemory: true}, "cli-b cpu-a"},
		{recall.Scope{Allow: func(c corpus.Chunk) bool { return c.Kind == corpus.KindMemory }}, "memory"},
	} {
		var got []string
		for _, h := range f.ask(recall.Query{Text: "otter", Scope: c.scope}).Hits {
			got = append(got, h.Session)
			if h.Kind == corpus.KindMemory {
				got[len(got)-1] = "memory"
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			f.Errorf("%+v: %v, want %s", c.scope, got, c.want)
		}
	}
}

func cold(f *folder) {
	f.say("cpu-old", "the otter swims", "it does")
	old := f.now
	f.now = f.now.AddDate(0, 6, 0)
	f.say("cpu-new", "the otter sleeps")
	f.sync()
	if a := f.ask(recall.Query{Text: "otter"}); len(a.Hits) != 1 || a.Hits[0].Session != "cpu-new" || a.State.Cold != 2 {
		f.Errorf("%d hits, %d cold; want the new one, and 2 cold ones counted", len(a.Hits), a.State.Cold)
	}
	if a := f.ask(recall.Query{Text: "otter", Cold: true}); a.State.Cold != 0 || !slices.ContainsFunc(a.Hits, func(h recall.Hit) bool { return h.Session == "cpu-old" }) {
		f.Errorf("with the cold ones: %+v", a)
	}
	if a := f.ask(recall.Query{Text: "the otter in " + old.Format("January 2006")}); !slices.ContainsFunc(a.Hits, func(h recall.Hit) bool { return h.Session == "cpu-old" }) {
		f.Errorf("where the question names that time: %+v", a)
	}
}

func followed(f *folder) {
	f.say("cpu-a", "the otter swims")
	if a := f.ask(recall.Query{Text: "otter"}); len(a.Hits) != 0 || a.State.Behind != 1 {
		f.Errorf("before a sync: %d hits, %v; want 1 file behind", len(a.Hits), a.State)
	}
	f.sync()
	id := f.ask(recall.Query{Text: "otter"}).Hits[0].ID
	f.say("cpu-a", "the heron flies")
	f.sync()
	if got := f.first("heron"); got != "the heron flies" {
		f.Errorf("a new turn: %q", got)
	}
	if a := f.ask(recall.Query{Text: "otter"}); a.Hits[0].ID != id || a.State.Behind != 0 {
		f.Errorf("%+v, want %s still", a, id)
	}
	files, err := filepath.Glob(filepath.Join(f.Root, "session", "*.md"))
	if err != nil || len(files) != 1 {
		f.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), "heron", "stork", 1)), 0o600); err != nil {
		f.Fatal(err)
	}
	f.sync()
	if len(f.texts("heron")) != 0 || f.first("stork") != "the stork flies" {
		f.Errorf("an edit: %q %q", f.texts("heron"), f.first("stork"))
	}
	if err := os.Remove(files[0]); err != nil {
		f.Fatal(err)
	}
	f.sync()
	if got := f.texts("otter stork"); len(got) != 0 {
		f.Errorf("a session that is gone is found: %q", got)
	}
}

func erased(f *folder) {
	blocks := f.say("cpu-a", "good morning", "the zyzzyva crawls", "the otter swims")
	f.say("cpu-b", "the xoloitzcuintle barks")
	f.remember("likes the quokka")
	f.sync()
	for _, word := range []string{"zyzzyva", "xoloitzcuintl", "quokka"} {
		if len(f.residue(f.T, f.Params, word)) == 0 {
			f.Fatalf("%s is nowhere before it is erased: this proves nothing", word)
		}
	}
	if err := f.Erase(f.Context(), []string{"cpu-a/" + blocks[1].ID + "/0", "cpu-a/nothing/0"}, []string{"cpu-b"}, []string{"agents/memory.md"}); err != nil {
		f.Fatal(err)
	}
	for _, word := range []string{"zyzzyva", "xoloitzcuintl", "quokka"} {
		if left := f.residue(f.T, f.Params, word); len(left) > 0 {
			f.Errorf("%s is left in %v", word, left)
		}
		for _, h := range f.ask(recall.Query{Text: word}).Hits {
			if strings.Contains(h.Text, word) {
				f.Errorf("%s is found: %+v", word, h)
			}
		}
	}
	if got := f.first("otter"); got != "the otter swims" {
		f.Errorf("%q, want that the others are found", got)
	}
}

func odd(f *folder) {
	f.say("cpu-a", "the otter swims")
	f.sync()
	for _, q := range []string{"", " \n", `"`, `" OR *`, "\x00\xff", "🦦", "zzzz", strings.Repeat("y", 1<<20)} {
		if a := f.ask(recall.Query{Text: q}); len(a.Hits) != 0 || a.State.Err != nil {
			f.Errorf("%.10q: %d hits, %v", q, len(a.Hits), a.State.Err)
		}
	}
	if a := f.ask(recall.Query{Text: strings.Repeat("otter ", 1<<17)}); len(a.Hits) != 1 {
		f.Errorf("a huge question: %d hits, want 1", len(a.Hits))
	}
}
