package cpuwindow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/prompt"
	"mac-stats/sessionmem"
)

// stubRun is a run whose events a test sends.
type stubRun struct {
	events  chan agents.Event
	stopped bool
	calls   []string
	answers map[string]agents.Answer
}

func newStubRun() *stubRun { return &stubRun{events: make(chan agents.Event, 64)} }

func (r *stubRun) Stop()              { r.stopped = true }
func (r *stubRun) StopCall(id string) { r.calls = append(r.calls, id) }
func (r *stubRun) Answer(id string, answer agents.Answer) bool {
	r.answers = map[string]agents.Answer{id: answer}
	return true
}

// Events ends with the events a test sends, or with ctx.
func (r *stubRun) Events(ctx context.Context) <-chan agents.Event {
	out := make(chan agents.Event)
	go func() {
		defer close(out)
		for {
			select {
			case ev, more := <-r.events:
				if !more {
					return
				}
				out <- ev
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// told is a conversation after events, in a few words an entry.
func told(c *conversation) []string {
	var out []string
	for _, e := range c.view(time.Now()).entries {
		switch e.kind {
		case entryUser:
			out = append(out, "user "+e.text)
		case entryHead:
			out = append(out, strings.TrimSpace("head "+e.agent+" "+e.model))
		case entryThinking:
			out = append(out, "thinking "+e.doc.Text())
		case entryAnswer:
			out = append(out, "answer "+e.doc.Text())
		case entryCall:
			state := "live"
			if !e.live {
				state = "done"
			}
			out = append(out, strings.TrimSpace("call "+e.agent+" "+state+" "+e.failed))
		case entryNote:
			out = append(out, "note "+e.text)
		case entrySummary:
			out = append(out, "summary "+e.text)
		case entryError:
			out = append(out, strings.TrimSpace("error "+e.fault.kind+" "+e.fault.userID))
		}
	}
	return out
}

func asked(text string) *conversation {
	c := newConversation("cpu-1")
	c.begin(text, time.Now())
	c.run = newStubRun()
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
		{"stopped is a note, not an error", []agents.Event{start, token(1, "half"), {Type: agents.EventError, Kind: "cancelled"}}, []string{"user q", "head orchestrator m", "answer half", "note stopped · what had arrived is kept"}},
		{"a memory", []agents.Event{{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "x", UndoID: "1"}}}, []string{"user q", "note remembered “x”"}},
		{"a proposal", []agents.Event{{Type: agents.EventMemoryProposed, Text: "x"}}, []string{"user q", "note proposed to remember “x”"}},
		{"a reload", []agents.Event{{Type: agents.EventMemoryReloaded, Memory: &agents.MemoryChange{Path: "/a/memory.md", Added: 2, Removed: 1}}}, []string{"user q", "note memory.md reloaded · +2 −1"}},
		{"what was cut", []agents.Event{{Type: agents.EventContextCut, Cut: &prompt.ContextCut{Messages: 12, Memory: 1}}}, []string{"user q", "note left out, to fit the model's context: 12 older messages, 1 memory line"}},
		{"a run that ends while a sub-call lives", []agents.Event{call(agents.EventSubcallStart, agents.Call{ID: "1", Name: "a"}), {Type: agents.EventDone}}, []string{"user q", "call a done stopped"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			c := asked("q")
			for _, ev := range tc.events {
				c.apply(ev)
			}
			if d := cmp.Diff(tc.want, told(c)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEndOfARun(t *testing.T) {
	for _, ty := range []agents.EventType{agents.EventDone, agents.EventError} {
		c := asked("q")
		c.apply(agents.Event{Type: ty})
		if c.busy() {
			t.Errorf("after %s the conversation is still busy", ty)
		}
	}
	c := asked("q")
	c.ended(newStubRun())
	if !c.busy() {
		t.Error("the end of another run ended this one")
	}
	c.ended(c.run)
	if c.busy() {
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
			c.apply(tc.ev)
			if got := c.view(t0.Add(tc.after)).state; got != tc.expect {
				t.Errorf("got %q, want %q", got, tc.expect)
			}
		})
	}
}

func TestRetryTakesTheOldAnswerAway(t *testing.T) {
	c := asked("q")
	c.apply(agents.Event{Type: agents.EventState, Block: "u1", State: agents.StateReading})
	c.apply(agents.Event{Type: agents.EventToken, Text: "old", Agent: "a"})
	c.apply(agents.Event{Type: agents.EventDone})
	c.beginAgain("u1", time.Now())
	c.run = newStubRun()
	c.apply(agents.Event{Type: agents.EventToken, Text: "new", Agent: "a"})
	if d := cmp.Diff([]string{"user q", "head a", "answer new"}, told(c)); d != "" {
		t.Error(d)
	}
}

func TestAMessageThatNeverReachedTheDiskIsSentAnew(t *testing.T) {
	c := asked("q")
	c.apply(agents.Event{Type: agents.EventError, Kind: "disk", Text: "full"})
	f := c.entries[len(c.entries)-1].fault
	if f.userID != "" || f.text != "q" {
		t.Fatalf("the fault is %+v", *f)
	}
	c.dropFailed()
	if got := told(c); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestUsageOfASpecialistIsNotTheConversations(t *testing.T) {
	c := asked("q")
	c.apply(agents.Event{Type: agents.EventState, State: agents.StateReading, Agent: "orchestrator", Model: "m"})
	c.apply(agents.Event{Type: agents.EventUsage, Agent: "orchestrator", Usage: &agents.Usage{PromptTokens: 3000, ContextSize: 8192}})
	c.apply(agents.Event{Type: agents.EventUsage, Agent: "coder", Usage: &agents.Usage{PromptTokens: 10, ContextSize: 8192}})
	if c.usage.PromptTokens != 3000 {
		t.Errorf("the meter says %d", c.usage.PromptTokens)
	}
}

func transcript(blocks ...sessionmem.Block) *sessionmem.Transcript {
	return &sessionmem.Transcript{Info: sessionmem.Info{Name: "cpu-1", Title: "t"}, Blocks: blocks}
}

func TestTranscriptBecomesEntries(t *testing.T) {
	c := newConversation("cpu-1")
	c.fill(transcript(
		sessionmem.Block{ID: "1", Kind: sessionmem.KindUser, Text: "q"},
		sessionmem.Block{ID: "2", Kind: sessionmem.KindAgent, Agent: "coder", Model: "m", Task: "t", Text: "r"},
		sessionmem.Block{ID: "3", Kind: sessionmem.KindTool, Agent: "SYSTEM_STATS", Text: "s"},
		sessionmem.Block{ID: "4", Kind: sessionmem.KindAssistant, Agent: "orchestrator", Model: "m", Text: "a"},
		sessionmem.Block{ID: "5", Kind: sessionmem.KindNote, Note: "interrupted"},
		sessionmem.Block{ID: "6", Kind: sessionmem.KindSummary, Text: "sum"},
		sessionmem.Block{ID: "7", Kind: sessionmem.KindText, Text: "odd"},
		sessionmem.Block{ID: "8", Kind: sessionmem.KindNote, Note: "title", Text: "x"},
	))
	want := []string{"user q", "head orchestrator m", "call coder done", "call SYSTEM_STATS done", "answer a", "note stopped · what had arrived is kept", "summary sum", "answer odd"}
	if d := cmp.Diff(want, told(c)); d != "" {
		t.Error(d)
	}
}

func TestWarningOfAStateStays(t *testing.T) {
	c := newConversation("cpu-1")
	c.fill(transcript(sessionmem.Block{ID: "1", Kind: sessionmem.KindUser, Text: "q"}))
	for range 2 {
		c.apply(agents.Event{Type: agents.EventState, State: agents.StateReading, Detail: "the answer may miss something", Warning: true})
	}
	c.apply(agents.Event{Type: agents.EventState, State: agents.StateWriting})
	if d := cmp.Diff([]string{"user q", "note the answer may miss something"}, told(c)); d != "" {
		t.Error(d)
	}
}

func TestRewindLeavesTheOldBranchOut(t *testing.T) {
	c := newConversation("cpu-1")
	c.fill(transcript(
		sessionmem.Block{ID: "1", Kind: sessionmem.KindUser, Text: "q"},
		sessionmem.Block{ID: "2", Kind: sessionmem.KindTool, Agent: "SYSTEM_STATS", Parent: "1", Text: "x"},
		sessionmem.Block{ID: "3", Kind: sessionmem.KindAssistant, Agent: "o", Model: "m", Parent: "1", Text: "first"},
		sessionmem.Block{ID: "4", Kind: sessionmem.KindNote, Note: sessionmem.NoteRewind, Parent: "1", Text: "3"},
		sessionmem.Block{ID: "5", Kind: sessionmem.KindAssistant, Agent: "o", Model: "m", Parent: "1", Text: "second"},
	))
	want := []string{"user q", "head o m", "answer second"}
	if d := cmp.Diff(want, told(c)); d != "" {
		t.Error(d)
	}
}

func TestLongTranscriptsAreBuiltFromTheEnd(t *testing.T) {
	var blocks []sessionmem.Block
	for i := range 100 {
		blocks = append(blocks, sessionmem.Block{ID: fmt.Sprintf("u%d", i), Kind: sessionmem.KindUser, Text: fmt.Sprint(i)}, sessionmem.Block{ID: fmt.Sprintf("a%d", i), Kind: sessionmem.KindAssistant, Agent: "o", Text: "x"})
	}
	c := newConversation("cpu-1")
	c.fill(transcript(blocks...))
	v := c.view(time.Now())
	if v.older != 140 || v.entries[0].text != "70" {
		t.Fatalf("%d older, first is %q", v.older, v.entries[0].text)
	}
	for c.prepend(transcript(blocks...)) && c.older > 0 {
	}
	v = c.view(time.Now())
	if v.older != 0 || v.entries[0].text != "0" || len(v.entries) != 300 {
		t.Errorf("%d older, first is %q, %d entries", v.older, v.entries[0].text, len(v.entries))
	}
	keys := map[string]bool{}
	for _, e := range v.entries {
		if keys[e.key] {
			t.Fatalf("key %s twice", e.key)
		}
		keys[e.key] = true
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
	c.apply(agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "x", UndoID: "1"}})
	e := c.entries[1]
	c.undone(e.key, nil)
	if e.text != "forgotten again: “x”" || e.undoID != "" {
		t.Errorf("%q %q", e.text, e.undoID)
	}
	c.apply(agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "y", UndoID: "2"}})
	e = c.entries[2]
	c.undone(e.key, errors.New("the line has changed"))
	if e.text != "remembered “y” · can't be undone: the line has changed" {
		t.Errorf("%q", e.text)
	}
}
