package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// exactTokens returns the exact tokens of a field in lower case: what people and programs
// copy letter by letter. Ordinary words, numbers, hyphenated words and "and/or" have none.
// raw is the field with the characters around it, core without them. The first token is the
// whole one; the others are its parts.
func exactTokens(raw, core string) []string {
	low := strings.ToLower(core)
	switch {
	case isOption(raw, core):
		return []string{raw[:strings.Index(raw, core)] + low}
	case raw[0] == '$' && len(core) > 1 && (hasLetter(core[:1]) || core[0] == '_'): // a variable
		return []string{"$" + low}
	case strings.Contains(low, "://"):
		return addressTokens(low)
	case isLanguageName(raw, core):
		return []string{strings.ToLower(strings.TrimLeft(raw, ".'’-_/\\:@#+~"))}
	}
	body, line := cutLine(low)
	if !isExact(raw, core[:len(core)-len(low)+len(body)], body) {
		return nil
	}
	out := []string{body}
	if line {
		out = []string{low, body}
	}
	if i := strings.LastIndexAny(body, "/\\"); i >= 0 && isExact(body[i+1:], body[i+1:], body[i+1:]) {
		out = append(out, body[i+1:])
	}
	if i := strings.LastIndex(body, "::"); i >= 0 && i+2 < len(body) {
		out = append(out, body[i+2:])
	}
	if release, _, more := strings.Cut(body, "-"); isVersion(release) && (more || body[0] == 'v') { // "v1.2.3", "1.2.3-rc1"
		out = append(out, strings.TrimPrefix(release, "v"))
	}
	return out
}

// isOption recognises options of commands: "--no-verify", "-race". One with a single minus may also be a
// word that a search leaves out.
func isOption(raw, core string) bool {
	long := strings.HasPrefix(raw, "--")
	return hasLetter(core[:1]) && (long && len(core) > 1 || raw[0] == '-' && !long && len(core) > 2 && raw[len(raw)-1] != '-')
}

// addressTokens returns a URL without its scheme, and its host.
func addressTokens(low string) []string {
	_, rest, _ := strings.Cut(low, "://")
	rest = strings.TrimPrefix(strings.TrimRight(rest, "/"), "www.")
	host, _, more := strings.Cut(rest, "/")
	if host == "" {
		return nil
	}
	if !more {
		return []string{host}
	}
	return []string{rest, host}
}

// isLanguageName recognises "C++" and "C#": one or two letters followed by signs.
func isLanguageName(raw, core string) bool {
	return len(core) <= 2 && isPlainWord(core) && (strings.HasSuffix(raw, core+"++") || strings.HasSuffix(raw, core+"#"))
}

// cutLine removes the line number from "foo.go:12" and "foo.go:12:5".
func cutLine(low string) (body string, found bool) {
	body = low
	for range 2 {
		i := strings.LastIndexByte(body, ':')
		if i <= 0 || i+1 == len(body) || !allDigits(body[i+1:]) || !strings.ContainsAny(body[:i], "./\\") {
			break
		}
		body, found = body[:i], true
	}
	return body, found
}

// isExact decides by the form of a token. core has its capitals, low has none.
func isExact(raw, core, low string) bool {
	switch {
	case utf8.RuneCountInString(low) < 3 || allDigits(low):
		return false
	case strings.Contains(low, "_") || strings.Contains(low, "::"):
		return hasLetter(low)
	case strings.IndexByte(low, '@') > 0:
		return true
	case strings.ContainsAny(low, "/\\"):
		return isPath(raw, low)
	case strings.Contains(low, ".") && isDotted(low):
		return true
	case strings.Contains(low, "-"):
		return isHyphenCode(low) || len(core) <= 16 && strings.ToUpper(core) == core && hasLetter(low) // "USB-C"
	}
	return mixesDigits(low) || isLowerCamel(core)
}

// isPath distinguishes "pkg/net/foo.go" and "/etc/hosts" from "and/or" and "24/7".
func isPath(raw, low string) bool {
	if !hasLetter(low) {
		return false
	}
	if c := raw[0]; c == '/' || c == '~' || c == '.' || c == '\\' || strings.Contains(low, ":\\") {
		return true
	}
	n := strings.Count(low, "/") + strings.Count(low, "\\")
	return n >= 2 || strings.LastIndexByte(low, '.') > strings.LastIndexAny(low, "/\\") || strings.ContainsAny(low, "_0123456789")
}

// isDotted distinguishes "foo.go", "os.Root" and "1.2.3" from "3.5", "e.g" and "U.S.A".
func isDotted(low string) bool {
	if isVersion(low) {
		return true
	}
	long := false
	for part := range strings.SplitSeq(low, ".") {
		if part == "" {
			return false
		}
		long = long || len(part) > 1 && hasLetter(part)
	}
	return long
}

