package engine

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/rank"
)

// found returns the candidates for a question by their text.
func (x *index) found(question string) map[string]rank.Candidate {
	x.Helper()
	all, _ := x.ask(x.e, Question{Terms: x.terms(question)})
	out := map[string]rank.Candidate{}
	x.read(x.e, func(s *Snapshot) {
		for _, c := range all.Candidates {
			d, _, err := s.Passage(x.Context(), c.At)
			if err != nil {
				x.Fatal(err)
			}
			out[d.Block] = c
		}
	})
	return out
}

// order returns the texts that a question finds, best first by their words.
func (x *index) order(question string) []string {
	x.Helper()
	found, w := x.found(question), rank.Default()
	out := make([]string, 0, len(found))
	for text := range found {
		out = append(out, text)
	}
	value := func(text string) float64 {
		c := found[text]
		return w.Base(c.Words, c.Session, c.Share)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(a, b)) })
	return out
}

func TestPassagesAreScoredByTheWordsInAndAroundThem(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		texts    map[uint32]string
		question string
		want     []string
	}{
		"a rare word counts more": {
			map[uint32]string{0: "otter river", 10: "otter heron", 20: "otter river wolf", 30: "otter river", 40: "wolf heron"},
			"river heron",
			[]string{"otter heron", "wolf heron", "otter river", "otter river wolf"},
		},
		"a word said twice counts more":         {map[uint32]string{0: "otter lake rain", 10: "otter otter rain", 20: "wolf lake rain"}, "otter", []string{"otter otter rain", "otter lake rain"}},
		"a word among few counts more":          {map[uint32]string{0: "otter lake rain wolf bear heron", 10: "otter lake"}, "otter", []string{"otter lake", "otter lake rain wolf bear heron"}},
		"messages beside it count less":         {map[uint32]string{0: "snow falls", 10: "the otter!", 11: "it swims well", 20: "rain"}, "otter", []string{"the otter!", "it swims well"}},
		"an answer counts by what was asked":    {map[uint32]string{10: "the otter swims", 11: "well indeed", 30: "is that an otter?", 31: "yes indeed"}, "otter", []string{"the otter swims", "is that an otter?", "yes indeed", "well indeed"}},
		"those before it count by their place":  {map[uint32]string{10: "one two", 11: "three four", 12: "the otter swims"}, "otter", []string{"the otter swims", "three four", "one two"}},
		"beyond its reach nothing counts":       {map[uint32]string{10: "one two", 13: "the otter swims", 16: "three four"}, "otter", []string{"the otter swims"}},
		"nothing is found by words it lacks":    {map[uint32]string{0: "the otter swims"}, "heron", []string{}},
		"nothing is found by no words":          {map[uint32]string{0: "the otter swims"}, "", []string{}},
		"words of a long question still count":  {map[uint32]string{0: "the otter swims"}, strings.Repeat("heron wolf ", 10) + manyWords(300) + " otter", []string{}},
		"but the first ones of a long question": {map[uint32]string{0: "the otter swims"}, "otter " + manyWords(300), []string{"the otter swims"}},
	} {
		x := newIndex(t, DefaultLimits())
		x.put("cpu-a", c.texts)
		x.put("cpu-b", map[uint32]string{0: "bread bakes", 10: "the piano sounds"})
		for range 2 { // in the delta, and as a segment
			got := x.order(c.question)
			if d := gocmp.Diff(c.want, got); d != "" {
				t.Errorf("%s: %s", what, d)
			}
			if err := x.e.flushDelta(t.Context(), x.e.current()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func manyWords(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("w%c%c%c", 'b'+i%20, 'b'+i/20%20, 'b'+i/400))
	}
	return strings.Join(out, " ")
}

func TestASessionAboutItCounts(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.put("cpu-a", map[uint32]string{0: "an otter sleeps", 10: "otter otter otter", 20: "otter food"})
	x.put("cpu-b", map[uint32]string{0: "one otter sleeps"})
	found := x.found("otter")
	if a, b := found["an otter sleeps"], found["one otter sleeps"]; a.Session != 1 || b.Session >= 1 || math.Abs(a.Words-b.Words) > 1e-6 || a.Source == b.Source {
		t.Errorf("%+v and %+v, want that only their sessions differ", a, b)
	}
}

func TestRelevanceIsTheShareOfTheQuestionThatIsFound(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.put("cpu-a", map[uint32]string{0: "the otter swims", 10: "the otter and the heron"})
	half, whole := x.found("otter heron"), x.found("otter")
	if a, b, c := half["the otter swims"], half["the otter and the heron"], whole["the otter swims"]; a.Relevance >= b.Relevance || c.Relevance <= a.Relevance || b.Relevance > 1 || a.Relevance <= 0 {
		t.Errorf("%v %v %v", a.Relevance, b.Relevance, c.Relevance)
	}
}

func TestIdentifiersOfTheQuestionAreMarked(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.put("cpu-a", map[uint32]string{0: "E0432 in main.rs", 10: "the otter fails", 20: "E0433 otter"})
	for range 2 { // the second question has no identifier
		found := x.found("otter E0432")
		if !found["E0432 in main.rs"].Exact || found["the otter fails"].Exact || found["E0433 otter"].Exact {
			t.Errorf("%+v", found)
		}
		for text, c := range x.found("otter fails") {
			if c.Exact {
				t.Errorf("%q is marked, and the question has no identifier", text)
			}
		}
	}
}

func TestALongMessageSharesItsScore(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.putPassages("cpu-a", []format.Passage{
		{Seq: 0, Block: "before one", Kind: format.RoleUser},
		{Seq: 1, Block: "before two", Kind: format.RoleUser, Continues: true},
		{Seq: 2, Block: "an otter begins", Kind: format.RoleAssistant},
		{Seq: 3, Block: "an otter goes on", Kind: format.RoleAssistant, Continues: true},
		{Seq: 4, Block: "an otter ends", Kind: format.RoleAssistant, Continues: true},
		{Seq: 5, Block: "after one", Kind: format.RoleUser},
		{Seq: 6, Block: "after two", Kind: format.RoleUser, Continues: true},
		{Seq: 20, Block: "an otter alone", Kind: format.RoleUser},
		{Seq: 40, Block: "an osprey begins", Kind: format.RoleUser},
		{Seq: 41, Block: strings.Repeat("much else ", 20) + "kestrel", Kind: format.RoleUser, Continues: true},
		{Seq: 42, Block: "indeed", Kind: format.RoleAssistant},
	})
	found, w := x.found("otter"), rank.Default()
	want := math.Pow(3, -w.Spread)
	for text, share := range map[string]float64{"an otter begins": want, "an otter goes on": want, "an otter ends": want, "an otter alone": 1, "before one": math.Pow(2, -w.Spread), "after two": math.Pow(2, -w.Spread)} {
		c, ok := found[text]
		if !ok || math.Abs(c.Share-share) > 1e-6 {
			t.Errorf("%q is found: %v, its share is %v, want %v", text, ok, c.Share, share)
		}
	}
	if first := found["an otter begins"].Message; found["an otter ends"].Message != first || found["after one"].Message == first {
		t.Error("the parts of a message are not of one")
	}
	if about := x.found("what did you say about the otter"); about["an otter ends"].Share <= want || about["an otter alone"].Share != 1 {
		t.Errorf("%+v where the answer is asked for", about["an otter ends"])
	}
	if _, ok := x.found("osprey")["indeed"]; !ok {
		t.Error("an answer isn't found by the beginning of its question")
	}
	if _, ok := x.found("kestrel")["indeed"]; ok {
		t.Error("an answer is found by the end of a long question, which has its own subject")
	}
}

func TestMessagesBesideAPassage(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.putPassages("cpu-a", []format.Passage{
		{Seq: 0, Block: "ant"}, {Seq: 1, Block: "bee"}, {Seq: 2, Block: "bees", Continues: true}, {Seq: 3, Block: "cat"},
	})
	x.read(x.e, func(s *Snapshot) {
		text := func(at uint32) string {
			d, _, err := s.Passage(t.Context(), at)
			if err != nil {
				return err.Error()
			}
			return d.Block
		}
		err := s.Each(t.Context(), s.Source("cpu-a"), func(at uint32, d format.Passage) error {
			before, after := s.Beside(at)
			want := map[string][2]string{"ant": {ErrNone.Error(), "bee"}, "bee": {"ant", "cat"}, "bees": {"ant", "cat"}, "cat": {"bee", ErrNone.Error()}}[d.Block]
			if got := [2]string{text(before), text(after)}; got != want {
				t.Errorf("beside %s are %q, want %q", d.Block, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestMessagesOfATimeComeBySessionAndTalkFirst(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.putPassages("cpu-a", []format.Passage{
		{Seq: 0, Block: "too early", Time: 99},
		{Seq: 1, Block: "first", Time: 100},
		{Seq: 2, Block: "second", Time: 150},
		{Seq: 3, Block: "too late", Time: 200},
		{Strand: format.StrandWork, Seq: 0, Block: "work for it", Time: 120},
	})
	x.putPassages("cpu-b", []format.Passage{{Seq: 0, Block: "elsewhere", Time: 110}})
	x.putPassages("cpu-c", []format.Passage{{Seq: 0, Block: "another time", Time: 300}, {Seq: 1, Block: "and before", Time: 50}})
	spans := []analysis.Span{{From: time.Unix(100, 0), To: time.Unix(200, 0)}}
	x.read(x.e, func(s *Snapshot) {
		allowed := make([]bool, len(s.Sources()))
		for i, k := range s.Sources() {
			allowed[i] = k != nil && k.Key == "cpu-b"
		}
		for what, c := range map[string]struct {
			allowed []bool
			want    map[string]bool
		}{
			"of all":         {nil, map[string]bool{"first second work for it": true, "elsewhere": true}},
			"of one session": {allowed, map[string]bool{"elsewhere": true}},
			"of none":        {make([]bool, len(allowed)), map[string]bool{}},
		} {
			got := map[string]bool{}
			for _, session := range s.MessagesWithin(spans, c.allowed) {
				var texts []string
				for _, m := range session {
					d, _, err := s.Passage(t.Context(), m.At)
					if err != nil {
						t.Fatal(err)
					}
					texts = append(texts, d.Block)
				}
				got[strings.Join(texts, " ")] = true
			}
			if d := gocmp.Diff(c.want, got); d != "" {
				t.Errorf("%s: %s", what, d)
			}
		}
	})
}

func TestAHeapKeepsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		h := heap{limit: 1 + r.IntN(9)}
		var all []heapItem
		for at := range uint32(r.IntN(40)) {
			item := heapItem{at, float64(r.IntN(6))}
			all = append(all, item)
			if worst := h.worst(); len(h.items) < h.limit && worst >= 0 {
				t.Fatalf("%v has to be beaten while there is room", worst)
			}
			h.push(item.at, item.score)
		}
		better := func(a, b heapItem) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at)) }
		slices.SortFunc(all, better)
		slices.SortFunc(h.items, better)
		if want := all[:min(h.limit, len(all))]; !slices.Equal(want, h.items) {
			t.Fatalf("%v, want %v", h.items, want)
		}
	}
}
