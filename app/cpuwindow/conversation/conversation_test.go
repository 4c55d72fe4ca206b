package conversation

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/prompt"
	"mac-stats/app/apptest"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// describe describes a conversation's entries in a few words each.
func describe(c *Conversation) []string {
	var out []string
	for _, e := range c.View(time.Now()).Entries {
		switch e.Kind {
		case User:
			out = append(out, "user "+e.Text)
		case Head:
			out = append(out, strings.TrimSpace("head "+e.Agent+" "+e.Model))
		case Thinking:
			out = append(out, "thinking "+e.Doc.Text())
		case Answer:
			out = append(out, "answer "+e.Doc.Text())
		case Call:
			state := "live"
			if !e.Live {
				state = "done"
			}
			out = append(out, strings.TrimSpace("call "+e.Agent+" "+state+" "+e.Failed))
		case Note:
			out = append(out, "note "+e.Text)
		case Summary:
			out = append(out, "summary "+e.Text)
		case Error:
			out = append(out, strings.TrimSpace("error "+e.Fault.Kind+" "+e.Fault.UserID))
		}
	}
	return out
}

func asked(text string) *Conversation {
	c := New("cpu-1")
	c.Begin(text, time.Now())
	c.SetRun(apptest.NewRun())
	return c
}

func TestEventsBecomeEntries(t *testing.T) {
	start := agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"}
	token := func(round int, s string) agents.Event {
		return agents.Event{Type: agents.EventToken, Round: round, Text: s, Agent: "orchestrator", Model: "m"}
	}
	call := func(ty agents.EventType, k agents.Call) agents.Event { return agents.Event{Type: ty, Call: &k} }
	tests := []struct {
		name   string
		events []agents.Event
		want   []string
	}{
		{"tokens of one round are one answer", []agents.Event{start, token(1, "a"), token(1, "b")}, []string{"user q", "head orchestrator m", "answer ab"}},
		{"rounds are answers of their own", []agents.Event{start, token(1, "a"), token(2, "b")}, []string{"user q", "head orchestrator m", "answer a", "answer b"}},
		{"done gives the whole answer", []agents.Event{start, token(1, "a"), {Type: agents.EventDone, Text: "abc", Block: "x"}}, []string{"user q", "head orchestrator m", "answer abc"}},
		{"done without tokens", []agents.Event{start, {Type: agents.EventDone, Text: "abc", Block: "x", Agent: "orchestrator"}}, []string{"user q", "head orchestrator m", "answer abc"}},
		{"thinking is apart", []agents.Event{start, {Type: agents.EventThinking, Text: "hm", Round: 1}, token(1, "a")}, []string{"user q", "head orchestrator m", "thinking hm", "answer a"}},
		{"a sub-call from start to end", []agents.Event{
			start, call(agents.EventSubcallStart, agents.Call{ID: "1", Name: "coder"}),
			call(agents.EventSubcallEnd, agents.Call{ID: "1", Done: true}),
		}, []string{"user q", "head orchestrator m", "call coder done"}},
		{"a tool that failed", []agents.Event{start, call(agents.EventTool, agents.Call{ID: "1", Name: "FETCH_URL", Done: true, Failed: "no"})}, []string{"user q", "head orchestrator m", "call FETCH_URL done no"}},
		{"two sub-calls are kept apart", []agents.Event{
			call(agents.EventSubcallStart, agents.Call{ID: "1", Name: "a"}), call(agents.EventSubcallStart, agents.Call{ID: "2", Name: "b"}),
			call(agents.EventSubcallEnd, agents.Call{ID: "1", Done: true}),
		}, []string{"user q", "call a done", "call b live"}},
		{"an error keeps what had arrived", []agents.Event{start, token(1, "half"), {Type: agents.EventError, Kind: "stream_cut", Text: "cut"}}, []string{"user q", "head orchestrator m", "answer half", "error stream_cut u1"}},
		{"an error before the message was written", []agents.Event{{Type: agents.EventError, Kind: "disk", Text: "full"}}, []string{"user q", "error disk"}},
		{"stopped is a note, not an error", []agents.Event{start, token(1, "half"), {Type: agents.EventError, Kind: "cancelled"}}, []string{"user q", "head orchestrator m", "answer half", "note stopped · the partial answer is kept"}},
		{"a memory", []agents.Event{{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "x", UndoID: "1"}}}, []string{"user q", "note remembered “x”"}},
		{"a proposal", []agents.Event{{Type: agents.EventMemoryProposed, Text: "x"}}, []string{"user q", "note proposed to remember “x”"}},
		{"a reload", []agents.Event{{Type: agents.EventMemoryReloaded, Memory: &agents.MemoryChange{Path: "/a/memory.md", Added: 2, Removed: 1}}}, []string{"user q", "note memory.md reloaded · +2 −1"}},
		{"what was cut", []agents.Event{{Type: agents.EventContextCut, Cut: &prompt.ContextCut{Messages: 12, Memory: 1}}}, []string{"user q", "note left out, to fit the model's context: 12 older messages, 1 character of the memory"}},
		{"a run that ends while a sub-call lives", []agents.Event{call(agents.EventSubcallStart, agents.Call{ID: "1", Name: "a"}), {Type: agents.EventDone}}, []string{"user q", "call a done stopped"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			c := asked("q")
			for _, ev := range tc.events {
				c.Apply(ev)
			}
			if d := cmp.Diff(tc.want, describe(c)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEndOfARun(t *testing.T) {
	for _, ty := range []agents.EventType{agents.EventDone, agents.EventError} {
		c := asked("q")
		c.Apply(agents.Event{Type: ty})
		if c.Busy() {
			t.Errorf("after %s the conversation is still busy", ty)
		}
	}
	c := asked("q")
	c.RunEnded(apptest.NewRun())
	if !c.Busy() {
		t.Error("the end of another run ended this one")
	}
	c.RunEnded(c.Running())
	if c.Busy() {
		t.Error("events ended without done and the conversation is still busy")
	}
}

func TestStateLine(t *testing.T) {
	t0 := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		ev     agents.Event
		after  time.Duration
		expect string
	}{
		{"at once", agents.Event{State: agents.StateLoading, Detail: "loading qwen3:8b"}, 0, "loading qwen3:8b…"},
		{"with a clock", agents.Event{State: agents.StateLoading, Detail: "loading qwen3:8b"}, 4 * time.Second, "loading qwen3:8b… 4 s"},
		{"minutes", agents.Event{State: agents.StateThinking}, 125 * time.Second, "thinking… 2:05 min"},
		{"held", agents.Event{State: agents.StateQueued, Detail: "held by the command line"}, time.Second, "held by the command line… 1 s"},
		{"nothing while text arrives", agents.Event{State: agents.StateWriting}, time.Second, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			c := asked("q")
			tc.ev.Type, tc.ev.Time = agents.EventState, t0
			c.Apply(tc.ev)
			if got := c.View(t0.Add(tc.after)).State; got != tc.expect {
				t.Errorf("got %q, want %q", got, tc.expect)
			}
		})
	}
}

func TestRetryRemovesTheOldAnswer(t *testing.T) {
	c := asked("q")
	c.Apply(agents.Event{Type: agents.EventState, Block: "u1", State: agents.StateReading})
	c.Apply(agents.Event{Type: agents.EventToken, Text: "old", Agent: "a"})
	c.Apply(agents.Event{Type: agents.EventDone})
	c.BeginAgain("u1", time.Now())
	c.SetRun(apptest.NewRun())
	c.Apply(agents.Event{Type: agents.EventToken, Text: "new", Agent: "a"})
	if d := cmp.Diff([]string{"user q", "head a", "answer new"}, describe(c)); d != "" {
		t.Error(d)
	}
}

func TestAMessageThatNeverReachedTheDiskIsSentAgain(t *testing.T) {
	c := asked("q")
	c.Apply(agents.Event{Type: agents.EventError, Kind: "disk", Text: "full"})
	f := c.entries[len(c.entries)-1].Fault
	if f.UserID != "" || f.Text != "q" {
		t.Fatalf("the fault is %+v", *f)
	}
	c.DropFailed()
	if got := describe(c); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestASpecialistsUsageDoesntCount(t *testing.T) {
	c := asked("q")
	c.Apply(agents.Event{Type: agents.EventState, State: agents.StateReading, Agent: "orchestrator", Model: "m"})
	c.Apply(agents.Event{Type: agents.EventUsage, Agent: "orchestrator", Usage: &agents.Usage{PromptTokens: 3000, ContextSize: 8192}})
	c.Apply(agents.Event{Type: agents.EventUsage, Agent: "coder", Usage: &agents.Usage{PromptTokens: 10, ContextSize: 8192}})
	if c.usage.PromptTokens != 3000 {
		t.Errorf("the meter says %d", c.usage.PromptTokens)
	}
}

func fileOf(blocks ...transcript.Block) *transcript.Transcript {
	return &transcript.Transcript{Info: transcript.Info{Name: "cpu-1", Title: "t"}, Blocks: blocks}
}

func TestTranscriptBecomesEntries(t *testing.T) {
	c := New("cpu-1")
	c.Fill(fileOf(
		transcript.Block{ID: "1", Kind: transcript.KindUser, Text: "q"},
		transcript.Block{ID: "2", Kind: transcript.KindAgent, Agent: "coder", Model: "m", Task: "t", Text: "r"},
		transcript.Block{ID: "3", Kind: transcript.KindTool, Agent: "SYSTEM_STATS", Text: "s"},
		transcript.Block{ID: "4", Kind: transcript.KindAssistant, Agent: "orchestrator", Model: "m", Text: "a"},
		transcript.Block{ID: "5", Kind: transcript.KindNote, Note: "interrupted"},
		transcript.Block{ID: "6", Kind: transcript.KindSummary, Text: "sum"},
		transcript.Block{ID: "7", Kind: transcript.KindText, Text: "odd"},
		transcript.Block{ID: "8", Kind: transcript.KindNote, Note: "title", Text: "x"},
	))
	want := []string{"user q", "head orchestrator m", "call coder done", "call SYSTEM_STATS done", "answer a", "note stopped · the partial answer is kept", "summary sum", "answer odd"}
	if d := cmp.Diff(want, describe(c)); d != "" {
		t.Error(d)
	}
}

func TestWarningOfAStateStays(t *testing.T) {
	c := New("cpu-1")
	c.Fill(fileOf(transcript.Block{ID: "1", Kind: transcript.KindUser, Text: "q"}))
	for range 2 {
		c.Apply(agents.Event{Type: agents.EventState, State: agents.StateReading, Detail: "the answer may miss something", Warning: true})
	}
	c.Apply(agents.Event{Type: agents.EventState, State: agents.StateWriting})
	if d := cmp.Diff([]string{"user q", "note the answer may miss something"}, describe(c)); d != "" {
		t.Error(d)
	}
}

func TestARewindHidesTheOldBranch(t *testing.T) {
	c := New("cpu-1")
	c.Fill(fileOf(
		transcript.Block{ID: "1", Kind: transcript.KindUser, Text: "q"},
		transcript.Block{ID: "2", Kind: transcript.KindTool, Agent: "SYSTEM_STATS", Parent: "1", Text: "x"},
		transcript.Block{ID: "3", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "1", Text: "first"},
		transcript.Block{ID: "4", Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: "1", Text: "3"},
		transcript.Block{ID: "5", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "1", Text: "second"},
	))
	want := []string{"user q", "head o m", "answer second"}
	if d := cmp.Diff(want, describe(c)); d != "" {
		t.Error(d)
	}
}

func TestLongTranscriptsAreBuiltFromTheEnd(t *testing.T) {
	var blocks []transcript.Block
	for i := range 100 {
		blocks = append(blocks, transcript.Block{ID: fmt.Sprintf("u%d", i), Kind: transcript.KindUser, Text: fmt.Sprint(i)}, transcript.Block{ID: fmt.Sprintf("a%d", i), Kind: transcript.KindAssistant, Agent: "o", Text: "x"})
	}
	c := New("cpu-1")
	c.Fill(fileOf(blocks...))
	v := c.View(time.Now())
	if v.Older != 140 || v.Entries[0].Text != "70" {
		t.Fatalf("%d older, first is %q", v.Older, v.Entries[0].Text)
	}
	for c.Prepend(fileOf(blocks...)) && c.older > 0 {
	}
	v = c.View(time.Now())
	if v.Older != 0 || v.Entries[0].Text != "0" || len(v.Entries) != 300 {
		t.Errorf("%d older, first is %q, %d entries", v.Older, v.Entries[0].Text, len(v.Entries))
	}
	keys := map[string]bool{}
	for _, e := range v.Entries {
		if keys[e.Key] {
			t.Fatalf("key %s twice", e.Key)
		}
		keys[e.Key] = true
	}
}

func TestTitleOf(t *testing.T) {
	tests := map[string]string{
		"  Why is my fan loud?\nmore": "Why is my fan loud?",
		"one two three four five six seven eight nine ten eleven twelve thirteen": "one two three four five six seven eight nine ten…",
		strings.Repeat("é", 80): strings.Repeat("é", 60) + "…",
		"":                      "",
	}
	for in, want := range tests {
		if got := titleOf(in); got != want {
			t.Errorf("titleOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestUndone(t *testing.T) {
	c := asked("q")
	c.Apply(agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "x", UndoID: "1"}})
	e := c.entries[1]
	c.Undone(e.Key, nil)
	if e.Text != "forgotten again: “x”" || e.UndoID != "" {
		t.Errorf("%q %q", e.Text, e.UndoID)
	}
	c.Apply(agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "y", UndoID: "2"}})
	e = c.entries[2]
	c.Undone(e.Key, errors.New("the line has changed"))
	if e.Text != "remembered “y” · can't be undone: the line has changed" {
		t.Errorf("%q", e.Text)
	}
}

func TestBranchesAreSeenInTheTranscript(t *testing.T) {
	c := New("cpu-1")
	c.Fill(fileOf(
		transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"},
		transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Parent: "u1", Text: "one"},
		transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: "u1", Text: "a1"},
		transcript.Block{ID: "a2", Kind: transcript.KindAssistant, Agent: "o", Parent: "u1", Text: "two"},
		transcript.Block{ID: "n2", Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "u1"},
		transcript.Block{ID: "u2", Kind: transcript.KindUser, Text: "q better"},
	))
	if !c.edited["u2"] || c.edited["u1"] || !c.answeredAgain["u1"] || len(c.entries) != 1 || !c.entries[0].Edited {
		t.Errorf("edited %v, again %v, %d entries", c.edited, c.answeredAgain, len(c.entries))
	}
}

