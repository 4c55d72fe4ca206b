package recall

import (
	"fmt"
	"strings"
	"testing"

	"mac-stats/sessionmem/recall/corpus"
)

// longAnswer returns an answer of many parts, each with a word of the question.
func longAnswer(about string) string {
	var out strings.Builder
	for i := range 12 {
		fmt.Fprintf(&out, "## Step %d\n\nOf %s one may say this in step %d: %s\n\n", i, about, i, strings.Repeat("keep an eye on all that matters here. ", 15))
	}
	return out.String()
}

func TestALongAnswerIsOneHitAndLeavesRoomForOthers(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "How do I water the ferns?", longAnswer("watering ferns"))
	b.talk("cpu-b", "My ferns get a litre of water a day.", "Noted.")
	b.sync()
	a := b.search("watering ferns")
	seen := map[string]bool{}
	for _, h := range a.Hits {
		if seen[h.Session+h.Block] {
			t.Errorf("two hits of the message %s", h.Block)
		}
		seen[h.Session+h.Block] = true
	}
	if first := a.Hits[0].Text; first != "My ferns get a litre of water a day." {
		t.Errorf("the first hit is %.60q, want what the user said in one sentence", first)
	}
}

func TestAHitShowsTheBestPassageOfItsMessage(t *testing.T) {
	b := newBench(t)
	text := longAnswer("gardens") + "Only the last part names the quokka.\n\n" + longAnswer("sheds")
	b.talk("cpu-a", "Tell me about gardens.", text)
	b.sync()
	a := b.search("quokka")
	if len(a.Hits) == 0 || !strings.Contains(a.Hits[0].Text, "quokka") || a.Hits[0].Part == 0 {
		t.Errorf("%q", said(a))
	}
}

func TestSimilarReturnsAllPartsOfAMessage(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "How do I water the ferns?", longAnswer("watering ferns"))
	b.sync()
	all, err := b.x.Similar(t.Context(), "one may say of watering ferns", 50)
	if err != nil || len(all) < 10 {
		t.Errorf("%d chunks, %v; want those of all parts of the answer", len(all), err)
	}
}

func TestAQuestionAboutAdviceFavorsAnswers(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "What soil do ferns like?", longAnswer("soil for ferns"))
	b.talk("cpu-b", "The soil of my ferns is dry.", "Then water them.")
	b.sync()
	places := func(question string) (place int) {
		for i, h := range b.search(question).Hits {
			if h.Kind == corpus.KindAssistant && h.Session == "cpu-a" {
				return i
			}
		}
		return 99
	}
	if asked, other := places("What did you recommend as soil for ferns?"), places("What about soil for ferns?"); asked > other {
		t.Errorf("the answer has place %d where it is asked for, %d else", asked, other)
	}
}

func TestOnlyTheBeginningOfALongAnswerCountsForTheMessageBefore(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "Tell me something.", "Penguins swim. "+strings.Repeat("Much else is to be told. ", 200)+"Ospreys dive.")
	b.talk("cpu-b", "Rain.", "Snow.")
	b.sync()
	for word, want := range map[string]bool{"penguins": true, "ospreys": false} {
		got := false
		for _, h := range b.search(word).Hits {
			got = got || h.Text == "Tell me something."
		}
		if got != want {
			t.Errorf("%s: the question before is found: %v, want %v", word, got, want)
		}
	}
}

func TestNeighboringMessagesAreReturnedOnRequest(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "The wombat digs.\nAnd how.", "It does.", "Which soil?", "The numbat sleeps. "+strings.Repeat("More of it. ", 200))
	b.sync()
	for _, c := range []struct{ question, before, after string }{
		{"wombat digs", "", "It does."},
		{"which soil", "It does.", "The numbat sleeps."},
		{"numbat sleeps", "Which soil?", ""},
	} {
		a, err := b.x.Search(t.Context(), Query{Text: c.question, Now: b.now, Beside: true})
		if err != nil || len(a.Hits) == 0 {
			t.Fatal(err)
		}
		if h := a.Hits[0]; h.Before != c.before || !strings.HasPrefix(h.After, c.after) || len(h.After) > besideBytes || c.after == "" && h.After != "" {
			t.Errorf("%s: %q before, %q after", c.question, h.Before, h.After)
		}
	}
	a, err := b.x.Search(t.Context(), Query{Text: "which soil", Now: b.now, Beside: true, Scope: Scope{Allow: func(c corpus.Chunk) bool { return c.Kind == corpus.KindUser }}})
	if err != nil || a.Hits[0].Before != "" || a.Hits[0].After != "" {
		t.Errorf("a hidden neighbor is returned: %+v %v", a.Hits, err)
	}
	if h := b.search("which soil").Hits[0]; h.Before != "" || h.After != "" {
		t.Errorf("%q and %q, without Beside", h.Before, h.After)
	}
}
