package memorytext

import (
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// Learnt is a lesson as it stands in a file, without the list's sign: with the comment
// that says when and in which session it was learnt.
func Learnt(text, session string, now time.Time) string {
	return text + " <!-- " + strings.TrimSpace(now.Format(time.DateOnly)+" "+PlainName(session)) + " -->"
}

// PlainName makes a name fit for a comment.
func PlainName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && transcript.IsKeyByte(byte(r)) {
			return r
		}
		return '_'
	}, name)
	return strings.ReplaceAll(clean, "--", "-_")
}

// Session is the session that the line was learnt in, "" where it doesn't say.
func (b Bullet) Session() string {
	_, session, _ := strings.Cut(b.From, " ")
	return strings.TrimSpace(session)
}

// LearntOnDiscord reports whether a line's provenance names a Discord session.
func LearntOnDiscord(from string) bool {
	for word := range strings.FieldsSeq(from) {
		if source, id := transcript.SplitName(word); source == "discord" && id != "" {
			return true
		}
	}
	return false
}

// cutProvenance takes the comment off that a bullet ends with, if it does, and
// gives its words.
func cutProvenance(body string) (rest, from string) {
	inner, ok := strings.CutSuffix(strings.TrimRight(body, " \t"), "-->")
	i := strings.LastIndex(inner, "<!--")
	if !ok || i < 0 || strings.ContainsAny(inner[i+4:], "<>\n") {
		return body, ""
	}
	from = strings.TrimSpace(inner[i+4:])
	if strings.Contains(inner[:i], "<!--") {
		return body, from // it may end a comment that begins before
	}
	return inner[:i], from
}
