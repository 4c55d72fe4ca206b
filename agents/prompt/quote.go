// Package prompt builds what a model reads: the system prompt of an agent, the shares of
// the model's context, and the frames around text that the user didn't type. It also
// reads the directives in a model's reply.
//
// Equal input produces equal bytes, so that the server can reuse what it has read of a
// conversation. Text of a page, a file, a channel, another agent or an earlier
// conversation is between two marks that it can't close: they contain a hash of the text,
// and anything inside that looks like a mark is changed.
//
// The package calls no model and runs no tool. ollama.Client changes template tokens in
// every message that it sends.
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

// sourceMark is the placeholder for the source in a frame.
const sourceMark = "{{source}}"

// Quote frames a text: the frame's words with {{source}} replaced, then the text between
// the marks. source names the text's origin in the app's own words; anything a stranger
// chose (an address, a file's name, a title) belongs in the text.
func Quote(frame, source, text string) string {
	text = strings.TrimSpace(neutralize(text))
	sum := sha256.Sum256([]byte(source + "\n" + text))
	mark := hex.EncodeToString(sum[:8])
	return fmt.Sprintf("%s\n<<<quoted %s>>>\n%s\n<<<end %s>>>", strings.ReplaceAll(frame, sourceMark, source), mark, text, mark)
}

// quoteMark matches a mark of Quote, even with blanks, invisible characters or other
// brackets. A mark inside a quote has another hash, but a small model may not notice.
var quoteMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:[<＜‹〈⟨][\s\p{Cf}]*){3,}((?:quoted|end)\b)`)
})

// neutralize removes from a text anything that might end its quote, and invisible characters.
func neutralize(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= 0xE0000 && r <= 0xE007F || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	return quoteMark().ReplaceAllString(text, "<< <$1")
}
