package prompt

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

// turnMark matches the text with which models end a turn or begin the next one.
var turnMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<\|(?:im_end|im_start|endoftext|end_of_text|end_of_turn|eot_id|eom_id|start_header_id|end|user|assistant)\|>|<(?:start|end)_of_turn>|</s>|\[/?INST\]`)
})

const longestMark = len("<|start_header_id|>")

// TurnEnd ends a streamed answer at the mark with which its model ends its turn as text.
// The server stops there only if it knows the mark; otherwise the model makes up a
// conversation, including turns of the user. A nil TurnEnd changes nothing.
type TurnEnd struct {
	held  string // may be a mark
	line  string // the part of the current line that was returned
	fence fence
	over  bool
}

// NewTurnEnd returns a TurnEnd, or nil if a message has such a mark, because then an
// answer may be about it.
func NewTurnEnd(messages []api.Message) *TurnEnd {
	if slices.ContainsFunc(messages, func(m api.Message) bool { return m.Role != "assistant" && turnMark().MatchString(m.Content) }) {
		return nil
	}
	return &TurnEnd{}
}

// Write processes the next piece and returns the text that is certainly part of the
// answer. over reports that the answer has ended.
func (e *TurnEnd) Write(piece string) (text string, over bool) {
	if e == nil {
		return piece, false
	}
	return e.take(piece, false)
}

// Finish returns the text that was held back.
func (e *TurnEnd) Finish() string {
	if e == nil {
		return ""
	}
	text, _ := e.take("", true)
	return text
}

func (e *TurnEnd) take(piece string, final bool) (string, bool) {
	var out strings.Builder
	rest := e.held + piece
	for e.held = ""; rest != "" && !e.over; {
		at := turnMark().FindStringIndex(rest)
		if at == nil {
			n := len(rest)
			if open := strings.LastIndexAny(rest, "<["); open >= 0 && len(rest)-open < longestMark && !final {
				n = open
			}
			e.output(&out, rest[:n])
			e.held = rest[n:]
			break
		}
		e.output(&out, rest[:at[0]])
		ends, certain := e.ends(rest[at[1]:])
		switch {
		case !certain && !final:
			e.held = rest[at[0]:]
			return out.String(), false
		case ends:
			e.over = true
		default:
			e.output(&out, rest[at[0]:at[1]])
			rest = rest[at[1]:]
		}
	}
	return out.String(), e.over
}

// ends reports whether a mark here, with the given text behind it, ends the turn: it must
// be outside code, and alone on its line or at its end, where nobody would write about
// it. certain reports whether later text can't change that.
func (e *TurnEnd) ends(behind string) (ends, certain bool) {
	behind = strings.TrimLeft(behind, " \t\r")
	next := turnMark().FindStringIndex(behind)
	switch {
	case e.fence.open(), strings.Count(e.line, "`")%2 == 1:
		return false, true
	case strings.TrimSpace(e.line) == "", strings.HasPrefix(behind, "\n"), next != nil && next[0] == 0:
		return true, true
	case behind == "":
		return true, false
	}
	return false, !strings.ContainsAny(behind[:1], "<[") || len(behind) >= longestMark
}

func (e *TurnEnd) output(out *strings.Builder, text string) {
	out.WriteString(text)
	for {
		line, rest, ended := strings.Cut(text, "\n")
		e.line += line
		if !ended {
			return
		}
		e.fence.line(e.line)
		e.line, text = "", rest
	}
}
