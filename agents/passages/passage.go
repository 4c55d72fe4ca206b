package passages

import (
	"strings"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
)

// passage returns the part of a text with the most words of the query, as one line of at
// most that many characters.
func passage(text, query string, most int) string {
	runes := []rune(excerpt.OneLine(text))
	if len(runes) <= most {
		return string(runes)
	}
	start := bestStart(runes, strings.Fields(strings.ToLower(query)), most)
	part := strings.TrimSpace(string(runes[start:min(start+most-2, len(runes))]))
	if start > 0 {
		part = "…" + part
	}
	if start+most-2 < len(runes) {
		part += "…"
	}
	return part
}

// bestStart returns the start of the window of that many characters with the most words.
// Windows start at every quarter of one.
func bestStart(text []rune, words []string, most int) int {
	best, bestCount := 0, -1
	for start := 0; start < len(text); start += most / 4 {
		window := strings.ToLower(string(text[start:min(start+most, len(text))]))
		n := 0
		for _, w := range words {
			if utf8.RuneCountInString(w) > 2 && strings.Contains(window, w) {
				n++
			}
		}
		if n > bestCount {
			best, bestCount = start, n
		}
	}
	for at := best; at > 0 && at < min(best+longWord, len(text)); at++ {
		if text[at-1] == ' ' { // not inside a word
			return at
		}
	}
	return best
}
