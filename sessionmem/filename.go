package sessionmem

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	filePrefix = "session-memory-"
	fileSuffix = ".md"
	stampForm  = "20060102-150405"

	maxNameLen    = 64  // bytes of a session's name
	maxTopicLen   = 40  // characters of a topic
	maxTopicBytes = 120 // bytes of a topic: file names end at 255
)

// fileNamePattern reads a transcript's file name without its end: the session (or, in the older
// form, topic and id), the time, and the topic where the form has it at the end.
var fileNamePattern = regexp.MustCompile(`^session-memory-(.+?)-(\d{8}-\d{6})(?:-(.*))?$`)

// stampPattern is what a session's name may not hold: in a file name it would
// be taken for the time.
var stampPattern = regexp.MustCompile(`-\d{8}-\d{6}(-|$)`)

// reservedNames are names that Windows keeps for devices.
var reservedNames = []string{"con", "prn", "aux", "nul"}

// checkName says whether a session may have this name. The error is ErrBadName
// with the reason.
func checkName(name string) error {
	bad := func(why string) error {
		return fmt.Errorf("%w: %q %s; use lower-case letters, digits, - and _, e.g. cli-notes", ErrBadName, name, why)
	}
	switch {
	case name == "":
		return bad("is empty")
	case len(name) > maxNameLen:
		return bad(fmt.Sprintf("is longer than %d characters", maxNameLen))
	case slices.Contains(reservedNames, name):
		return bad("is a device's name on Windows")
	case name[0] == '-' || name[len(name)-1] == '-':
		return bad("begins or ends with a dash")
	case stampPattern.MatchString(name):
		return bad("holds a date and time")
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return bad(fmt.Sprintf("holds %q", r))
		}
	}
	return nil
}

// fileName is the name of a new transcript.
func fileName(name string, started time.Time, topic string) string {
	return filePrefix + name + "-" + started.Format(stampForm) + "-" + topic + fileSuffix
}

// parsedName is what a transcript's file name tells.
type parsedName struct {
	session string
	topic   string
	started time.Time // local; zero where the name has no time
	stem    string    // the name without its end and the part's number
	part    int       // 1 for a file that is no later part
}

// parseFileName reads a transcript's file name. A name of no known form gives
// itself as the session.
func parseFileName(base string) parsedName {
	stem, number := cutPart(strings.TrimSuffix(base, fileSuffix))
	p := parsedName{session: stem, stem: stem, part: number}
	m := fileNamePattern.FindStringSubmatch(stem)
	if m == nil {
		return p
	}
	p.session, p.topic = m[1], m[3]
	if t, err := time.ParseInLocation(stampForm, m[2], time.Local); err == nil {
		p.started = t
	}
	if m[3] == "" { // session-memory-<topic>-<id>-<ts>.md
		if i := strings.LastIndexByte(m[1], '-'); i >= 0 && isOlderID(m[1][i+1:]) {
			p.topic, p.session = m[1][:i], m[1][i+1:]
		}
	}
	return p
}

// isOlderID says whether the last part of an older file name is an id of its own
// (a channel's number) rather than the end of a name such as cli-notes.
func isOlderID(s string) bool {
	return len(s) >= 5 && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// splitName gives a session name's source and id. A bare number is a Discord
// channel of the older files.
func splitName(name string) (source, id string) {
	if isOlderID(name) {
		return "discord", name
	}
	if source, id, ok := strings.Cut(name, "-"); ok {
		return source, id
	}
	return "", name
}

// topicOf makes the topic of a file name from the first user message: at most 40
// characters, letters and digits of any script, "chat" where there are none.
func topicOf(text string) string {
	var b strings.Builder
	n, dash := 0, false
	for _, r := range strings.ToLower(firstLine(text)) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || r == unicode.ReplacementChar {
			dash = n > 0
			continue
		}
		if dash {
			n++
		}
		if n++; n > maxTopicLen || b.Len()+5 > maxTopicBytes {
			break
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "chat"
	}
	return b.String()
}

// firstLine is the first line of text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// oneLine makes text one line of single spaces.
func oneLine(text string) string {
	text = strings.TrimSpace(text)
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf || c < ' ' || c == ' ' && text[i+1] == ' ' { // a blank is never the last
			return strings.Join(strings.Fields(text), " ")
		}
	}
	return text // the rule, and nothing is copied
}