func reopened(blocks ...transcript.Block) []EntryView {
	c := New("cpu-x")
	c.Fill(&transcript.Transcript{Info: transcript.Info{Name: "cpu-x"}, Blocks: blocks})
	return c.View(time.Now()).Entries
}

func TestAReopenedChatWithoutAnAnswerCanAskAgain(t *testing.T) {
	user := transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"}
	got := reopened(user, transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteError, Parent: "u1", Text: "Ollama isn't running at h."})
	if e := got[len(got)-1]; e.Fault == nil || e.Fault.UserID != "u1" || e.Fault.Sentence != "Ollama isn't running at h." {
		t.Errorf("a failed turn ends with %+v", e)
	}
	got = reopened(user)
	if e := got[len(got)-1]; e.RetryID != "u1" {
		t.Errorf("a message alone ends with %+v", e)
	}
	got = reopened(user, transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Parent: "u1", Text: "yes"})
	if e := got[len(got)-1]; e.Kind != Answer || e.RetryID != "" {
		t.Errorf("an answered one ends with %+v", e)
	}
}

func TestAnAnswerThatWasCutShortCanGoOn(t *testing.T) {
	user := transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"}
	answer := transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Parent: "u1", Text: "half"}
	note := transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: "limit", Parent: "u1", Text: "It repeated itself.", Attrs: map[string]string{"go-on": "yes"}}
	got := reopened(user, answer, note)
	if e := got[len(got)-1]; !e.GoOn {
		t.Errorf("the note is %+v", e)
	}
	got = reopened(user, answer, note, transcript.Block{ID: "u2", Kind: transcript.KindUser, Text: "go on"}, transcript.Block{ID: "a2", Kind: transcript.KindAssistant, Parent: "u2", Text: "rest"})
	for _, e := range got {
		if e.GoOn {
			t.Errorf("it has gone on, and is offered: %+v", e)
		}
	}
	c := New("cpu-x")
	c.Fill(fileOf(user))
	c.Apply(agents.Event{Type: agents.EventState, State: agents.StateTool, Detail: "It repeated itself.", Warning: true, GoOn: true})
	got = c.View(time.Now()).Entries
	if e := got[len(got)-1]; !e.GoOn {
		t.Errorf("told while it runs: %+v", e)
	}
}

