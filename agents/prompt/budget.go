package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"mac-stats/sessionmem/transcript"
)

// MessageTokens is the cost of a message in addition to its text, in raw tokens.
const MessageTokens = 4

// Budget divides a model's context into shares, in tokens. The history gets what the
// parts don't use.
type Budget struct {
	Context int // the whole context
	Answer  int // 25 %: reserved for the answer
	Memory  int // at most 20 %: lessons in the system prompt
	Roster  int // at most 15 %: tools, agents and skills in the system prompt
	Summary int // at most 15 %: the last Summary of the session
	Result  int // at most 25 %: one result of a tool or a sub-call
}

// NewBudget divides a context of that many tokens. If it is zero or less, the size is
// unknown: every share is 0, and nothing is cut to fit.
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

// Known reports whether the context's size is known. If not, the shares don't apply.
func (b Budget) Known() bool { return b.Context > 0 }

// Rest returns the tokens of the context that remain after the answer's share and the
// fixed parts: system prompt, Summary, the user's message with its attachments. It is
// negative if the fixed parts don't fit; the turn then refuses the message.
func (b Budget) Rest(fixed ...int) int {
	rest := b.Context - b.Answer
	for _, n := range fixed {
		rest -= n
	}
	return rest
}

// MemoryRoom returns how many characters of a memory's text go into a prompt: all, unless
// they cost more than the memory's share.
func (b Budget) MemoryRoom(text string) int {
	size := utf8.RuneCountInString(text)
	if cost := transcript.EstimateTokens(text); b.Known() && cost > b.Memory {
		return size * b.Memory / cost
	}
	return size
}

// noteTokens is the maximum cost of the note on a cut text, in tokens.
const noteTokens = 20

// CutResult cuts the result of a tool or a sub-call to that many raw estimated tokens,
// including the note about the cut. It cuts at the end of a line if one is near,
// otherwise between two characters. It returns the text and the number of characters
// left out; a text that fits is returned unchanged, with 0. If the budget is too small
// for any text, only the note remains.
func CutResult(text string, tokens int) (string, int) {
	if transcript.EstimateTokens(text) <= tokens {
		return text, 0
	}
	head := strings.TrimRight(cutAtLine(cutToTokens(text, tokens-noteTokens)), " \t\r\n")
	left := utf8.RuneCountInString(text[len(head):])
	note := fmt.Sprintf("[cut here: %s more characters did not fit]", humanize.Comma(int64(left)))
	if head == "" {
		return note, left
	}
	return head + "\n" + note, left
}

// cutToTokens returns the longest beginning of text with at most that many tokens. It
// ends between two characters.
func cutToTokens(text string, tokens int) string {
	if tokens <= 0 {
		return ""
	}
	low, high := 0, len(text) // text[:low] fits
	for low < high {
		mid := runeStart(text, low+(high-low+1)/2)
		if mid <= low { // the middle is inside the character at low
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

// runeStart moves i back to the beginning of the character it is in. It leaves i alone in
// bytes that aren't UTF-8.
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

// ContextCut counts what didn't fit the model's context.
type ContextCut struct {
	Messages int    `json:"messages,omitempty"` // older messages left out
	Memory   int    `json:"memory,omitempty"`   // characters of memories left out
	Roster   int    `json:"roster,omitempty"`   // agents and skills left out
	Result   int    `json:"result,omitempty"`   // characters cut from tool results
	Attached int    `json:"attached,omitempty"` // characters cut from the files of the message
	Tools    string `json:"tools,omitempty"`    // names of the other programs' tools left out
}
