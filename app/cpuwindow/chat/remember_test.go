package chat

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFirstSentence(t *testing.T) {
	for message, want := range map[string]string{
		"The backup runs at 3.30. It takes an hour.": "The backup runs at 3.30.",
		"# Disks\n\nOne is full.":                    "Disks",
		"- **one** item\n- another":                  "one item",
		"\n\n  Is it? Yes.":                          "Is it?",
		"no end":                                     "no end",
		"東京に住んでいます。猫がいます。":                           "東京に住んでいます。",
		"": "",
	} {
		if got := firstSentence(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
	if n := utf8.RuneCountInString(firstSentence(strings.Repeat("long ", 100))); n > longestLine {
		t.Errorf("%d characters", n)
	}
}