// A thought is folded unless the model said nothing else.
func TestAThoughtAloneIsUnfolded(t *testing.T) {
	user := transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"}
	thought := transcript.Block{ID: "t1", Kind: transcript.KindNote, Note: transcript.NoteThinking, Parent: "u1", Text: "It may be 42."}
	answer := transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Parent: "u1", Text: "42."}
	failed := transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteError, Parent: "u1", Text: "m only thought and gave no answer."}
	for name, tt := range map[string]struct {
		blocks []transcript.Block
		want   bool
	}{
		"before an answer": {[]transcript.Block{user, thought, answer}, false},
		"before an error":  {[]transcript.Block{user, thought, failed}, true},
		"before the next":  {[]transcript.Block{user, thought, failed, {ID: "u2", Kind: transcript.KindUser, Text: "And?"}, {ID: "a2", Kind: transcript.KindAssistant, Parent: "u2", Text: "42."}}, true},
	} {
		for _, e := range reopened(tt.blocks...) {
			if e.Kind == Thinking && e.Alone != tt.want {
				t.Errorf("%s: unfolded %v", name, e.Alone)
			}
		}
	}
}

// The details of a call show it as the model wrote it, live and read again.
func TestACallShowsWhatTheModelWroteOfIt(t *testing.T) {
	user := transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"}
	tool := transcript.Block{ID: "t1", Kind: transcript.KindTool, Parent: "u1", Agent: "SYSTEM_STATS", Task: "cpu", Text: "CPU 4 %", Attrs: map[string]string{"call": "<tool_call>{}</tool_call>", "behind": "It is 99 %."}}
	const want = "<tool_call>{}</tool_call>\n\nIt is 99 %."
	if got := agents.WrittenOf(tool); got != want {
		t.Errorf("%q", got)
	}
	shows := func(entries []EntryView) bool {
		return slices.ContainsFunc(entries, func(e EntryView) bool { return e.Kind == Call && e.Written == want })
	}
	if got := reopened(user, tool); !shows(got) {
		t.Errorf("read again: %+v", got)
	}
	c := New("cpu-x")
	c.Fill(fileOf(user))
	c.Apply(agents.Event{Type: agents.EventTool, Block: "u1", Call: &agents.Call{ID: "call-1", Name: "SYSTEM_STATS", Task: "cpu", Written: want}})
	c.Apply(agents.Event{Type: agents.EventTool, Block: "u1", Call: &agents.Call{ID: "call-1", Name: "SYSTEM_STATS", Result: "CPU 4 %", Done: true}})
	if got := c.View(time.Now()).Entries; !shows(got) {
		t.Errorf("live: %+v", got)
	}
}

