package textfold

import (
	"bytes"
	"html"
	"unicode/utf8"
)

// percentDecoded decodes a percent-encoded letter of a URL, also if it was encoded twice.
// size is 0 if there is none.
func percentDecoded(text []byte) (r rune, size int) {
	var raw []byte
	for len(raw) < utf8.UTFMax {
		c, n := percentByte(text[size:])
		if n == 0 {
			break
		}
		raw, size = append(raw, c), size+n
		if utf8.FullRune(raw) {
			break
		}
	}
	r, n := utf8.DecodeRune(raw)
	if n != len(raw) || r == utf8.RuneError {
		return 0, 0
	}
	return r, size
}

func percentByte(text []byte) (c byte, size int) {
	if len(text) < 3 || text[0] != '%' {
		return 0, 0
	}
	at := 1
	for bytes.HasPrefix(text[at:], []byte("25")) && len(text) >= at+4 && isHex(text[at+2]) && isHex(text[at+3]) {
		at += 2
	}
	if !isHex(text[at]) || !isHex(text[at+1]) {
		return 0, 0
	}
	return unhex(text[at])<<4 | unhex(text[at+1]), at + 2
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// maxEntity is the maximum length of an entity, in bytes.
const maxEntity = 40

// entity decodes an HTML entity, also if it was escaped twice. size is 0 if there is none.
func entity(text []byte) (r rune, size int) {
	for bytes.HasPrefix(text[size:], []byte("&amp;")) && len(text) > size+5 && (text[size+5] == '#' || isASCIIWord(text[size+5])) {
		size += 4 // the ; ends the inner &amp;
	}
	end := bytes.IndexByte(text[size+1:min(len(text), size+maxEntity)], ';')
	if size > 0 && end > 0 {
		if r, n := entityNamed(string(text[size+1 : size+1+end+1])); n {
			return r, size + end + 2
		}
	}
	end = bytes.IndexByte(text[1:min(len(text), maxEntity)], ';')
	if end <= 0 {
		return 0, 0
	}
	if r, ok := entityNamed(string(text[1 : end+2])); ok {
		return r, end + 2
	}
	return 0, 0
}

// entityNamed returns the letter for an entity name with its semicolon.
func entityNamed(name string) (rune, bool) {
	text := html.UnescapeString("&" + name)
	r, n := utf8.DecodeRuneInString(text)
	return r, r != '&' && n < len(name)+1 || name == "amp;"
}