// isVersion recognises "1.2.3" and "v1.2", but not "1.2".
func isVersion(low string) bool {
	rest := strings.TrimPrefix(low, "v")
	dots := strings.Count(rest, ".")
	return dots >= 1 && (dots >= 2 || rest != low) && isDigit(rest[0]) && isDigit(rest[len(rest)-1]) && strings.Trim(rest, "0123456789.") == ""
}

// isHyphenCode distinguishes "CVE-2024-1234" and "cpu-k3x9qa" from "self-care",
// "16-year-old" and "2023-05-07".
func isHyphenCode(low string) bool {
	for i, part := range strings.Split(low, "-") {
		if mixesDigits(part) || i > 0 && allDigits(part) && hasLetter(low) {
			return true
		}
	}
	return false
}

// mixesDigits distinguishes "E0432" and "0xff" from "16th", "10am" and "1990s".
func mixesDigits(low string) bool {
	digits := 0
	for digits < len(low) && isDigit(low[digits]) {
		digits++
	}
	rest := low[digits:]
	if digits > 0 && len(rest) <= 3 && !strings.ContainsAny(rest, "0123456789") {
		return false
	}
	return hasLetter(low) && strings.ContainsAny(low, "0123456789")
}

// isLowerCamel distinguishes "readFile" from "iPhone" and "YouTube".
func isLowerCamel(core string) bool {
	for i, c := range core {
		if unicode.IsUpper(c) {
			return i >= 2
		}
	}
	return false
}

// camelParts splits "parseHTTPConfig2" into parse, HTTP, Config, 2; it returns nothing for a
// word in one case.
func camelParts(text string) []string {
	var out []string
	runes := []rune(text)
	start := 0
	for i := 1; i < len(runes); i++ {
		p, c := runes[i-1], runes[i]
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		hump := unicode.IsLower(p) && unicode.IsUpper(c) || unicode.IsUpper(p) && unicode.IsUpper(c) && next ||
			unicode.IsDigit(p) != unicode.IsDigit(c)
		if hump {
			out = append(out, string(runes[start:i]))
			start = i
		}
	}
	if start == 0 {
		return nil
	}
	return append(out, string(runes[start:]))
}

// joined returns what a field is called when it is written in one piece or cut short: "email" for
// "e-mail", "nodejs" for "Node.js", "12500" for "12.500" and "12'500", "6.2" for "v6.2.8".
func joined(core string) []string {
	if one, two, found := strings.Cut(core, "-"); found && isPlainWord(one) && isPlainWord(two) {
		return []string{one + two}
	}
	if one, two, found := strings.Cut(core, "."); found && len(two) <= 3 && isPlainWord(one) && isPlainWord(two) {
		return []string{one + two}
	}
	if release, _, _ := strings.Cut(core, "-"); isVersion(strings.ToLower(release)) && strings.Count(release, ".") > 1 {
		numbers := strings.Split(strings.TrimLeft(release, "vV"), ".")
		return []string{numbers[0] + "." + numbers[1]}
	}
	if strings.Trim(core, "0123456789.'-/") != "" {
		return nil
	}
	if digits := strings.NewReplacer(".", "", "'", "", "-", "", "/", "").Replace(core); len(digits) < len(core) && len(digits) >= 4 && len(digits) <= 15 {
		return []string{digits}
	}
	return nil
}

// cutApostrophe splits "we've" into "we" and nothing, "l'homme" into "l" and "homme".
func cutApostrophe(piece string) (head, tail string, found bool) {
	i := strings.LastIndexAny(piece, "'’")
	if i <= 0 {
		return piece, "", false
	}
	_, n := utf8.DecodeRuneInString(piece[i:])
	head, tail = piece[:i], piece[i+n:]
	switch strings.ToLower(tail) {
	case "", "s", "t", "m", "re", "ve", "ll", "d":
		if strings.EqualFold(tail, "t") {
			head = strings.TrimSuffix(head, "n")
		}
		return head, "", head != ""
	}
	return head, tail, true
}

func isPlainWord(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' || i > 0 && s[i] < 'a' && s[i-1] >= 'a' {
			return false
		}
	}
	return s != ""
}

// isNumber recognises "3.5": digits and points.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

func hasWordRune(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.So, c) })
}

// isUnspaced reports whether a character belongs to a script without spaces between words.
func isUnspaced(c rune) bool {
	if c < 0x0E00 {
		return false
	}
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || c == 'ー'
}

// isQuestion reports whether a text ends with a question mark.
func isQuestion(text string) bool {
	text = strings.TrimRightFunc(text, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.Is(unicode.So, c) || strings.ContainsRune("\"'”’)*_!", c)
	})
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || strings.HasSuffix(text, "؟")
}
