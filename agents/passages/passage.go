package passages

import (
	"strings"
	"unicode/utf8"

	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/excerpt"
)

// passage is the part of a text that has most of the query's words, in one line of at
// most so many characters. Lines in the form of a directive are left out: a model may
// repeat what it is quoted.
func passage(text, query string, most int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && prompt.DirectiveName(line) == "" && !prompt.NearMiss().MatchString(line) {
			lines = append(lines, line)
		}
	}
	runes := []rune(excerpt.OneLine(strings.Join(lines, " ")))
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

// bestStart is where the window of so many characters begins that holds most of the
// words; windows begin at every quarter of one.
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
		if text[at-1] == ' ' { // not within a word
			return at
		}
	}
	return best
}
