package prompt

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

// turnMark matches text that begins with that by which models end a turn or begin the next
// one.
var turnMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:<\|(?:im_end|im_start|endoftext|end_of_text|end_of_turn|eot_id|eom_id|start_header_id|end|user|assistant)\|>|<(?:start|end)_of_turn>|</s>|\[/?INST\])`)
})

// findTurnMark returns where the first mark in text begins and ends; both are -1 if there
// is none. It runs the expression only where a mark can begin, because it reads every token.
func findTurnMark(text string) (from, to int) {
	for at := range len(text) {
		if c := text[at]; c == '<' || c == '[' {
			if n := len(turnMark().FindString(text[at:])); n > 0 {
				return at, at + n
			}
		}
	}
	return -1, -1
}

const longestMark = len("<|start_header_id|>")

// TurnEnd ends a streamed answer at the mark with which its model ends its turn as text.
// The server stops there only if it knows the mark; otherwise the model makes up a
// conversation, including turns of the user. A nil TurnEnd changes nothing.
type TurnEnd struct {
	held  string          // may be a mark
	line  strings.Builder // the part of the current line that was returned
	fence fence
	over  bool
}

// NewTurnEnd returns a TurnEnd, or nil if a message has such a mark, because then an
// answer may be about it.
func NewTurnEnd(messages []api.Message) *TurnEnd {
	for _, m := range messages {
		if m.Role == "assistant" {
			continue
		}
		if from, _ := findTurnMark(m.Content); from >= 0 {
			return nil
		}
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
		from, to := findTurnMark(rest)
		if from < 0 {
			n := len(rest)
			if open := strings.LastIndexAny(rest, "<["); open >= 0 && len(rest)-open < longestMark && !final {
				n = open
			}
			e.output(&out, rest[:n])
			e.held = rest[n:]
			break
		}
		e.output(&out, rest[:from])
		ends, certain := e.ends(rest[to:])
		switch {
		case !certain && !final:
			e.held = rest[from:]
			return out.String(), false
		case ends:
			e.over = true
		default:
			e.output(&out, rest[from:to])
			rest = rest[to:]
		}
	}
	return out.String(), e.over
}

// ends reports whether a mark here, with the given text behind it, ends the turn: it must
// be outside code, and alone on its line or at its end, where nobody would write about
// it. certain reports whether later text can't change that.
func (e *TurnEnd) ends(behind string) (ends, certain bool) {
	behind = strings.TrimLeft(behind, " \t\r")
	switch {
	case e.fence.open(), strings.Count(e.line.String(), "`")%2 == 1:
		return false, true
	case strings.TrimSpace(e.line.String()) == "", strings.HasPrefix(behind, "\n"), turnMark().MatchString(behind):
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
		e.line.WriteString(line)
		if !ended {
			return
		}
		e.fence.line(e.line.String())
		e.line.Reset()
		text = rest
	}
}
