package prompt

import (
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
)

// contextMark begins each line that the app adds to a message.
const contextMark = "[Context, not from the user: "

// Context returns a line that the app adds to a user's message, worded so that it can't be
// mistaken for the user's.
func Context(text string) string { return contextMark + text + "]" }

// Echo removes lines of Context from a streamed answer, because small models repeat them.
// It is for answers to messages with such a line; see NewEcho. A nil Echo changes
// nothing.
type Echo struct {
	held     string // may become the mark
	dropping bool   // until the end of the line
}

// NewEcho returns an Echo if one of the messages has a line of Context, else nil: without
// one, an answer may well be about such lines.
func NewEcho(messages []api.Message) *Echo {
	if !slices.ContainsFunc(messages, func(m api.Message) bool { return m.Role == "user" && strings.Contains(m.Content, "\n"+contextMark) }) {
		return nil
	}
	return &Echo{}
}

// Write processes the next piece and returns the text that is certainly part of the
// answer.
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

// Finish returns the text that was held back.
func (e *Echo) Finish() string {
	if e == nil {
		return ""
	}
	held := e.held
	*e = Echo{}
	return held
}

// beginning returns the end of a text that may become the mark.
func beginning(text string) string {
	for n := min(len(text), len(contextMark)-1); n > 0; n-- {
		if end := text[len(text)-n:]; strings.HasPrefix(contextMark, end) {
			return end
		}
	}
	return ""
}
