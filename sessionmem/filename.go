package sessionmem

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
	stamp   string // in the form 20060102-150405; "" where the name has no time
	stem    string // the name without its end and the part's number
	part    int    // 1 for a file that is no later part
	copied  bool   // the name says that it is a copy: "Copy of …"
	signed  bool   // the topic holds a sign that the app puts into none
}

// parseFileName reads a transcript's file name. A name of no known form gives
// itself as the session.
func parseFileName(base string) parsedName {
	stem, number := cutPart(strings.TrimSuffix(base, fileSuffix))
	p := parsedName{session: stem, stem: stem, part: number}
	at := strings.Index(stem, filePrefix)
	if at < 0 {
		return p
	}
	name, stamp, topic, ok := cutStamp(stem[at:])
	if !ok {
		return p
	}
	p.session, p.topic, p.stamp, p.copied = name, topic, stamp, at > 0
	if topic, p.signed = cutSign(topic); topic == "" { // session-memory-<topic>-<id>-<ts>.md
		if i := strings.LastIndexByte(name, '-'); i >= 0 && isOlderID(name[i+1:]) {
			p.topic, p.session = name[:i], name[i+1:]
		}
	}
	return p
}

// started is the name's time; zero where it has none. Names hold local time.
func (p parsedName) started() time.Time {
	t, err := time.ParseInLocation(stampForm, p.stamp, time.Local)
	if err != nil {
		return time.Time{}
	}
	return t
}

// cutStamp takes a transcript's file name without its end apart: the session (or,
// in the older form, topic and id), the time, and the topic where the form has it
// at the end. The first time counts. It is done by hand because a list reads
// thousands of names.
func cutStamp(stem string) (name, stamp, topic string, ok bool) {
	rest, ok := strings.CutPrefix(stem, filePrefix)
	if !ok {
		return "", "", "", false
	}
	for i := 1; i+1+len(stampForm) <= len(rest); i++ {
		end := i + 1 + len(stampForm)
		if rest[i] != '-' || !isStamp(rest[i+1:end]) {
			continue
		}
		if end == len(rest) {
			return rest[:i], rest[i+1 : end], "", true
		}
		if rest[end] == '-' {
			return rest[:i], rest[i+1 : end], rest[end+1:], true
		}
		if _, sign := cutSign(rest[end : end+1]); sign { // a copy of a file without a topic
			return rest[:i], rest[i+1 : end], rest[end:], true
		}
	}
	return "", "", "", false
}

// isStamp says whether s has the form 20060102-150405.
func isStamp(s string) bool {
	for i := range len(s) {
		if i == 8 && s[i] != '-' || i != 8 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
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

// mayBeCopy says whether a file's name alone makes it look like a copy.
func (p parsedName) mayBeCopy() bool { return p.copied || p.signed }

// cutSign cuts a topic before the first sign that no topic of the app has: what
// copies have behind the name, such as a blank, a parenthesis or a dot.
func cutSign(topic string) (name string, sign bool) {
	for i := 0; i < len(topic); {
		c := topic[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c >= 'A' && c <= 'Z' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(topic[i:])
		if c < utf8.RuneSelf || r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return strings.TrimRight(topic[:i], "-"), true
		}
		i += size
	}
	return topic, false
}

// partMark is what stands before a part's number in its file name.
const partMark = ".part"

// cutPart takes the part's number off a file's name without its end; 1 where it
// has none.
func cutPart(base string) (stem string, number int) {
	i := strings.LastIndexByte(base, '.') // a number holds none
	if i <= 0 || !strings.HasPrefix(base[i:], partMark) {
		return base, 1
	}
	digits := base[i+len(partMark):]
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || n < 2 || digits[0] == '0' {
		return base, 1
	}
	return base[:i], int(n)
}

// ErrBadName: a text that is no name of a session.
var ErrBadName = errors.New("not a session name")
