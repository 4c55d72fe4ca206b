package transcript

import (
	"unicode/utf8"
)

// Limits caps the short-term window. Zero means no cap.
type Limits struct {
	Messages int // messages, default 20
	Tokens   int // estimated tokens, default 8192
}

// EstimateTokens estimates a text's tokens without a model: about 4 bytes of
// Latin text or 1 character of CJK to a token. It is the one estimate used for
// caps, so that a restart trims at the same place; agents calibrates it per model
// where the model's real context is concerned.
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

// isWide says whether r is of a script in which a character is about a token.
func isWide(r rune) bool {
	return r >= 0x1100 && r <= 0x11FF || // Hangul Jamo
		r >= 0x2E80 && r <= 0xA4CF || // CJK, Kana, Yi
		r >= 0xAC00 && r <= 0xD7FF || // Hangul
		r >= 0xF900 && r <= 0xFAFF || // CJK compatibility
		r >= 0xFF00 && r <= 0xFFEF || // full width
		r >= 0x1F000 && r <= 0x1FAFF || // emoji
		r >= 0x20000 && r <= 0x3FFFF // rare CJK
}

// Trim gives the newest messages within the limits and how many were left out.
// It trims with hysteresis: on reaching a cap it goes down to 75 % of it, so that
// the beginning stays the same for several turns (the server's prefix cache). It
// is a pure function of the whole list: replaying it after a restart gives the
// same window. cost is what a message counts for in tokens.
//
// The newest message always stays, also where it alone is beyond the cap: what is
// too long to send is refused elsewhere, not dropped here.
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
