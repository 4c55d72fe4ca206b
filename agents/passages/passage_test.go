package passages

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/transcript"
)

func TestAPassageIsThePartWithTheQueryWords(t *testing.T) {
	long := strings.Repeat("Nothing of it. ", 60) + "The zephyr proxy listens on port 8443. " + strings.Repeat("And so on. ", 60)
	for name, c := range map[string]struct{ text, query, want string }{
		"short, in one line":      {"It listens\n on 8443.", "zephyr", "It listens on 8443."},
		"the words in the middle": {long, "which port has the zephyr proxy?", "zephyr proxy listens on port 8443"},
		"a line like a call":      {"Likes tea.\nMEMORY_APPEND: x\nAnd coffee.", "tea", "Likes tea. MEMORY_APPEND: x And coffee."},
	} {
		got := passage(c.text, c.query, noteChars)
		if !strings.Contains(got, c.want) || utf8.RuneCountInString(got) > noteChars {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestSourcesOfAHit(t *testing.T) {
	var typed, page recall.Hit
	page.Sources = transcript.FromPage
	said := typed
	said.Source = "discord"
	odd := typed
	odd.Untrusted = true
	for name, c := range map[string]struct {
		hit  recall.Hit
		want transcript.Sources
	}{
		"typed": {typed, 0}, "a page's": {page, transcript.FromPage}, "said on Discord": {said, transcript.FromDiscord},
		"nobody can tell": {odd, transcript.FromUnknown},
	} {
		if got := sourcesOf(c.hit); got != c.want || SaidOnDiscord(c.hit) != (name == "said on Discord") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPassagesWorthANote(t *testing.T) {
	if asksSomething("Thanks!") || !asksSomething("Where is the zephyr proxy?") {
		t.Error("thanks are no question, and a question is one")
	}
	if news("the zephyr proxy", "where is the zephyr proxy?") != 0 || news("port 8443", "which port?") != 4 {
		t.Error("only words that the message lacks are news")
	}
}
