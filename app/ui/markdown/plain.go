package markdown

import (
	"html"
	"strings"
)

// plain resolves markdown's escapes: \* and &amp;.
func plain(b []byte) string {
	s := string(b)
	if strings.IndexByte(s, '\\') >= 0 {
		s = unescape(s)
	}
	if strings.IndexByte(s, '&') >= 0 {
		s = html.UnescapeString(s)
	}
	return s
}

// unescape removes the backslash before ASCII punctuation.
func unescape(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func isPunct(c byte) bool {
	word := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	return c > ' ' && c < 0x7f && !word
}