// The text on disk is English; the window translates the reason.
func TestTheReasonOfACutAnswerIsShownInTheUsersLanguage(t *testing.T) {
	user := transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"}
	for why, want := range map[string]string{
		"full":     "The answer ends here because the context of m is full.",
		"length":   "The answer ends here because it reached its maximum length (num_predict).",
		"loop":     "The answer began to repeat itself and was stopped.",
		"time":     "The answer was stopped after 1m30s (ollama.answer_time).",
		"thinking": "m thought too long and was stopped.",
		"server":   "The answer may be incomplete. The server's reason for its end: content_filter.",
		"yes":      "as written", // by an older version
		"later":    "as written", // by a newer one
	} {
		note := transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: "limit", Model: "m", Parent: "u1", Text: "as written", Attrs: map[string]string{"go-on": why, "took": "90000ms", "reason": "content_filter"}}
		got := reopened(user, note)
		if e := got[len(got)-1]; e.Text != want || !e.GoOn {
			t.Errorf("read again, %q is %+v", why, e)
		}
		c := New("cpu-x")
		c.Fill(fileOf(user))
		c.Apply(agents.Event{Type: agents.EventState, State: agents.StateTool, Detail: "as written", Warning: true, GoOn: true, CutShort: agents.CutShortOf(note)})
		got = c.View(time.Now()).Entries
		if e := got[len(got)-1]; e.Text != want || !e.GoOn {
			t.Errorf("live, %q is %+v", why, e)
		}
	}
}

