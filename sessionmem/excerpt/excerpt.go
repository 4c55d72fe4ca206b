// Package excerpt shortens text for a line of a list, a log or a prompt, and finds the known word
// that somebody meant.
package excerpt

import (
	"strings"
	"unicode/utf8"
)

// OneLine puts a text on one line.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Shorten cuts text to at most limit characters, the ellipsis included.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	head := string([]rune(text)[:limit-1])
	if i := strings.LastIndexByte(head, ' '); i > len(head)*2/3 {
		head = head[:i]
	}
	return strings.TrimRight(head, " ,;:.") + "…"
}
