package transcript

import (
	"strings"
	"unicode/utf8"
)

// The comment line below a heading holds a block's attributes:
//
//	<!-- id=7f3b parent=7f3a task="Find the process that uses most CPU" -->
//
// A value is written bare if it can be, otherwise in double quotes with these escapes:
// \\ \" \n \r, and \- for a dash after a dash, so that no value ends the comment.

// Attr is one key and value of a comment line.
type Attr struct{ key, value string }

// attrKey returns key so that a comment line can hold it and it is none of our own keys.
func attrKey(key string) string {
	clean := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && IsKeyByte(byte(r)) {
			return r
		}
		return '_'
	}, key)
	if clean == "" || strings.Contains(clean, "--") || new(Block).field(clean) != nil {
		clean = "x_" + strings.ReplaceAll(clean, "--", "__")
	}
	return clean
}

// IsKeyByte reports whether the key of an attribute may contain this byte.
func IsKeyByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// isBareByte reports whether a value without quotes may contain this byte.
func isBareByte(c byte) bool {
	return IsKeyByte(c) || strings.IndexByte(":/@+,%", c) >= 0
}

// AppendComment appends the comment line of attrs, without a line end.
func AppendComment(dst []byte, attrs []Attr) []byte {
	dst = append(dst, "<!--"...)
	for _, a := range attrs {
		dst = append(dst, ' ')
		dst = append(dst, a.key...)
		dst = append(dst, '=')
		dst = appendValue(dst, a.value)
	}
	return append(dst, " -->"...)
}

func appendValue(dst []byte, v string) []byte {
	if isBare(v) {
		return append(dst, v...)
	}
	dst = append(dst, '"')
	for i := range len(v) {
		switch c := v[i]; {
		case c == '\\' || c == '"':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '-' && i > 0 && v[i-1] == '-':
			dst = append(dst, `\-`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

func isBare(v string) bool {
	if v == "" || strings.Contains(v, "--") {
		return false
	}
	for i := range len(v) {
		if !isBareByte(v[i]) {
			return false
		}
	}
	return true
}

// parseComment reads a comment line of attributes. ok is false for any other line, also for a
// comment with other content: that is text.
func parseComment(line string) (attrs []Attr, ok bool) {
	inner, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r"), "<!--")
	if !ok {
		return nil, false
	}
	inner, ok = strings.CutSuffix(inner, "-->")
	if !ok {
		return nil, false
	}
	for {
		inner = strings.TrimLeft(inner, " \t")
		if inner == "" {
			return attrs, len(attrs) > 0
		}
		var a Attr
		if a, inner, ok = parseAttr(inner); !ok {
			return nil, false
		}
		attrs = append(attrs, a)
	}
}

// parseAttr reads one key=value at the beginning of s and returns what follows it.
func parseAttr(s string) (a Attr, rest string, ok bool) {
	n := 0
	for n < len(s) && IsKeyByte(s[n]) {
		n++
	}
	if n == 0 || n == len(s) || s[n] != '=' || strings.Contains(s[:n], "--") {
		return a, s, false
	}
	a.key, rest = s[:n], s[n+1:]
	if strings.HasPrefix(rest, `"`) {
		a.value, rest, ok = parseQuoted(rest[1:])
	} else {
		a.value, rest, ok = parseBare(rest)
	}
	if ok && rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return a, rest, false
	}
	return a, rest, ok
}

// parseBare is lenient: it reads everything up to the next blank that isn't a quote.
func parseBare(s string) (v, rest string, ok bool) {
	n := strings.IndexAny(s, " \t")
	if n < 0 {
		n = len(s)
	}
	v = s[:n]
	return v, s[n:], v != "" && !strings.Contains(v, `"`) && !strings.Contains(v, "--")
}

func parseQuoted(s string) (v, rest string, ok bool) {
	if i := strings.IndexAny(s, `"\`); i >= 0 && s[i] == '"' {
		return s[:i], s[i+1:], true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(unescaped(s[i]))
		default:
			b.WriteByte(c)
		}
	}
	return "", s, false
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	default:
		return c
	}
}