func TestAnInterruptedAnswerSaysWhetherTextIsLeft(t *testing.T) {
	user := transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"}
	note := transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteInterrupted, Parent: "u1"}
	got := reopened(user, note)
	if e := got[len(got)-1]; e.Text != "stopped before anything had arrived" || e.RetryID != "u1" {
		t.Errorf("nothing kept: %+v", e)
	}
	got = reopened(user, transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Parent: "u1", Text: "half"}, note)
	if e := got[len(got)-1]; e.Text != "stopped · the partial answer is kept" || e.RetryID != "" {
		t.Errorf("half an answer kept: %+v", e)
	}
}

func TestCallsStandInTheOrderTheyEnded(t *testing.T) {
	c := New("cpu-x")
	c.Begin("q", time.Now())
	call := func(typ agents.EventType, id string, done bool) {
		c.Apply(agents.Event{Type: typ, Call: &agents.Call{ID: id, Name: id, Done: done, Result: "r"}})
	}
	call(agents.EventSubcallStart, "doctor", false)
	call(agents.EventTool, "stats", false)
	call(agents.EventTool, "stats", true)
	call(agents.EventSubcallEnd, "doctor", true)
	if a, z := c.entries[1].Agent, c.entries[2].Agent; a != "stats" || z != "doctor" {
		t.Errorf("live the order is %s, %s", a, z)
	}
}

