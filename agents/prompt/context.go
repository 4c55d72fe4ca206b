package prompt

import (
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
)

// contextMark begins each line that the app adds to a message.
const contextMark = "[Context, not from the user: "

// Context is a line that the app adds to a user's message, in words that can't be taken
// for the user's.
func Context(text string) string { return contextMark + text + "]" }

// Echo takes lines of Context out of a streamed answer: small models repeat them. It is
// for answers to messages that hold one; see NewEcho. A nil Echo changes nothing.
type Echo struct {
	held     string // may become the mark
	dropping bool   // until the line's end
}

// NewEcho gives an Echo where one of the messages holds a line of Context, else nil: an
// answer may well be about such a line.
func NewEcho(messages []api.Message) *Echo {
	if !slices.ContainsFunc(messages, func(m api.Message) bool { return m.Role == "user" && strings.Contains(m.Content, "\n"+contextMark) }) {
		return nil
	}
	return &Echo{}
}

// Write takes the next piece and gives what is certain to be the answer by now.
func (e *Echo) Write(piece string) string {
	if e == nil {
		return piece
	}
	var out strings.Builder
	text := e.held + piece
	for e.held = ""; text != ""; {
		if e.dropping {
			end := strings.IndexAny(text, "]\n")
			if end < 0 {
				break
			}
			e.dropping, text = false, strings.TrimPrefix(text[end:], "]")
			continue
		}
		before, after, found := strings.Cut(text, contextMark)
		if !found {
			e.held = beginning(before)
			before = strings.TrimSuffix(before, e.held)
		}
		out.WriteString(before)
		e.dropping, text = found, after
	}
	return out.String()
}

// Finish gives what was held back.
func (e *Echo) Finish() string {
	if e == nil {
		return ""
	}
	held := e.held
	*e = Echo{}
	return held
}

// beginning is the end of a text that may become the mark.
func beginning(text string) string {
	for n := min(len(text), len(contextMark)-1); n > 0; n-- {
		if end := text[len(text)-n:]; strings.HasPrefix(contextMark, end) {
			return end
		}
	}
	return ""
}
