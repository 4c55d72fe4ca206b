package recall

import (
	"strings"
	"testing"
	"time"
)

// aYear returns a folder with a session on each of some days; the last day is today.
func aYear(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	for _, s := range []struct{ day, text string }{
		{"2026-05-04", "The boiler leaks."},
		{"2026-11-10", "The gardener trims the hedge."},
		{"2026-11-15", "The piano is out of tune."},
		{"2026-11-16", "A letter came from the bank."},
		{"2026-11-20", "The gardener was ill."},
		{"2026-11-21", "Tree number 10 and tree number 11 are sick, said the gardener."},
	} {
		day, err := time.Parse(time.DateOnly, s.day)
		if err != nil {
			t.Fatal(err)
		}
		b.now = day.Add(9 * time.Hour)
		b.talk("cpu-"+s.day, s.text, "I see.", "What next?", "Wait.")
	}
	b.sync()
	return b
}

// sessionsOf returns the days of the hits' sessions, each once.
func sessionsOf(a Answer) string {
	var out []string
	for _, h := range a.Hits {
		if day := strings.TrimPrefix(h.Session, "cpu-"); !strings.Contains(strings.Join(out, " "), day) {
			out = append(out, day)
		}
	}
	return strings.Join(out, " ")
}

func TestAQuestionForATimeFindsWhatWasSaidThen(t *testing.T) {
	b := aYear(t)
	for question, want := range map[string]string{
		"today":                             "2026-11-21",
		"yesterday":                         "2026-11-20",
		"what did we talk about yesterday":  "2026-11-20",
		"gestern":                           "2026-11-20",
		"last Friday":                       "2026-11-20",
		"this week":                         "2026-11-21 2026-11-20 2026-11-16",
		"last week":                         "2026-11-15 2026-11-10",
		"in May":                            "2026-05-04", // a cold session
		"in June":                           "",
		"2026-11-10":                        "2026-11-10",
		"11 days ago":                       "2026-11-10",
		"what happened on 10 November 2026": "2026-11-10",
	} {
		if got := sessionsOf(b.search(question)); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
	for question, want := range map[string]string{"10 November": "2026-11-10", "gardener on 2026-11-20": "2026-11-20", "gardener 11 days ago": "2026-11-10"} {
		if got := sessionsOf(b.search(question)); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q first", question, got, want)
		}
	}
}

func TestTextsThatMentionATimeAreFoundToo(t *testing.T) {
	b := newBench(t)
	b.now = time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC)
	for range 6 {
		b.talk("cpu-busy", "One more thing.", "Yes?")
	}
	b.now = b.now.AddDate(0, 0, 2)
	b.talk("cpu-later", "The release of 2026-05-08 was withdrawn.", "A pity.")
	b.sync()
	a := b.search("2026-05-08")
	if got := sessionsOf(a); got != "busy later" || len(a.Hits) != defaultTopK {
		t.Errorf("%d hits of %q", len(a.Hits), got)
	}
}

func TestAQuestionForATimeKeepsToTheScope(t *testing.T) {
	b := aYear(t)
	a, err := b.x.Search(b.Context(), Query{Text: "this week", Now: b.now, Limit: 2, Scope: Scope{NotSession: "cpu-2026-11-20"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := sessionsOf(a); got != "2026-11-21 2026-11-16" {
		t.Errorf("%q", got)
	}
}

func TestATimeThatIsNotOverHasLowRelevance(t *testing.T) {
	b := aYear(t)
	for question, want := range map[string]float64{"yesterday": 1, "today": .3, "this week": .3} {
		a, err := b.x.Search(t.Context(), Query{Text: question, Now: b.now, Limit: 4})
		if err != nil || len(a.Hits) == 0 {
			t.Fatalf("%q: %d hits, %v", question, len(a.Hits), err)
		}
		if got := a.Hits[0].Relevance; got != want {
			t.Errorf("%q: relevance %v, want %v", question, got, want)
		}
	}
}
