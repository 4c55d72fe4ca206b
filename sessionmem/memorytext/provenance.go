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

// cutProvenance removes the comment at the end of a bullet, if there is one, and returns
// its words.
func cutProvenance(body string) (rest, from string) {
	inner, ok := strings.CutSuffix(strings.TrimRight(body, " \t"), "-->")
	i := strings.LastIndexByte(inner, '<')
	if !ok || i < 0 || !strings.HasPrefix(inner[i:], "<!--") || strings.ContainsAny(inner[i+4:], ">\n") {
		return body, ""
	}
	from = strings.TrimSpace(inner[i+4:])
	if strings.Contains(inner[:i], "<!--") {
		return body, from // it may end a comment that began earlier
	}
	return inner[:i], from
}
