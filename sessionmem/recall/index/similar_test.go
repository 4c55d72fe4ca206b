package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
)

// found returns the blocks that contain words of a question, best first, without those that only stand beside.
func foundBy(t *testing.T, x *index.Index, question string, similar bool) (out []string) {
	t.Helper()
	w := rank.Default()
	terms := analysis.NewAnalyzer().Query(question, noon)
	err := x.Read(t.Context(), func(now *index.Snapshot) error {
		found, err := now.Candidates(t.Context(), index.Question{Terms: terms, Weights: &w, Similar: similar})
		if err != nil {
			return err
		}
		for _, c := range rank.Order(rank.Query{Terms: terms, Now: noon, Limit: 50}, &w, found.Candidates, nil) {
			p, _, err := now.Passage(t.Context(), c.At)
			if err != nil {
				return err
			}
			out = append(out, p.Block)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSimilarWordsAreFound(t *testing.T) {
	x, path := newIndex(t)
	other := open(t, path, false)
	var all []index.Entry
	for i, text := range []string{"kävimme metsässä eilen", "w ogrodzie rosną kwiaty", "das Bücherregal steht im Flur", "call parseUserInput first", "the rhododendron is in bloom", "oddział w Gdańsku", "we met at Stanford", "東京の天気"} {
		all = append(all, session(fmt.Sprint("s", i), text))
	}
	update(t, x, all)
	for _, c := range []struct {
		question string
		similar  bool
		want     string // the best one
	}{
		{"metsä", true, "s0-0"},
		{"metsä", false, "s0-0"}, // it occurs nowhere as it is
		{"ogród", true, "s1-0"},
		{"Regal", true, "s2-0"},
		{"userinp", true, "s3-0"},
		{"rhododendrom", false, "s4-0"},
		{"Gdańsk", true, "s5-0"},
		{"Stafford", false, "s6-0"},
		{"zebra", true, ""},
		{"天", true, "s7-0"},
		{"大阪", true, ""},
	} {
		for i, x := range []*index.Index{x, other} {
			got := foundBy(t, x, c.question, c.similar)
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) == 0 || got[0] != c.want) {
				t.Errorf("%s, similar %v, file %d: %q, want %q", c.question, c.similar, i, got, c.want)
			}
		}
	}
}

// A word that occurs is only looked for as it is, unless similar ones are asked for.
func TestAWordThatOccursNeedsNoSimilarOnes(t *testing.T) {
	x, _ := newIndex(t)
	update(t, x, []index.Entry{session("a", "Stanford is old"), session("b", "Stafford is small")})
	if got := foundBy(t, x, "Stanford", false); !slices.Equal(got, []string{"a-0"}) {
		t.Errorf("%q", got)
	}
	if got := foundBy(t, x, "Stanford", true); !slices.Equal(got, []string{"a-0", "b-0"}) {
		t.Errorf("%q, want the similar one second", got)
	}
}

// Looking for similar words takes time for each word: a pasted page must not take seconds.
func TestALongQuestionIsMostlySearchedAsItIs(t *testing.T) {
	x, _ := newIndex(t)
	update(t, x, []index.Entry{session("a", "Stanford is old"), session("b", "Stafford is small"), session("c", "the rhododendron is in bloom")})
	var long strings.Builder
	for i := range 100 {
		fmt.Fprintf(&long, " nowhere%c%c", 'a'+i/10, 'a'+i%10)
	}
	for question, want := range map[string][]string{
		"rhododendrom" + long.String():               {"c-0"},
		"Stanford rhododendrom" + long.String():      {"a-0", "c-0"},
		"Stanford" + long.String() + " rhododendrom": {"a-0"},
	} {
		got := foundBy(t, x, question, true)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%.30s…: %q, want %q", question, got, want)
		}
	}
}

func TestTheVocabularyFollowsChanges(t *testing.T) {
	x, path := newIndex(t)
	other := open(t, path, false)
	for i := range 20 { // each adds a row of words
		update(t, x, []index.Entry{session(fmt.Sprint("s", i), fmt.Sprintf("the word%cberry is here", 'a'+i))})
	}
	if got := foundBy(t, other, "wordkberryx", false); len(got) == 0 || got[0] != "s10-0" {
		t.Errorf("%q", got)
	}
	if err := x.Erase(t.Context(), []string{"session/s10.md"}, nil); err != nil {
		t.Fatal(err)
	}
	if left := residue(t, path, []string{"kberri", "wordk"}); len(left) > 0 {
		t.Error(left)
	}
	update(t, x, []index.Entry{session("new", "the quokkaberry is here")})
	for i, x := range []*index.Index{x, other} {
		if got := foundBy(t, x, "wordkberryx", false); slices.Contains(got, "s10-0") {
			t.Errorf("file %d: what was erased is found: %q", i, got)
		}
		if got := foundBy(t, x, "quokkaberryx", false); len(got) == 0 || got[0] != "new-0" {
			t.Errorf("file %d: %q", i, got)
		}
		if got := foundBy(t, x, "wordcberryx", false); len(got) == 0 || got[0] != "s2-0" {
			t.Errorf("file %d: %q", i, got)
		}
	}
}
