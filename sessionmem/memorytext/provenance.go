package memorytext

import (
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// FormatLesson returns a lesson as a file has it, without the list's sign: with a comment that
// names the day and the session in which it was learned.
func FormatLesson(text, session string, now time.Time) string {
	return text + " <!-- " + strings.TrimSpace(now.Format(time.DateOnly)+" "+PlainName(session)) + " -->"
}

// PlainName makes a name safe for a comment.
func PlainName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && transcript.IsKeyByte(byte(r)) {
			return r
		}
		return '_'
	}, name)
	return strings.ReplaceAll(clean, "--", "-_")
}

// Session returns the session in which the line was learned, or "" if the comment names
// none.
func (b Bullet) Session() string {
	_, session, _ := strings.Cut(b.From, " ")
	return strings.TrimSpace(session)
}

// LearnedOnDiscord reports whether a line's provenance names a Discord session.
func LearnedOnDiscord(from string) bool {
	for word := range strings.FieldsSeq(from) {
		if source, id := transcript.SplitName(word); source == "discord" && id != "" {
			return true
		}
	}
	return false
}

// provenance returns the words of the comment that ends a bullet, or else its first line,
// which has the given length.
func provenance(body string, spans [][2]int, first int) string {
	for _, end := range []int{len(strings.TrimRight(body, " \t\r\n")), len(strings.TrimRight(body[:first], " \t\r"))} {
		for _, span := range spans {
			if span[1] != end || span[1]-span[0] < len("<!---->") {
				continue
			}
			if words := body[span[0]+len("<!--") : end-len("-->")]; !strings.ContainsAny(words, "<>\n") {
				return strings.TrimSpace(words)
			}
		}
	}
	return ""
}
