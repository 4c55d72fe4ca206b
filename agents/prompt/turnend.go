package prompt

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

// turnMark is how models end a turn, or begin the next one, in words.
var turnMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<\|(?:im_end|im_start|endoftext|end_of_text|end_of_turn|eot_id|eom_id|start_header_id|end|user|assistant)\|>|<(?:start|end)_of_turn>|</s>|\[/?INST\]`)
})

const longestMark = len("<|start_header_id|>")

// TurnEnd ends a streamed answer at the mark by which its model ends its turn in words:
// the server stops there only if it knows the mark. What follows is a conversation that
// the model makes up, with turns of the user. A nil TurnEnd changes nothing.
type TurnEnd struct {
	held  string // may be a mark
	line  string // what of the current line was given
	fence fence
	over  bool
}

// NewTurnEnd gives one, or nil where a message holds such a mark: then an answer may well
// be about it.
func NewTurnEnd(messages []api.Message) *TurnEnd {
	if slices.ContainsFunc(messages, func(m api.Message) bool { return m.Role != "assistant" && turnMark().MatchString(m.Content) }) {
		return nil
	}
	return &TurnEnd{}
}

// Write takes the next piece and gives what is certain to be the answer by now. over says
// that it has ended.
func (e *TurnEnd) Write(piece string) (text string, over bool) {
	if e == nil {
		return piece, false
	}
	return e.take(piece, false)
}

// Finish gives what was held back.
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
			e.give(&out, rest[:n])
			e.held = rest[n:]
			break
		}
		e.give(&out, rest[:at[0]])
		ends, certain := e.ends(rest[at[1]:])
		switch {
		case !certain && !final:
			e.held = rest[at[0]:]
			return out.String(), false
		case ends:
			e.over = true
		default:
			e.give(&out, rest[at[0]:at[1]])
			rest = rest[at[1]:]
		}
	}
	return out.String(), e.over
}

// ends reports whether a mark at this place, with that behind it, ends the turn: outside
// of code, alone on its line or at its end, as nobody writes about it. certain is whether
// what is still to come changes nothing of that.
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

func (e *TurnEnd) give(out *strings.Builder, text string) {
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
