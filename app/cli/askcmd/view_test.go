package askcmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/prompt"
	"mac-stats/app/cli/cmdline"
)

func TestANoticeGetsItsOwnLine(t *testing.T) {
	t.Parallel()
	both := &strings.Builder{} // like 2>&1
	v := newView(cmdline.New(cmdline.Params{Stdout: both, Stderr: both}, func(error) {}))
	v.onToken(1, "The answer")
	v.row("remembered: it")
	v.onToken(1, " goes on.")
	v.end(agents.Result{})
	if got := both.String(); got != "The answer goes on.\nremembered: it\n" {
		t.Errorf("got %q", got)
	}
}

// An answer typed after a question timed out isn't taken for the next question.
func TestALateAnswerDoesntCountForTheNextQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		screen, keys := io.Pipe()
		defer keys.Close()
		v := newView(cmdline.New(cmdline.Params{
			Stdout: io.Discard, Stderr: io.Discard, StderrIsTerminal: true,
			Terminal: func() (io.ReadCloser, error) { return screen, nil },
		}, func(error) {}))
		if !v.canAsk() {
			t.Fatal("nobody can be asked")
		}
		var answers []string
		v.answer = func(id string, a agents.Answer) bool { answers = append(answers, id+" "+string(a)); return true }
		ask := func(id string, a agents.Answer) {
			v.onQuestion(&agents.Question{ID: id, Answers: []agents.Answer{agents.AnswerOnce, agents.AnswerNo}, Answer: a})
			synctest.Wait()
		}
		typed := func(line string) {
			fmt.Fprintln(keys, line)
			synctest.Wait()
		}
		ask("1", "")
		ask("1", agents.AnswerLate)
		ask("2", "")
		typed("y")
		ask("2", agents.AnswerOnce)
		ask("3", "")
		ask("3", agents.AnswerLate)
		typed("y") // too late
		ask("4", "")
		typed("n")
		if want := []string{"2 once", "4 no"}; !slices.Equal(answers, want) {
			t.Errorf("%q, want %q", answers, want)
		}
	})
}

// looking returns a view and what it prints.
func looking(terminal bool) (v *view, stdout, stderr *strings.Builder) {
	stdout, stderr = &strings.Builder{}, &strings.Builder{}
	return newView(cmdline.New(cmdline.Params{Stdout: stdout, Stderr: stderr, StderrIsTerminal: terminal}, func(error) {})), stdout, stderr
}

