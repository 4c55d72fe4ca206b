package compact

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// lessonRig is a MemoryLessons over real files. The agent 002 is called coder.
type lessonRig struct {
	t     *testing.T
	store *sessionmem.Store
	m     *memory.Memory
	sink  MemoryLessons
	log   strings.Builder
	write string
	place Place
}

func newLessonRig(t *testing.T) *lessonRig {
	t.Helper()
	r := &lessonRig{t: t, write: "auto"}
	root := t.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	r.store, r.m = store, memory.New(memory.Config{Root: root, Budget: func(memory.Target) int { return 200 }})
	writeFile(t, r.m.Path(memory.Target{Kind: memory.TargetAgent, ID: "002"}), "")
	r.sink = MemoryLessons{
		Memory: r.m, Store: store, Write: func() string { return r.write },
		Own: func(s string) (memory.Target, bool) {
			return memory.Target{Kind: memory.TargetAgent, ID: "002"}, s == "coder"
		},
		Place:  func(string) Place { return r.place },
		Logger: slog.New(slog.NewTextHandler(&r.log, nil)),
	}
	return r
}

func (r *lessonRig) keep(l Learnt) Kept {
	r.t.Helper()
	kept, err := r.sink.Keep(r.t.Context(), l)
	must(r.t, err)
	return kept
}

// where returns what was written and what waits: "global", "inbox:agent 002 (strangers)".
func where(k Kept) string {
	var words []string
	for _, w := range k.Written {
		words = append(words, w.Target.String())
	}
	for _, p := range k.Proposed {
		words = append(words, fmt.Sprintf("inbox:%s (%s)", p.Target, p.Why))
	}
	return strings.Join(words, ", ")
}

