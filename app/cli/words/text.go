package words

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// MostQuoted is how much of a quoted text an error repeats, in characters.
const MostQuoted = 60

// Clean takes out what a terminal would obey: text comes from models, pages and
// other people. Line ends and tabs stay.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069') {
			return -1
		}
		return r
	}, text)
}

// OneLine makes a text one line of at most so many characters.
func OneLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(Clean(text)), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// Sentence begins with a capital (but for the program's name) and ends with a full
// stop.
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

// quoted is a text in quotes inside an error, or a word too long to be one.
var quoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^\s"]{200,}`) })

// CutQuotes shortens what an error repeats of somebody's text.
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
