package agents

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	// quoteMark is a mark of a quote as Guides.Quote sets it. One inside a quote has
	// another hash, which a small model may not look at.
	quoteMark = regexp.MustCompile(`(?i)<<<(\s*(?:quoted|end)\b)`)
	// turnToken is what chat templates part the turns of a conversation with; servers take
	// it for one wherever it stands.
	turnToken = regexp.MustCompile(`(?i)<(\|[a-z_]+\|)>|<((?:start|end)_of_turn)>|\[(/?INST)\]`)
)

// tame takes out of a text that is quoted what may end the quote, or looks to a model
// like the beginning of another turn, and what people don't see.
func tame(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= 0xE0000 && r <= 0xE007F || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	text = quoteMark.ReplaceAllString(text, "<< <$1")
	return turnToken.ReplaceAllString(text, "($1$2$3)")
}