func TestAToolResultIsShownUnchanged(t *testing.T) {
	const result = "# not a heading\ncpu 3 %\nmemory 4 GB"
	got := reopened(
		transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"},
		transcript.Block{ID: "t1", Kind: transcript.KindTool, Agent: "system_stats", Parent: "u1", Text: result},
		transcript.Block{ID: "g1", Kind: transcript.KindAgent, Agent: "coder", Task: "write", Parent: "u1", Text: "# A heading"},
	)
	for _, e := range got {
		switch {
		case e.Kind != Call:
		case e.Tool && (len(e.Doc.View().Leaves) != 1 || e.Doc.View().Leaves[0].Kind != markdown.Code || e.Doc.View().Leaves[0].Code != result):
			t.Errorf("the tool's result is %+v", e.Doc.View().Leaves)
		case !e.Tool && e.Doc.View().Leaves[0].Kind != markdown.Heading:
			t.Errorf("the specialist's answer is %+v", e.Doc.View().Leaves)
		}
	}
}

func TestAProposalThatCantBeDecidedStays(t *testing.T) {
	c := asked("q")
	c.Apply(agents.Event{Type: agents.EventMemoryProposed, Memory: &agents.MemoryChange{Inbox: "ab", Change: "remove", Old: "x"}})
	e := c.entries[1]
	if e.Proposal != "ab" || e.Text != "proposed to forget “x”" {
		t.Errorf("%q %q", e.Proposal, e.Text)
	}
	c.Decided(e.Key, true, "", memory.ErrNoProposal)
	if e.Proposal != "ab" || !strings.Contains(e.Text, "that failed: ") {
		t.Errorf("%q %q", e.Proposal, e.Text)
	}
}

