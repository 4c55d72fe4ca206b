package transcript

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
)

// CutFrontMatter finds front matter at the beginning of head: lines of keys and
// values between two fences. size is 0 if there is none.
func CutFrontMatter(head []byte) (front string, size int) {
	line, rest, ok := bytes.Cut(head, []byte("\n"))
	if !ok || string(bytes.TrimRight(line, " \t\r")) != Fence {
		return "", 0
	}
	start := len(line) + 1
	at := start
	for {
		line, after, ok := bytes.Cut(rest, []byte("\n"))
		text := string(bytes.TrimRight(line, " \t\r"))
		if text == Fence {
			end := at + len(line)
			if ok {
				end++
			}
			return strings.ReplaceAll(string(head[start:at]), "\r\n", "\n"), end
		}
		if !ok || !isFrontLine(text) {
			return "", 0
		}
		at += len(line) + 1
		rest = after
	}
}

// isFrontLine reports whether front matter may contain this line.
func isFrontLine(line string) bool {
	if line == "" || strings.IndexByte("# \t-", line[0]) >= 0 {
		_, boundary := parseHeading(line)
		return !boundary && bareHeading(line) == ""
	}
	key, _, ok := strings.Cut(line, ":")
	return ok && !strings.ContainsFunc(key, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
}

// FrontValue returns a key's value in front matter, "" if there is none.
func FrontValue(front, key string) string {
	for line := range strings.Lines(front) {
		v, ok := strings.CutPrefix(line, key+":")
		if !ok {
			continue
		}
		v = strings.TrimSpace(v)
		if q, err := strconv.Unquote(v); err == nil && strings.HasPrefix(v, `"`) {
			return strings.ToValidUTF8(q, "\uFFFD")
		}
		if len(v) > 1 && v[0] == '\'' && v[len(v)-1] == '\'' {
			return strings.ReplaceAll(v[1:len(v)-1], "''", "'")
		}
		return v
	}
	return ""
}