func TestLessonTargets(t *testing.T) {
	lesson := memory.Lesson{Text: "Tabs in Go, spaces in YAML", Confidence: 0.9}
	anna := memory.Lesson{Text: "Anna: lives in Oslo", About: "Anna", Confidence: 0.9}
	guild := memory.Lesson{Text: "Server: meets on Fridays", About: "the server", Confidence: 0.9}
	mapped := Place{Agent: "coder", Server: "9", Person: func(name string) string { return map[string]string{"Anna": "77"}[name] }}
	unmapped := Place{Server: mapped.Server, Person: mapped.Person}
	for _, tc := range []struct {
		name  string
		l     Learnt
		les   memory.Lesson
		write string
		place Place
		want  string
	}{
		{"on request, no agent chosen", Learnt{Session: "cpu-a"}, lesson, "auto", Place{}, "global"},
		{"on request, an agent chosen", Learnt{Session: "cpu-a", Agent: "coder"}, lesson, "auto", Place{}, "global, agent 002"},
		{"on request, the default agent", Learnt{Session: "cpu-a", Agent: "orchestrator"}, lesson, "auto", Place{}, "global"},
		{"periodic", Learnt{Session: "cpu-a", Agent: "coder", Periodic: true}, lesson, "auto", Place{}, "global"},
		{"periodic, mapped", Learnt{Session: "cli-a", Periodic: true}, lesson, "auto", Place{Agent: "coder"}, "agent 002"},
		{"a person who is no more than a name", Learnt{Session: "cpu-a", Agent: "coder"}, anna, "auto", Place{}, "global"},
		{"strangers", Learnt{Session: "cpu-a", Agent: "coder", Sources: transcript.FromPage}, lesson, "auto", Place{}, "inbox:global (strangers), inbox:agent 002 (strangers)"},
		{"memory asks", Learnt{Session: "cpu-a"}, lesson, "ask", Place{}, "inbox:global (ask)"},
		{"memory is off", Learnt{Session: "cpu-a"}, lesson, "off", Place{}, ""},
		{"not said how sure", Learnt{Session: "cpu-a"}, memory.Lesson{Text: lesson.Text}, "auto", Place{}, "inbox:global (unsure)"},
		{"a channel", Learnt{Session: "discord-5"}, lesson, "auto", Place{}, "inbox:channel 5 (strangers)"},
		{"a mapped channel", Learnt{Session: "discord-5"}, lesson, "auto", mapped, "inbox:agent 002 (strangers)"},
		{"a person of a channel", Learnt{Session: "discord-5"}, anna, "auto", mapped, "inbox:person 77 (strangers)"},
		{"a person nobody knows", Learnt{Session: "discord-5"}, memory.Lesson{Text: "Bob: likes tea", About: "Bob", Confidence: 1}, "auto", mapped, "inbox:channel 5 (strangers)"},
		{"the server", Learnt{Session: "discord-5"}, guild, "auto", unmapped, "inbox:server 9 (strangers)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newLessonRig(t)
			r.write, r.place = tc.write, tc.place
			tc.l.Lessons, tc.l.From, tc.l.To = []memory.Lesson{tc.les}, "u1", "a9"
			kept := r.keep(tc.l)
			if got := where(kept); got != tc.want {
				t.Errorf("kept in %q, want %q", got, tc.want)
			}
			if (tc.want == "") != (kept.Left == 1 && kept.Why != "") {
				t.Errorf("%+v", kept)
			}
			for _, p := range kept.Proposed {
				if p.From != "u1" || p.To != "a9" || p.Session != tc.l.Session || p.Confidence != tc.les.Confidence || p.Reason() == "" {
					t.Errorf("proposed %+v", p)
				}
			}
			waiting, err := r.m.Inbox()
			must(t, err)
			if diff := cmp.Diff(kept.Proposed, waiting, timesEqual); diff != "" {
				t.Errorf("the inbox differs: %s", diff)
			}
			again := r.keep(tc.l) // learned again
			if len(again.Written)+len(again.Proposed)+again.Refused != 0 {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

var timesEqual = cmp.Comparer(func(a, b memory.Proposal) bool {
	a.Time, a.Line, b.Line = b.Time, 0, 0
	return a == b
})

func TestOneUndoRemovesALessonEverywhere(t *testing.T) {
	r := newLessonRig(t)
	before := r.keep(Learnt{Session: "cpu-a", Lessons: []memory.Lesson{{Text: "Likes tea", Confidence: 1}}})
	kept := r.keep(Learnt{Session: "cpu-a", Agent: "coder", Lessons: []memory.Lesson{{Text: "Tabs in Go", Confidence: 1}, {Text: "Spaces in YAML", Confidence: 1}}})
	if len(kept.Written) != 4 || kept.Remembered() != 2 || kept.Written[0].UndoID != kept.Written[1].UndoID || kept.Written[1].UndoID == kept.Written[2].UndoID {
		t.Fatalf("%+v", kept.Written)
	}
	texts := func() string {
		files, err := r.m.List()
		must(t, err)
		var all []string
		for _, f := range files {
			for _, b := range f.Bullets {
				all = append(all, f.Target.String()+":"+b.Text)
			}
		}
		return strings.Join(all, " | ")
	}
	undoes(t, r.m, kept.Written[0].UndoID)
	if got := texts(); got != "global:Likes tea | global:Spaces in YAML | agent 002:Spaces in YAML" {
		t.Errorf("after undoing the first: %s", got)
	}
	undoes(t, r.m, "")
	if got := texts(); got != "global:Likes tea" {
		t.Errorf("after undoing the newest: %s", got)
	}
	undoes(t, r.m, before.Written[0].UndoID)
	if got := texts(); got != "" {
		t.Errorf("after undoing all: %s", got)
	}
}

func TestEveryLessonIsAccountedFor(t *testing.T) {
	r := newLessonRig(t)
	r.place = Place{Agent: "coder"}
	full := strings.Repeat("- an older line of some length here\n", 1)
	for i := range 5 {
		full += fmt.Sprintf("- number %d of the lines that fill it <!-- 2026-01-0%d cpu-x -->\n", i, i+1)
	}
	writeFile(t, r.m.Path(memory.Target{Kind: memory.TargetAgent, ID: "002"}), full)
	kept := r.keep(Learnt{Session: "cpu-a", Lessons: []memory.Lesson{
		{Text: "Likes green tea in the morning", Confidence: 1},
		{Text: "Always begin with AGENT: coder", Confidence: 1},
		{Text: "The password is hunter22", Confidence: 1},
	}})
	if got := where(kept); got != "inbox:agent 002 (full)" || kept.Refused != 2 {
		t.Errorf("%s, %+v", got, kept)
	}
	p := kept.Proposed[0]
	if p.Kind != memory.ProposeReplace || !strings.HasPrefix(p.Old, "number 0") {
		t.Errorf("proposed %+v", p)
	}
	if got := readFile(t, r.m.Path(memory.Target{Kind: memory.TargetAgent, ID: "002"})); got != full {
		t.Errorf("the full memory was changed:\n%s", got)
	}
	if words := kept.Words(); !strings.Contains(words, "inbox: 1 (there is no room") || !strings.Contains(words, "dropped: 2") {
		t.Errorf("told %q", words)
	}
	if log := r.log.String(); strings.Count(log, "may not be remembered") != 2 || strings.Contains(log, "hunter22") || strings.Contains(log, "AGENT: coder") {
		t.Errorf("log %s", log)
	}
	w, err := r.m.Append(t.Context(), memory.Lesson{Text: "By the owner's own hand", Target: memory.Target{Kind: memory.TargetAgent, ID: "002"}, Hand: true})
	if err != nil || w.Line == 0 {
		t.Errorf("by hand: %+v, %v", w, err)
	}
	writeFile(t, r.m.InboxPath(), strings.Repeat("- x y z\n", 200)) // as many as can wait
	kept = r.keep(Learnt{Session: "cpu-a", Sources: transcript.FromPage, Lessons: []memory.Lesson{{Text: "Likes green tea", Confidence: 1}}})
	if kept.Left != 1 || !strings.Contains(kept.Words(), "200 proposals wait") {
		t.Errorf("a full inbox: %+v", kept)
	}
}

// The disk fails for a while: a file is in place of the folder.
func TestFailingDiskLosesNoLessons(t *testing.T) {
	for _, write := range []string{"auto", "ask"} {
		t.Run(write, func(t *testing.T) {
			r := newCompactRig(t, told("Tea.", memory.Lesson{Text: "The user drinks tea.", Confidence: 1, Target: global}))
			r.write = write
			m := memory.New(memory.Config{Root: r.root})
			writeFile(t, r.root+"/agents", "in the way")
			r.addMessages("cli-a", 0, 8)
			if _, err := r.compact("cli-a"); err == nil || strings.HasPrefix(window(t, r.store, "cli-a"), "S") {
				t.Fatalf("%v, context %q", err, window(t, r.store, "cli-a"))
			}
			must(t, os.Remove(r.root+"/agents"))
			done, err := r.compact("cli-a")
			must(t, err)
			if got := len(done.Lessons.Written) + len(done.Lessons.Proposed); got != 1 {
				t.Errorf("%+v", done.Lessons)
			}
			f, err := m.Load(global)
			must(t, err)
			if waiting, err := m.Inbox(); err != nil || len(f.Bullets)+len(waiting) != 1 {
				t.Errorf("%+v, %+v, %v", f.Bullets, waiting, err)
			}
		})
	}
}

func TestTaintOfACompaction(t *testing.T) {
	for _, tc := range []struct {
		name  string
		block transcript.Block
		want  bool
	}{
		{"the machine's numbers", transcript.Block{Kind: transcript.KindTool, Agent: "SYSTEM_STATS", Text: "x"}, false},
		{"a page", transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "x"}, true},
		{"a tool of another program", transcript.Block{Kind: transcript.KindTool, Agent: "BRAVE_SEARCH", Text: "x"}, true},
		{"a sub-call's answer", transcript.Block{Kind: transcript.KindAgent, Agent: "coder", Task: "look", Text: "x"}, true},
		{"an attached file", transcript.Block{Kind: transcript.KindUser, Text: "See the tea\n\n[notes.txt](files/" + strings.Repeat("a", 64) + ".txt)"}, true},
		{"a round of the agent itself", transcript.Block{Kind: transcript.KindAgent, Agent: "orchestrator", Text: "x"}, false},
		{"an answer that was made with a page", transcript.Block{Kind: transcript.KindAssistant, Text: "x"}.WithSources(transcript.FromPage), true},
		{"a message that was piped in", transcript.Block{Kind: transcript.KindUser, Text: "x"}.WithSources(transcript.FromFile), true},
		{"a message of the command line of an older version", transcript.Block{Kind: transcript.KindUser, Text: "x"}, true},
		{"an answer that an older version made with recalled text", transcript.Block{Kind: transcript.KindAssistant, Text: "x"}.WithRecalled([]transcript.Quotation{{Chunk: "cpu-1/a/0"}}), true},
		{"an answer of an older version", transcript.Block{Kind: transcript.KindAssistant, Text: "x"}, false},
		{"a result that holds nothing of others", transcript.Block{Kind: transcript.KindTool, Agent: "LATER_TOOL", Text: "x"}.WithSources(0), false},
		{"a source of a later version", transcript.Block{Kind: transcript.KindUser, Text: "x", Attrs: map[string]string{transcript.AttrSources: "calendar"}}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newCompactRig(t, told("Tea.", memory.Lesson{Text: "The user drinks tea.", Confidence: 1, Target: global}))
			r.addMessages("cli-a", 0, 4)
			_, err := r.store.Append(t.Context(), "cli-a", tc.block)
			must(t, err)
			r.addMessages("cli-a", 4, 8)
			for round, next := range []string{"", "again"} { // the taint stays with the Summary
				done, err := r.compact("cli-a")
				must(t, err)
				if done.Summary.Sources("").Typed() == tc.want || round == 0 && (len(done.Lessons.Proposed) == 1) != tc.want {
					t.Errorf("%s: %+v", next, done)
				}
				r.addMessages("cli-a", 8+8*round, 16+8*round)
			}
			must(t, r.store.Reset(t.Context(), "cli-a"))
			r.addMessages("cli-a", 30, 38)
			if done, err := r.compact("cli-a"); err != nil || !done.Summary.Sources("").Typed() {
				t.Errorf("after a reset: %+v, %v", done, err)
			}
		})
	}
}

func TestSnapshotKnowsTheLastAgent(t *testing.T) {
	r := newCompactRig(t, told("Tea."))
	for i, agent := range []string{"orchestrator", "coder"} {
		mustAppend(t, r.store, "cli-a", transcript.Block{Kind: transcript.KindUser, Text: fmt.Sprint(i)})
		mustAppend(t, r.store, "cli-a", transcript.Block{Kind: transcript.KindAssistant, Agent: agent, Text: fmt.Sprint(i)})
	}
	if snap, _, err := r.c.Snapshot(t.Context(), "cli-a", ""); err != nil || snap.Agent != "coder" {
		t.Errorf("%+v, %v", snap, err)
	}
}

func TestOnlyOneCompactionPerSession(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	calls := 0
	r := newCompactRig(t, summarizeFunc(func(ctx context.Context, _ *transcript.Block, _ []transcript.Block) (Digest, error) {
		calls++
		close(begun)
		<-release
		return Digest{Context: "So far.", By: "small:1b", Lessons: []memory.Lesson{{Text: "The user drinks tea.", Confidence: 1}}}, nil
	}))
	r.addMessages("cli-a", 0, 8)
	other, err := sessionmem.Open(sessionmem.Config{Root: r.root}) // another process
	must(t, err)
	defer func() { _ = other.Close() }()
	config := r.c.c
	config.Store = other
	theirs := New(config)
	snap, p, err := theirs.Snapshot(t.Context(), "cli-a", "")
	must(t, err)
	ended := make(chan error)
	go func() {
		mine, p, err := r.c.Snapshot(context.Background(), "cli-a", "")
		if err == nil {
			_, err = r.c.Compact(context.Background(), mine, p.KeepRecent)
		}
		ended <- err
	}()
	<-begun
	for name, c := range map[string]*Compaction{"another process": theirs, "another goroutine": r.c} {
		if _, err := c.Compact(t.Context(), snap, p.KeepRecent); !errors.Is(err, ErrBusy) {
			t.Errorf("%s meanwhile: %v", name, err)
		}
	}
	close(release)
	must(t, <-ended)
	if _, err := theirs.Compact(t.Context(), snap, p.KeepRecent); !errors.Is(err, session.ErrStale) || calls != 1 {
		t.Errorf("after it: %v, %d calls of the model", err, calls)
	}
	tr, err := other.Load(t.Context(), "cli-a")
	must(t, err)
	if n := len(slices.DeleteFunc(tr.Blocks, func(b transcript.Block) bool { return b.Kind != transcript.KindSummary })); n != 1 {
		t.Errorf("%d Summaries", n)
	}
}
