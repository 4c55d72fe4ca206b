package transcript

import (
	"unicode/utf8"
)

// Limits limits the short-term window. Zero means no limit.
type Limits struct {
	Messages int // messages, default 20
	Tokens   int // estimated tokens, default 8192
}

// EstimateTokens estimates a text's tokens without a model: about 4 bytes of
// Latin text or 1 character of CJK per token. All limits use this estimate, so that a restart
// trims at the same place; for a model's real context, agents calibrates it per model.
func EstimateTokens(text string) int {
	narrow, wide := 0, 0 // bytes, characters
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			narrow++
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if isWide(r) {
			wide++
		} else {
			narrow += n
		}
		i += n
	}
	return wide + (narrow+3)/4
}

// isWide reports whether r belongs to a script in which one character is about one token.
func isWide(r rune) bool {
	return r >= 0x1100 && r <= 0x11FF || // Hangul Jamo
		r >= 0x2E80 && r <= 0xA4CF || // CJK, Kana, Yi
		r >= 0xAC00 && r <= 0xD7FF || // Hangul
		r >= 0xF900 && r <= 0xFAFF || // CJK compatibility
		r >= 0xFF00 && r <= 0xFFEF || // full width
		r >= 0x1F000 && r <= 0x1FAFF || // emoji
		r >= 0x20000 && r <= 0x3FFFF // rare CJK
}

// Trim returns the newest messages within the limits and how many were left out.
// It trims with hysteresis: on reaching a limit it goes down to 75 % of it, so that
// the beginning stays the same for several turns (for the server's prefix cache). It
// depends only on the whole list: replaying the list after a restart returns the same
// window. cost returns a message's size in tokens.
//
// The newest message always stays, even if it alone exceeds the limit: what is too long
// to send is refused elsewhere, not dropped here.
func Trim(messages []Block, lim Limits, cost func(Block) int) (kept []Block, cut int) {
	if lim.Messages <= 0 && lim.Tokens <= 0 {
		return messages, 0
	}
	costs := make([]int, len(messages))
	start, tokens := 0, 0
	for i, m := range messages {
		if lim.Tokens > 0 {
			costs[i] = cost(m)
			tokens += costs[i]
		}
		count := i + 1 - start
		if (lim.Messages <= 0 || count <= lim.Messages) && (lim.Tokens <= 0 || tokens <= lim.Tokens) {
			continue
		}
		for start < i && (lim.Messages > 0 && i+1-start > max(1, lim.Messages*3/4) || lim.Tokens > 0 && tokens > lim.Tokens*3/4) {
			tokens -= costs[start]
			start++
		}
	}
	return messages[start:], start
}