// Each event of a turn is a line on stderr, in one form.
func TestTheRowsOfATurn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event agents.Event
		want  string
	}{
		{agents.Event{Type: agents.EventState, State: agents.StateQueued, Detail: "held by the window"}, "waiting: the session is held by the window"},
		{agents.Event{Type: agents.EventState, Detail: "tiny:1b can't look at images", Warning: true}, "mac-stats: Tiny:1b can't look at images."},
		{agents.Event{Type: agents.EventState, Detail: "the answer was cut short", Warning: true, GoOn: true}, `mac-stats: The answer was cut short. To go on, write "continue".`},
		{agents.Event{Type: agents.EventState, State: agents.StateLoading}, ""},
		{agents.Event{Type: agents.EventSubcallStart, Call: &agents.Call{Name: "coder", Model: "qwen3:8b", Task: "Sort\nthree"}}, "→ coder (qwen3:8b): Sort three"},
		{agents.Event{Type: agents.EventSubcallEnd, Call: &agents.Call{Name: "coder", Done: true, Took: 1500 * time.Millisecond}}, "✓ coder · 1.5 s"},
		{agents.Event{Type: agents.EventTool, Call: &agents.Call{Name: "RUN_CMD", Failed: "it is not allowed"}}, "✗ RUN_CMD: it is not allowed"},
		{agents.Event{Type: agents.EventTool, Call: &agents.Call{Name: "RUN_CMD", Result: "so far"}}, ""},
		{agents.Event{Type: agents.EventTool}, ""},
		{agents.Event{Type: agents.EventContextCut, Cut: &prompt.ContextCut{Messages: 1, Memory: 2, Roster: 3, Result: 4, Attached: 5}}, "did not fit: 1 older message, 2 characters of the memory, 3 agents and skills, 4 characters of results, 5 characters of the attached files"},
		{agents.Event{Type: agents.EventContextCut}, "did not fit: something"},
		{agents.Event{Type: agents.EventMemoryWritten, Text: "Likes tea"}, "remembered: Likes tea"},
		{agents.Event{Type: agents.EventMemoryProposed, Text: "Likes tea"}, "proposed for memory: Likes tea"},
		{agents.Event{Type: agents.EventMemoryProposed, Text: "Likes tea => Likes milk", Memory: &agents.MemoryChange{Inbox: "k3x9qa"}}, "proposed: replace “Likes tea” with “Likes milk” · `mac-stats memory inbox accept k3x9qa`"},
		{agents.Event{Type: agents.EventMemoryReloaded, Memory: &agents.MemoryChange{Added: 2, Removed: 1}}, "memory reloaded: +2 −1"},
		{agents.Event{Type: agents.EventMemoryReloaded}, "memory reloaded: changed"},
		{agents.Event{Type: agents.EventRecalled, Made: agents.Made{Recalled: []agents.RecalledNote{{Session: "cpu-a"}, {Session: "cpu-b"}, {Session: "cpu-a"}}}}, "recalled: 3 notes from cpu-a, cpu-b"},
		{agents.Event{Type: agents.EventCompaction, Text: "12 messages", Detail: "by tiny:1b"}, "summarised: 12 messages by tiny:1b"},
		{agents.Event{Type: agents.EventError, Text: "It broke."}, ""},
	} {
		v, stdout, stderr := looking(false)
		v.show(tt.event)
		if got := strings.TrimSuffix(stderr.String(), "\n"); got != tt.want || stdout.String() != "" {
			t.Errorf("%s: %q, and on stdout %q; want %q", tt.event.Type, got, stdout.String(), tt.want)
		}
	}
}

// On a terminal a row ends the line of the answer, and the status line is redrawn.
func TestRowsOnATerminal(t *testing.T) {
	t.Parallel()
	v, stdout, stderr := looking(true)
	v.show(agents.Event{Type: agents.EventState, State: agents.StateLoading})
	v.show(agents.Event{Type: agents.EventTool, Call: &agents.Call{Name: "RUN_CMD", Result: "one\ntwo\n"}})
	if got := stderr.String(); got != "\r\x1b[K"+string(agents.StateLoading)+" 0 s\r\x1b[KRUN_CMD: two 0 s" {
		t.Errorf("the status line is %q", got)
	}
	v.show(agents.Event{Type: agents.EventToken, Round: 1, Text: "The answer"})
	v.show(agents.Event{Type: agents.EventToken, Round: 1})
	v.draw() // there is no status while the answer is written
	v.row("remembered: it")
	v.show(agents.Event{Type: agents.EventTool, Call: &agents.Call{Name: "RUN_CMD", Failed: "no"}})
	v.show(agents.Event{Type: agents.EventToken, Round: 2, Text: "Another"})
	v.end(agents.Result{Session: "cli-a", Agent: "coder", Model: "qwen3:8b"})
	if got := stdout.String(); got != "The answer\nAnother\n" {
		t.Errorf("stdout is %q", got)
	}
	if got := stderr.String(); !strings.HasSuffix(got, "\r\x1b[Kremembered: it\n✗ RUN_CMD: no\ncoder · qwen3:8b · cli-a\n") {
		t.Errorf("stderr is %q", got)
	}
}

