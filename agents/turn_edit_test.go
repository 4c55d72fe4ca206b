package agents

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/fault"
	"mac-stats/agents/testkit"
)

func TestTurnEditStartsABranch(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("A1", "A2", "A3", "A2 better", "A4")})
	r.say("Q1")
	second, _ := r.say("Q2")
	r.say("Q3")
	edited, _, err := r.turn(Request{Edit: second.UserID, Text: "Q2 better"})
	if err != nil || edited.Text != "A2 better" || edited.UserID == second.UserID {
		t.Fatalf("edit: %+v, %v", edited, err)
	}
	kinds := []string{"user", "assistant", "user", "assistant", "user", "assistant", "note:rewind", "user", "assistant"}
	if diff := cmp.Diff(kinds, r.kinds()); diff != "" {
		t.Error("the transcript keeps the old branch: " + diff)
	}

	before, after := r.chat(1).Messages, r.chat(3).Messages // those for Q2 and for its edited form
	if len(before) != len(after) {
		t.Fatalf("%d messages were sent for Q2, %d for its edited form", len(before), len(after))
	}
	last := len(after) - 1
	if diff := cmp.Diff(before[:last], after[:last], cmp.AllowUnexported(api.ToolCallFunctionArguments{})); diff != "" {
		t.Error("the beginning of the request changed: " + diff)
	}

	running, err := r.store.Context(t.Context(), testSession)
	if err != nil {
		t.Fatal(err)
	}
	r.open()
	restarted, err := r.store.Context(t.Context(), testSession)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(running, restarted); diff != "" {
		t.Error("a restart gives another context: " + diff)
	}
	var texts []string
	for _, m := range restarted.Messages {
		texts = append(texts, m.Text)
	}
	if diff := cmp.Diff([]string{"Q1", "A1", "Q2 better", "A2 better"}, texts); diff != "" {
		t.Error(diff)
	}
	r.say("Q4")
	next := r.chat(4).Messages
	if diff := cmp.Diff(after, next[:len(after)], cmp.AllowUnexported(api.ToolCallFunctionArguments{})); diff != "" {
		t.Error("the next request does not begin with this one: " + diff)
	}
}

func TestTurnEditOfAMissingMessage(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("A1", "A2")})
	first, _ := r.say("Q1")
	for name, id := range map[string]string{"an unknown block": "nothere", "an answer": first.AnswerID} {
		if _, _, err := r.turn(Request{Edit: id, Text: "other"}); !errors.Is(err, fault.ErrRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff([]string{"user", "assistant"}, r.kinds()); diff != "" {
		t.Error(diff)
	}
}
