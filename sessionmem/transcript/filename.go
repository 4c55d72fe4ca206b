package transcript

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
	// FileSuffix ends a transcript's name.
	FileSuffix = ".md"
	// StampForm is the layout of the time in a transcript's name, for package time.
	StampForm = "20060102-150405"

	maxTopicLen   = 40  // characters of a topic
	maxTopicBytes = 120 // bytes of a topic: file names are limited to 255
)

// MaxNameLen is the limit of a session's name in bytes.
const MaxNameLen = 64

// stampPattern matches what a session's name must not contain: in a file name it would be
// mistaken for the time.
var stampPattern = regexp.MustCompile(`-\d{8}-\d{6}(-|$)`)

// reservedNames are names that Windows reserves for devices.
var reservedNames = []string{"con", "prn", "aux", "nul"}

// CheckName returns nil if a session may have this name, otherwise ErrBadName with the
// reason.
func CheckName(name string) error {
	bad := func(why string) error {
		return fmt.Errorf("%w: %q %s; use lower-case letters, digits, - and _, e.g. cli-notes", ErrBadName, name, why)
	}
	switch {
	case name == "":
		return bad("is empty")
	case len(name) > MaxNameLen:
		return bad(fmt.Sprintf("is longer than %d characters", MaxNameLen))
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

// FileName returns the name of a new transcript.
func FileName(name string, started time.Time, topic string) string {
	return filePrefix + name + "-" + started.Format(StampForm) + "-" + topic + FileSuffix
}

// RenameFile replaces the session in a transcript's file name; a name without a session
// stays.
func RenameFile(base, from, to string) string {
	if rest, ok := strings.CutPrefix(base, filePrefix+from+"-"); ok && ParseFileName(base).Session == from {
		return filePrefix + to + "-" + rest
	}
	return base
}

// FileNameParts are the parts of a transcript's file name.
type FileNameParts struct {
	Session string
	Topic   string
	Stamp   string // in the form 20060102-150405; "" if the name has no time
	Stem    string // the name without its suffix and the part's number
	Part    int    // 1 for a file that isn't a later part
	Copied  bool   // the name marks a copy: "Copy of …"
	Signed  bool   // the topic contains a character that the app never uses in one
}

// ParseFileName reads a transcript's file name. A name in no known form becomes the session.
func ParseFileName(base string) FileNameParts {
	stem, number := CutPart(strings.TrimSuffix(base, FileSuffix))
	p := FileNameParts{Session: stem, Stem: stem, Part: number}
	at := strings.Index(stem, filePrefix)
	if at < 0 {
		return p
	}
	name, stamp, topic, ok := cutStamp(stem[at:])
	if !ok {
		return p
	}
	p.Session, p.Topic, p.Stamp, p.Copied = name, topic, stamp, at > 0
	if topic, p.Signed = CutSign(topic); topic == "" { // session-memory-<topic>-<id>-<ts>.md
		if i := strings.LastIndexByte(name, '-'); i >= 0 && isOlderID(name[i+1:]) {
			p.Topic, p.Session = name[:i], name[i+1:]
		}
	}
	return p
}

// Started returns the name's time; zero if it has none. Names hold local time.
func (p FileNameParts) Started() time.Time {
	t, err := time.ParseInLocation(StampForm, p.Stamp, time.Local)
	if err != nil {
		return time.Time{}
	}
	return t
}

// cutStamp splits a transcript's file name without its suffix: the session (or, in the older
// form, topic and ID), the time, and the topic if the form has it at the end. The first time
// counts. It uses no regular expression because a list reads thousands of names.
func cutStamp(stem string) (name, stamp, topic string, ok bool) {
	rest, ok := strings.CutPrefix(stem, filePrefix)
	if !ok {
		return "", "", "", false
	}
	for i := 1; i+1+len(StampForm) <= len(rest); i++ {
		end := i + 1 + len(StampForm)
		if rest[i] != '-' || !isStamp(rest[i+1:end]) {
			continue
		}
		if end == len(rest) {
			return rest[:i], rest[i+1 : end], "", true
		}
		if rest[end] == '-' {
			return rest[:i], rest[i+1 : end], rest[end+1:], true
		}
		if _, sign := CutSign(rest[end : end+1]); sign { // a copy of a file without a topic
			return rest[:i], rest[i+1 : end], rest[end:], true
		}
	}
	return "", "", "", false
}

// isStamp reports whether s has the form 20060102-150405.
func isStamp(s string) bool {
	for i := range len(s) {
		if i == 8 && s[i] != '-' || i != 8 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

// isOlderID reports whether the last part of an older file name is an ID of its own
// (a channel's number) rather than the end of a name such as cli-notes.
func isOlderID(s string) bool {
	return len(s) >= 5 && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// SplitName returns the source and ID of a session's name. A bare number is a Discord channel
// of the older files.
func SplitName(name string) (source, id string) {
	if isOlderID(name) {
		return "discord", name
	}
	if source, id, ok := strings.Cut(name, "-"); ok {
		return strings.ToLower(source), id
	}
	return "", name
}

// TopicOf returns the topic of a file name for the first user message: at most 40 letters and
// digits of any script, "chat" if there are none.
func TopicOf(text string) string {
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

// firstLine returns the first line of text that isn't blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// OneLine returns text as one line with single spaces.
func OneLine(text string) string {
	text = strings.TrimSpace(text)
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf || c < ' ' || c == ' ' && text[i+1] == ' ' { // a blank is never the last
			return strings.Join(strings.Fields(text), " ")
		}
	}
	return text // the usual case, without a copy
}

// MayBeCopy reports whether a file's name alone makes it look like a copy.
func (p FileNameParts) MayBeCopy() bool { return p.Copied || p.Signed }

// CutSign cuts a topic before the first character that the app uses in no topic: what copies
// have after the name, such as a blank, a parenthesis or a dot.
func CutSign(topic string) (name string, sign bool) {
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

// PartMark precedes a part's number in its file name.
const PartMark = ".part"

// CutPart splits the part's number off a file's name without suffix; 1 if it has none.
func CutPart(base string) (stem string, number int) {
	i := strings.LastIndexByte(base, '.') // a number contains no dot
	if i <= 0 || !strings.HasPrefix(base[i:], PartMark) {
		return base, 1
	}
	digits := base[i+len(PartMark):]
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || n < 2 || digits[0] == '0' {
		return base, 1
	}
	return base[:i], int(n)
}

// ErrBadName means that a text can't be a session's name.
var ErrBadName = errors.New("not a session name")

// PartFile returns the file name of a part, from the stem that all parts share.
func PartFile(stem string, number int) string {
	if number < 2 {
		return stem + FileSuffix
	}
	return stem + PartMark + strconv.Itoa(number) + FileSuffix
}
