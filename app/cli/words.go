package cli

import (
	"fmt"
	"regexp"
	"strings"

	"mac-stats/sessionmem/transcript"
)

// count is a number with its noun: "1 message", "2,000 messages". many is the
// plural where it is not the noun with an s.
func count(n int, noun string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(many) > 0:
		return thousands(n) + " " + many[0]
	}
	return thousands(n) + " " + noun + "s"
}

// countBlocks names n blocks of a transcript.
func countBlocks(n int, kind transcript.Kind) string {
	switch kind {
	case transcript.KindUser:
		return count(n, "user message")
	case transcript.KindAssistant:
		return count(n, "answer")
	case transcript.KindAgent:
		return count(n, "agent's answer", "agents' answers")
	case transcript.KindTool:
		return count(n, "tool result")
	case transcript.KindSummary:
		return count(n, "summary", "summaries")
	case transcript.KindNote:
		return count(n, "note")
	case transcript.KindText:
		return count(n, "piece of other text", "pieces of other text")
	}
	return fmt.Sprintf("%d × %s", n, kind)
}

// mostQuoted is how much of a quoted text an error repeats, in characters.
const mostQuoted = 60

// quoted is a text in quotes inside an error, or a word too long to be one.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^\s"]{200,}`)

// cutQuotes shortens what an error repeats of somebody's text.
func cutQuotes(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(q string) string {
		if !strings.HasPrefix(q, `"`) {
			return oneLine(q, mostQuoted)
		}
		if inner := []rune(q[1 : len(q)-1]); len(inner) > mostQuoted {
			return `"` + string(inner[:mostQuoted-1]) + `…"`
		}
		return q
	})
}
