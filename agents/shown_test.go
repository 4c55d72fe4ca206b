package agents

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/agenttest"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// What an answer cost and why a call failed is read from their blocks.
func TestBlocksShowWhatTheyCostAndWhyTheyFailed(t *testing.T) {
	for _, u := range []*Usage{{PromptTokens: 100, AnswerTokens: 50, ContextSize: 1000, TokensPerSecond: 12.5}, {PromptTokens: 1}, nil} {
		attrs := usageAttrs(nil, u)
		if u != nil && u.ContextSize > 0 {
			u.ContextPercent = 15
		}
		if diff := cmp.Diff(u, UsageOf(transcript.Block{Attrs: attrs})); diff != "" {
			t.Error(diff)
		}
	}
	for _, bad := range []string{"", "1+2", "-1+2/3", "x"} {
		if got := UsageOf(transcript.Block{Attrs: map[string]string{"tokens": bad}}); got != nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
	for _, tc := range []struct {
		kind  transcript.Kind
		text  string
		attrs map[string]string
		want  string
	}{
		{transcript.KindTool, "failed: no network", map[string]string{"failed": "1", "took": "5ms"}, "no network"},
		{transcript.KindTool, "failed: no network", nil, "no network"}, // of an older version
		{transcript.KindTool, "failed: is what the page says", map[string]string{"took": "5ms"}, ""},
		{transcript.KindTool, "fine", nil, ""},
		{transcript.KindAssistant, "failed: no network", nil, ""},
	} {
		if got := FailedOf(transcript.Block{Kind: tc.kind, Text: tc.text, Attrs: tc.attrs}); got != tc.want {
			t.Errorf("%s %q: %q, want %q", tc.kind, tc.text, got, tc.want)
		}
	}
}

// The outcome of a turn names the calls that ran, for tests of agents.
func TestTheOutcomeOfATurn(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("SYSTEM_STATS: cpu", "AGENT: coder Say hi", "Hi.", "The CPU is fine.")})
	if r.engine.Busy() {
		t.Error("no turn runs")
	}
	run := r.engine.Start(t.Context(), Request{Session: testSession, Text: "How is the CPU?"})
	outcome, err := run.Outcome()
	if err != nil || outcome.Answer != "The CPU is fine." || outcome.Rounds < 2 {
		t.Errorf("%+v, %v", outcome, err)
	}
	if diff := cmp.Diff([]agenttest.Call{{Tool: "SYSTEM_STATS", Arg: "cpu"}}, outcome.Calls); diff != "" || !cmp.Equal([]string{"coder"}, outcome.Delegated) {
		t.Errorf("delegated to %q; %s", outcome.Delegated, diff)
	}
}

// A memory that can't be read is left out of the prompt with a warning.
func TestAMemoryThatCannotBeReadIsLeftOut(t *testing.T) {
	r := newRig(t, ollamaScript("Hello."))
	path := r.params.Memory.Path(memory.Target{Kind: memory.TargetGlobal})
	if err := errors.Join(os.RemoveAll(path), os.MkdirAll(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	result, events := r.say("Hi")
	warned := false
	for _, e := range events {
		warned = warned || strings.Contains(e.Detail, "the memory could not be read and is left out")
	}
	if !warned || result.Text != "Hello." {
		t.Errorf("%+v", result)
	}
}
