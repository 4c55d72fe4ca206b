package fault

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
)

// Sentence turns an error's text into a sentence, with a capital letter and a full stop.
func Sentence(words string) string {
	words = excerpt.OneLine(words)
	if words == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(words)
	words = string(unicode.ToUpper(first)) + words[size:]
	if !strings.ContainsAny(words[len(words)-1:], ".!?") {
		words += "."
	}
	return words
}

// Terminal returns the explanation for a terminal, which has no Retry button.
func (e Explanation) Terminal() Explanation {
	e.Next = strings.NewReplacer(
		"then Retry", "then try again",
		"Retry asks again", "`mac-stats ask -c` goes on from there",
		"Retry", "Try again",
		"Start a new chat: it stays in memory. Or switch the setting off.", "Leave -c and --session out: a new conversation stays in memory. Or switch the setting off.",
		"choose another model", "choose another with --model",
	).Replace(e.Next)
	return e
}
