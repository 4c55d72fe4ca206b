// Package prompt makes what a model is told: the system prompt of an agent, the shares of
// the model's context, the frames around text that the user didn't type, and the reading
// of directives in a reply.
//
// Equal input gives equal bytes, so that the server can re-use what it has read of a
// conversation. Text of a page, a file, a channel, another agent or an earlier
// conversation stands between two marks that it can't close: they hold a hash of the
// text, and whatever looks like a mark inside it is changed.
//
// The package calls no model and runs no tool. Template tokens are changed by
// ollama.Client in every message that it sends.
package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// sourceMark is where a frame names the source.
const sourceMark = "{{source}}"

// Quote puts a text into a frame: words for the model with {{source}} in them, then
// the text between the marks. source says whose it is, in words of this app: what a
// stranger chose (an address, a file's name, a title) belongs into the text.
func Quote(frame, source, text string) string {
	text = strings.TrimSpace(tame(text))
	sum := sha256.Sum256([]byte(source + "\n" + text))
	mark := hex.EncodeToString(sum[:8])
	return fmt.Sprintf("%s\n<<<quoted %s>>>\n%s\n<<<end %s>>>", strings.ReplaceAll(frame, sourceMark, source), mark, text, mark)
}

// quoteMark is a mark of Quote, also with blanks, letters nobody sees or other brackets.
// One inside a quote has another hash, which a small model may not look at.
var quoteMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:[<＜‹〈⟨][\s\p{Cf}]*){3,}((?:quoted|end)\b)`)
})

// tame takes out of a text what may end its quote, and what people don't see.
func tame(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= 0xE0000 && r <= 0xE007F || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	return quoteMark().ReplaceAllString(text, "<< <$1")
}
