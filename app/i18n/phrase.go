package i18n

import (
	"strings"
)

// Capital makes the first letter upper case.
func Capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-32) + s[1:]
}

// Shorten cuts a text to n characters, ending in ….
func Shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:n])) + "…"
}

// Sentence ends a text with a full stop unless it has one.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:)") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}
