package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"mac-stats/sessionmem/transcript"
)

// MessageTokens is what a message costs beside its text, in raw tokens.
const MessageTokens = 4

// Budget is how a model's context is shared out, in tokens. What the parts do
// not use goes to the history.
type Budget struct {
	Context int // the whole context
	Answer  int // 25 %: kept free for the answer
	Memory  int // at most 20 %: lessons in the system prompt
	Roster  int // at most 15 %: tools, agents and skills in the system prompt
	Summary int // at most 15 %: the last Summary of the session
	Result  int // at most 25 %: one result of a tool or a sub-call
}

// NewBudget shares out a context of that many tokens. Zero or less means the
// size is unknown: every share is 0, and nothing is cut to fit.
func NewBudget(contextTokens int) Budget {
	n := max(contextTokens, 0)
	return Budget{
		Context: n,
		Answer:  n * 25 / 100,
		Memory:  n * 20 / 100,
		Roster:  n * 15 / 100,
		Summary: n * 15 / 100,
		Result:  n * 25 / 100,
	}
}

// Known reports whether the context's size is known, so that the shares bind.
func (b Budget) Known() bool { return b.Context > 0 }

// Rest is what is left of the context once the answer's share and the fixed
// parts (system prompt, Summary, the user's message with what is attached to it)
// are taken off, in tokens. It is negative where the fixed parts do not fit: the
// turn then refuses the message instead of sending it.
func (b Budget) Rest(fixed ...int) int {
	rest := b.Context - b.Answer
	for _, n := range fixed {
		rest -= n
	}
	return rest
}

// noteTokens is what the note of a cut text costs at most, in tokens.
const noteTokens = 20

// CutResult cuts a tool's or a sub-call's result to so many raw estimated tokens
// (the note included), at the end of a line where one is near, else between two
// characters. It returns the text and how many characters were left out; a text
// that fits comes back unchanged with 0. A budget too small for any text leaves
// the note alone.
func CutResult(text string, tokens int) (string, int) {
	if transcript.EstimateTokens(text) <= tokens {
		return text, 0
	}
	head := strings.TrimRight(cutAtLine(cutToTokens(text, tokens-noteTokens)), " \t\r\n")
	left := utf8.RuneCountInString(text[len(head):])
	note := fmt.Sprintf("[cut here: %s more characters did not fit]", Thousands(left))
	if head == "" {
		return note, left
	}
	return head + "\n" + note, left
}

// cutToTokens gives the longest beginning of text of at most that many tokens,
// ending between two characters.
func cutToTokens(text string, tokens int) string {
	if tokens <= 0 {
		return ""
	}
	low, high := 0, len(text) // text[:low] fits
	for low < high {
		mid := runeStart(text, low+(high-low+1)/2)
		if mid <= low { // the middle fell into the character at low
			_, size := utf8.DecodeRuneInString(text[low:])
			mid = low + size
		}
		if mid <= high && transcript.EstimateTokens(text[:mid]) <= tokens {
			low = mid
			continue
		}
		high = min(high-1, runeStart(text, mid-1))
	}
	return text[:low]
}

// runeStart moves i back to the beginning of the character it is in, if it is in
// one: bytes that are no UTF-8 stay as they are.
func runeStart(text string, i int) int {
	for back := range utf8.UTFMax {
		if at := i - back; at <= 0 || at >= len(text) || utf8.RuneStart(text[at]) {
			return max(at, 0)
		}
	}
	return i
}

// cutAtLine drops the unfinished last line, unless that would lose more than half.
func cutAtLine(text string) string {
	if i := strings.LastIndexByte(text, '\n'); i >= len(text)/2 {
		return text[:i]
	}
	return text
}

// Thousands writes n with commas: 5,360.
func Thousands(n int) string { return humanize.Comma(int64(n)) }

// ContextCut says what did not fit the model's context.
type ContextCut struct {
	Messages int `json:"messages,omitempty"` // older messages left out
	Memory   int `json:"memory,omitempty"`   // memory lines left out
	Roster   int `json:"roster,omitempty"`   // agents and skills left out
	Result   int `json:"result,omitempty"`   // characters cut from tool results
	Attached int `json:"attached,omitempty"` // characters cut from the files of the message
}
