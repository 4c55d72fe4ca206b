package words

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// MostQuoted is the longest quotation in an error, in characters.
const MostQuoted = 60

// Clean removes control sequences that a terminal would execute: the text comes from
// models, pages and other people. Line ends and tabs stay.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069') {
			return -1
		}
		return r
	}, text)
}

// OneLine shortens a text to one line of at most so many characters.
func OneLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(Clean(text)), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// Sentence makes a text start with a capital (unless it starts with the program's name) and
// end with a full stop.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if !strings.HasPrefix(text, "mac-stats") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}

// quoted matches a quotation inside an error, or a string too long to be a word.
var quoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^\s"]{200,}`) })

// CutQuotes shortens long quotations in an error.
func CutQuotes(text string) string {
	return quoted().ReplaceAllStringFunc(text, func(q string) string {
		if !strings.HasPrefix(q, `"`) {
			return OneLine(q, MostQuoted)
		}
		if inner := []rune(q[1 : len(q)-1]); len(inner) > MostQuoted {
			return `"` + string(inner[:MostQuoted-1]) + `…"`
		}
		return q
	})
}
