package forget

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/transcript"
)

// offered returns the offers of a plan as "<id of its block or its text>: <why>".
func offered(p *Plan) map[string]string {
	out := map[string]string{}
	for _, t := range p.Offers() {
		key := t.Block
		if key == "" {
			key = t.Text
		}
		out[key] = t.Why
	}
	return out
}

// paraphrased writes a turn in which everything but the question says it in other words,
// and what was made from it.
func (r *rig) paraphrased() (asked, step, said, later, lesson string) {
	r.t.Helper()
	q := r.say("cpu-p", user("my locker at the gym opens with zebra 4711"))
	s := r.say("cpu-p", transcript.Block{Kind: transcript.KindTool, Agent: "SYSTEM_STATS", Parent: q.ID, Text: "nothing to see"})
	a := r.say("cpu-p", transcript.Block{Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: q.ID, Text: "Noted: striped animal, forty-seven eleven."})
	r.say("cpu-p", user("what is the weather?"), answer("It rains."))
	l := r.say("cpu-p", user("do I need my towel in the gym?"), answer("Yes; and your locker opens as you told me, at the gym."))
	must(r.t, second(r.memory.Append(r.t.Context(), memory.Lesson{Text: "Trains in the evening", Confidence: 1, Session: "cpu-p"})))
	return q.ID, s.ID, a.ID, l.ID, "Trains in the evening"
}

func TestRelatedTextsAreOfferedAndGoWhenChosen(t *testing.T) {
	r := newRig(t)
	_, step, said, later, lesson := r.paraphrased()
	r.say("cpu-other", user("hello"), answer("Good day."))
	must(t, second(r.index.Sync(t.Context())))
	s := Selection{Text: "opens with zebra 4711"}
	must(t, second(r.memory.Append(t.Context(), memory.Lesson{Text: "The locker opens with zebra 4711", Confidence: 1, Session: "cpu-p"})))
	must(t, second(r.index.Sync(t.Context()))) // a line that goes isn't offered
	p := r.plan(s)
	got := offered(p)
	for id, why := range map[string]string{
		step: "a step of the same turn", said: "the answer of the same turn", later: "it uses the same words", lesson: "learnt in the same session",
	} {
		if !strings.Contains(got[id], why) {
			t.Errorf("%s is offered because %q, want %q", id, got[id], why)
		}
	}
	if len(got) != 4 {
		t.Errorf("%d offers, want 4: %v", len(got), got)
	}
	r.forget(s)
	if left := r.residue("striped"); len(left) == 0 {
		t.Error("what was only offered is gone")
	}

	for _, o := range p.Offers() {
		if o.Block == said || o.Text == lesson {
			s.Also = append(s.Also, o.Offer)
		}
	}
	r = newRig(t)
	_, step, said, later, lesson = r.paraphrased()
	must(t, second(r.index.Sync(t.Context())))
	s.Also = nil
	for _, o := range r.plan(s).Offers() {
		if o.Block == said || o.Text == lesson {
			s.Also = append(s.Also, o.Offer)
		}
	}
	again := r.plan(s)
	if got := offered(again); got[said] != "" || got[lesson] != "" || got[step] == "" || got[later] == "" {
		t.Errorf("with two chosen, offered are %v", got)
	}
	r.forget(s)
	r.clean("zebra", "striped", "evening")
	if len(r.residue("nothing to see")) == 0 || len(r.residue("towel")) == 0 {
		t.Error("what was not chosen is gone")
	}
}

func TestOffersOfOtherSelections(t *testing.T) {
	r := newRig(t)
	asked, _, said, _, _ := r.paraphrased()
	past := user("long ago")
	past.Time = time.Now().Add(-48 * time.Hour)
	r.say("cpu-old", past)
	if got := offered(r.plan(Selection{Chunk: "cpu-p/" + asked})); !strings.Contains(got[said], "the answer of the same turn") {
		t.Errorf("for a chunk: %v", got)
	}
	if got := offered(r.plan(Selection{Chunk: "cpu-p/" + said})); got[asked] != "" {
		t.Errorf("the question is offered with its answer: %v", got)
	}
	if got := offered(r.plan(Selection{Session: "cpu-p"})); len(got) != 0 {
		t.Errorf("for a whole session: %v", got)
	}
	if got := offered(r.plan(Selection{Since: time.Now().Add(-time.Hour)})); len(got) != 0 {
		t.Errorf("for a time that holds all: %v", got)
	}
	if got := offered(r.plan(Selection{Author: "301"})); len(got) != 0 {
		t.Errorf("for somebody on Discord: %v", got)
	}
	for _, id := range []string{"cpu-p/none", "memory/agents/memory.md/000000000000"} {
		if _, err := r.f.Plan(t.Context(), Selection{Text: "zebra 4711", Also: []string{id}}); err == nil || !strings.Contains(err.Error(), recall.ErrNoChunk.Error()) {
			t.Errorf("%s: %v, want that there is no such place", id, err)
		}
	}
}

// Text typed elsewhere is offered too: --copies isn't the only way.
func TestTextTypedElsewhereCanBeChosenAlone(t *testing.T) {
	r := newRig(t)
	const sentence = "the blue zebra sleeps below bridge seven"
	r.say("cpu-a", user(sentence))
	one := r.say("cpu-b", user(sentence))
	two := r.say("cpu-c", user(sentence))
	s := Selection{Session: "cpu-a"}
	got := offered(r.plan(s))
	if len(got) != 2 || got[one.ID] == "" || got[two.ID] == "" {
		t.Fatalf("offered are %v", got)
	}
	s.Also = []string{"cpu-b/" + one.ID}
	r.forget(s)
	if left := r.residue("zebra"); slices.ContainsFunc(left, func(l string) bool { return !strings.Contains(l, "cpu-c") }) || len(left) == 0 {
		t.Errorf("left: %v, want it in cpu-c alone", left)
	}
}

func TestOffersAreLimited(t *testing.T) {
	r := newRig(t)
	for i := range 60 {
		r.say("cpu-a", user(fmt.Sprintf("number %d of the zebra", i)), answer("I see."))
	}
	if n := len(r.plan(Selection{Text: "of the zebra"}).Offers()); n != maxOffers {
		t.Errorf("%d offers, want %d", n, maxOffers)
	}
}