func TestABrokenDraftsFileIsIgnored(t *testing.T) {
	path := t.TempDir() + "/drafts.json"
	for _, text := range []string{"", "{", `{"format":"other"}`, `{"format":"mac-stats-drafts/1"}`, strings.Repeat("x", draftsMax+1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ReadDrafts(path, func(string, time.Time) bool { return false }); got == nil || len(got) != 0 {
			t.Errorf("%.20q gives %v", text, got)
		}
	}
}

// A drafts file from before a forgetting loses the forgotten text, on disk too; what was
// typed since stays.
func TestDraftsFromBeforeAForgettingAreCleaned(t *testing.T) {
	path := t.TempDir() + "/drafts.json"
	at := time.Now()
	gone := func(text string, since time.Time) bool {
		return since.Before(at) && strings.Contains(text, "zanzibar")
	}
	for _, tc := range []struct{ written, want string }{
		{"", "fine"},
		{`"written":"2026-01-01T10:00:00Z",`, "fine"},
		{`"written":"` + at.Add(time.Hour).Format(time.RFC3339) + `",`, "to zanzibar, fine, zanzibar"},
	} {
		text := `{"format":"mac-stats-drafts/1",` + tc.written + `"sessions":{"cpu-a":{"draft":"to zanzibar"},"cpu-b":{"draft":"fine","queue":["zanzibar"]}}}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ReadDrafts(path, gone)
		var all []string
		for _, name := range []string{"cpu-a", "cpu-b"} {
			if got[name].Draft != "" {
				all = append(all, got[name].Draft)
			}
			all = append(all, got[name].Queue...)
		}
		if s := strings.Join(all, ", "); s != tc.want {
			t.Errorf("%s: %q, want %q", tc.written, s, tc.want)
		}
		data, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(data), "zanzibar") != strings.Contains(tc.want, "zanzibar") {
			t.Errorf("%s: the file holds %s, %v", tc.written, data, err)
		}
	}
}

func turnsOf(from, to int) []transcript.Block {
	var out []transcript.Block
	for i := from; i < to; i++ {
		out = append(out,
			transcript.Block{ID: fmt.Sprint("u", i), Kind: transcript.KindUser, Text: fmt.Sprint("question ", i)},
			transcript.Block{ID: fmt.Sprint("a", i), Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: fmt.Sprint("u", i), Text: fmt.Sprint("answer ", i)})
	}
	return out
}

func summaryOf(id, through string) transcript.Block {
	return transcript.Block{ID: id, Kind: transcript.KindSummary, Through: through, Text: "in short " + id}
}

func TestASummaryFollowsTheBlocksItCovers(t *testing.T) {
	ended := transcript.Block{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteEnded}
	tests := []struct {
		name   string
		blocks []transcript.Block
		want   string
		count  int
	}{
		{"none", turnsOf(0, 1), "u0 a0", 0},
		{"kept messages stand below it", append(turnsOf(0, 4), summaryOf("s1", "a1")), "u0 a0 u1 a1 s1 u2 a2 u3 a3", 4},
		{"the newest alone", append(append(turnsOf(0, 2), summaryOf("s1", "a0")), append(turnsOf(2, 4), summaryOf("s2", "a2"))...), "u0 a0 u1 a1 u2 a2 s2 u3 a3", 6},
		{"all messages were kept", append(turnsOf(0, 4), summaryOf("s1", "none")), "u0 a0 u1 a1 u2 a2 u3 a3", 0},
		{"all were kept, twice", append(append(turnsOf(0, 4), summaryOf("s1", "none")), append(turnsOf(4, 8), summaryOf("s2", "none"))...), "u0 a0 u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 u6 a6 u7 a7", 0},
		{"all were kept, and later not", append(append(turnsOf(0, 4), summaryOf("s1", "none")), append(turnsOf(4, 5), summaryOf("s2", "a2"))...), "u0 a0 u1 a1 u2 a2 s2 u3 a3 u4 a4", 6},
		{"all were kept before a new topic", append(append(append(turnsOf(0, 2), summaryOf("s1", "none"), ended), turnsOf(2, 4)...), summaryOf("s2", "a2")), "u0 a0 u1 a1 n1 u2 a2 s2 u3 a3", 2},
		{"what it goes through is gone", append(turnsOf(0, 1), summaryOf("s1", "x")), "u0 a0 s1", 2},
		{"before a new topic it counts no more", append(append(turnsOf(0, 1), summaryOf("s1", "a0"), ended), turnsOf(1, 2)...), "u0 a0 s1 n1 u1 a1", 0},
		{"counted since the new topic", append(append(append(turnsOf(0, 2), ended), turnsOf(2, 4)...), summaryOf("s1", "a2")), "u0 a0 u1 a1 n1 u2 a2 s1 u3 a3", 2},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			blocks, _, count := session.PlaceSummary(tc.blocks)
			var ids []string
			for _, b := range blocks {
				ids = append(ids, b.ID)
			}
			if got := strings.Join(ids, " "); got != tc.want || count != tc.count {
				t.Errorf("%s, %d; want %s, %d", got, count, tc.want, tc.count)
			}
		})
	}
}

// A Summary may be written while all messages still fit, so that lessons are learned.
func TestASummaryThatReplacesNoMessageIsNotShown(t *testing.T) {
	for name, in := range map[string]struct {
		through string
		want    string
		count   int
	}{
		"all messages were kept": {"none", "answer", 0},
		"the first turn wasn't":  {"a0", "answer", 2},
		"none was":               {"a3", "summary", 8},
	} {
		blocks := append(turnsOf(0, 4), summaryOf("s1", in.through))
		c := New("cpu-1")
		c.Fill(fileOf(blocks...))
		v := c.View(time.Now())
		last := map[Kind]string{Answer: "answer", Summary: "summary"}[v.Entries[len(v.Entries)-1].Kind]
		if last != in.want || v.Summarised != in.count {
			t.Errorf("%s: the chat ends with %q, and %d messages count as summarised", name, last, v.Summarised)
		}
		if !c.ShowsAll(blocks) {
			t.Errorf("%s: it would be read again after each change", name)
		}
	}
}

func TestOlderMessagesAreAddedAboveAndTheSummaryMovesUp(t *testing.T) {
	tr := fileOf(append(turnsOf(0, 100), summaryOf("s1", "a20"))...)
	c := New("cpu-1")
	c.Fill(tr)
	if c.entries[0].Kind != Summary || c.entries[0].Count != 42 {
		t.Fatalf("first is %+v", c.entries[0])
	}
	for c.Prepend(tr) && c.older > 0 {
	}
	var kinds []string
	for i, e := range c.entries {
		if e.Kind == Summary {
			kinds = append(kinds, c.entries[i-1].Doc.Text(), c.entries[i+1].Text)
		}
	}
	if d := cmp.Diff([]string{"answer 20", "question 21"}, kinds); d != "" {
		t.Error(d)
	}
}

func TestAConversationThatGoesOnElsewhereStaysBounded(t *testing.T) {
	c := New("discord-1")
	fill := func(turns int) int {
		c.Fill(fileOf(turnsOf(0, turns)...))
		return len(fileOf(turnsOf(0, turns)...).Branch()) - c.older
	}
	if n := fill(40); n != blocksShown {
		t.Fatalf("%d blocks are shown at first", n)
	}
	if n := fill(50); n != blocksShown+20 {
		t.Errorf("%d blocks are shown once 20 were added: what was shown has gone", n)
	}
	for turns := 70; turns <= 2000; turns += 20 {
		if n := fill(turns); n > blocksKept+1 {
			t.Fatalf("%d blocks are shown of %d turns", n, turns)
		}
	}
	for range 10 { // what the user asked for stays
		c.Prepend(fileOf(turnsOf(0, 2000)...))
	}
	asked := c.first
	if fill(2050); c.first != asked {
		t.Errorf("the first block is %s, %s was asked for", c.first, asked)
	}
}

// A message sent while a file is being read again stays in view.
func TestAMessageSentDuringAReloadStays(t *testing.T) {
	c := New("cpu-1")
	read := fileOf(transcript.Block{ID: "1", Kind: transcript.KindUser, Text: "first"}, transcript.Block{ID: "2", Kind: transcript.KindAssistant, Parent: "1", Text: "answer"})
	c.Fill(read)
	turns := c.Turns()
	c.Begin("second", time.Now())
	c.FillSince(turns, read) // read before the message was sent
	if id, text := c.LastUser(); text != "second" {
		t.Errorf("the last message is %q (%s)", text, id)
	}
	c.FillSince(c.Turns(), read)
	if _, text := c.LastUser(); text != "first" {
		t.Errorf("what was read afterwards isn't taken: %q", text)
	}
}