// stdout has the whole answer once, whatever part of it came as tokens and in whatever form it is
// kept.
func TestTheWholeAnswerIsPrintedOnce(t *testing.T) {
	t.Parallel()
	const differs = "the answer that is kept differs from the text above: `mac-stats sessions show` prints it\n"
	for _, tt := range []struct {
		name, token, done string
		result            agents.Result
		want, stderr      string
	}{
		{"all as tokens", "All of it.", "All of it.", agents.Result{}, "All of it.\n", ""},
		{"tokens with a blank more", "All of it. ", "All of it.", agents.Result{}, "All of it. \n", ""},
		{"the rest at the end", "All", "All of it.\n", agents.Result{}, "All of it.\n", ""},
		{"another answer than the tokens", "<think>", "All of it.", agents.Result{}, "<think>\nAll of it.\n", discarded + "\n"},
		{"no tokens", "", "All of it.", agents.Result{}, "All of it.\n", ""},
		{"no tokens, stopped", "", "", agents.Result{Text: "All", Stopped: true}, "All\n", ""},
		{"nothing at all", "", "", agents.Result{}, "", ""},
		{"lines that end in CR LF", "one\r\n\r\ntwo\r\n", "one\n\ntwo", agents.Result{}, "one\n\ntwo\n", ""},
		{"CR LF, with a rest", "one\r\ntwo", "one\ntwo three\n", agents.Result{}, "one\ntwo three\n", ""},
		{"blank lines less", "\n\none\n\n\n\ntwo  \n", "one\n\ntwo", agents.Result{}, "\n\none\n\n\n\ntwo  \n", ""},
		{"a repetition that isn't kept", "one two two two two", "one two", agents.Result{}, "one two two two two\n", ""},
		{"a word that is changed", "one two three", "one 2 three", agents.Result{}, "one two three\n", differs},
		{"a letter of two bytes", "für", "für alle", agents.Result{}, "für alle\n", ""},
		{"nothing is kept of it", "one", "", agents.Result{}, "one\n", ""},
	} {
		v, stdout, stderr := looking(false)
		v.show(agents.Event{Type: agents.EventToken, Round: 1, Text: tt.token})
		if !tt.result.Stopped {
			v.show(agents.Event{Type: agents.EventDone, Text: tt.done})
		}
		v.end(tt.result)
		if got := stdout.String(); got != tt.want || stderr.String() != tt.stderr {
			t.Errorf("%s: %q, want %q; stderr %q, want %q", tt.name, got, tt.want, stderr, tt.stderr)
		}
	}
}

// A reply that is followed by another one without a call is no part of the answer, and that is
// said; one with calls is.
func TestADiscardedReplyIsNamed(t *testing.T) {
	t.Parallel()
	token := func(round int, text string) agents.Event {
		return agents.Event{Type: agents.EventToken, Round: round, Text: text}
	}
	called := agents.Event{Type: agents.EventTool, Round: 1, Call: &agents.Call{Name: "SYSTEM_STATS", Done: true}}
	delegated := agents.Event{Type: agents.EventSubcallStart, Round: 1, Call: &agents.Call{Name: "coder"}}
	for _, tt := range []struct {
		name   string
		events []agents.Event
		says   bool
	}{
		{"asked again", []agents.Event{token(1, "Half an ans"), token(2, "An answer.")}, true},
		{"asked again at once", []agents.Event{token(1, "\n"), token(2, "An answer.")}, false},
		{"a tool", []agents.Event{token(1, "I look."), called, token(2, "An answer.")}, false},
		{"an agent", []agents.Event{token(1, "I ask."), delegated, token(2, "An answer.")}, false},
		{"a tool, and asked again", []agents.Event{token(1, "I look."), called, token(2, "Half"), token(3, "An answer.")}, true},
		{"one round", []agents.Event{token(1, "An "), token(1, "answer.")}, false},
	} {
		v, stdout, stderr := looking(false)
		for _, e := range tt.events {
			v.show(e)
		}
		v.show(agents.Event{Type: agents.EventDone, Text: "An answer."})
		v.end(agents.Result{})
		if says := strings.Contains(stderr.String(), discarded); says != tt.says || strings.Count(stdout.String(), "An answer.\n") != 1 {
			t.Errorf("%s: %q, stderr %q", tt.name, stdout, stderr)
		}
	}
}
