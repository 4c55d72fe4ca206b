package lesson

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"

	"golang.org/x/text/unicode/norm"
)

// lookAlikes maps Cyrillic and Greek letters to the Latin ones they look like, in lower
// case. Source: the confusables of Unicode TS 39, restricted to those alike in common
// fonts.
var lookAlikes = strings.NewReplacer(
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "і", "i", "ј", "j", "ѕ", "s", "һ", "h", "ԁ", "d", "ԛ", "q", "ԝ", "w",
	"ӏ", "l", "ɡ", "g", "ո", "n", "ս", "u", "օ", "o", "ɩ", "i", "ı", "i",
	"α", "a", "ο", "o", "ν", "v", "ι", "i", "κ", "k", "ρ", "p", "τ", "t", "υ", "u", "χ", "x", "ϲ", "c",
)

var (
	// wordBreaks matches signs used instead of a space, as in "ignore_all-previous".
	wordBreaks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[\s_\-.*~|/\\+]+`)
	})
	// spelled matches a word written in single letters.
	spelled = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:\b\pL\b ){3,}\pL\b`)
	})
	// codedRun matches what could be encoded text.
	codedRun = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[A-Za-z0-9+/_=-]{16,}|(?:%[0-9A-Fa-f]{2}){6,}`)
	})
	// opaqueRun matches a run longer than any word and than the parts between the signs of
	// the links and paths that people note.
	opaqueRun = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[A-Za-z0-9+_=-]{80,}`)
	})
)

// unmasked returns readings of a text in which a disguised instruction is plain: in lower
// case, with look-alikes and marks replaced, without signs between words, and with spelled
// words joined.
func unmasked(text string) []string {
	plain := strings.ToLower(transcript.OneLine(norm.NFKC.String(text)))
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(plain))
	latin := lookAlikes.Replace(bare)
	spaced := wordBreaks().ReplaceAllString(latin, " ")
	joined := spelled().ReplaceAllStringFunc(spaced, func(w string) string { return strings.ReplaceAll(w, " ", "") })
	return []string{plain, latin, spaced, joined}
}

// hidden returns how a text could hold words that people don't read, or "" if it reads as
// it looks.
func hidden(text string) string {
	if mixesScripts(text) {
		return "a word of it mixes letters of two alphabets that look alike; type it again in one"
	}
	for _, run := range codedRun().FindAllString(text, -1) {
		if decodes(run) {
			return "it holds text in another coding (base64, hex), which nobody can read; write it in words"
		}
	}
	if opaqueRun().MatchString(text) {
		return "it holds a run of characters that nobody can read; write it in words"
	}
	return ""
}

// mixesScripts finds a word that mixes Latin letters with letters of another alphabet that
// all look Latin. "PDFка" and "5 µm" aren't such words.
func mixesScripts(text string) bool {
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
	for _, word := range strings.FieldsFunc(norm.NFC.String(text), notLetter) {
		latin, alike, other := 0, 0, 0
		for _, r := range word {
			switch {
			case unicode.Is(unicode.Latin, r):
				latin++
			case unicode.In(r, unicode.Cyrillic, unicode.Greek) && lookAlikes.Replace(string(unicode.ToLower(r))) != string(unicode.ToLower(r)):
				alike++
			default:
				other++
			}
		}
		if latin > 1 && alike > 0 && other == 0 {
			return true
		}
	}
	return false
}

// decodes reports whether a run of characters is readable text in an encoding.
func decodes(run string) bool {
	if text, err := url.PathUnescape(run); err == nil && text != run {
		return readable([]byte(text))
	}
	if strings.Trim(run, "0123456789") == "" {
		return false // a number
	}
	bare := strings.TrimRight(run, "=")
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
		func(s string) ([]byte, error) {
			return base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(s))
		},
	} {
		if data, err := decode(bare); err == nil && readable(data) {
			return true
		}
	}
	return false
}

// readable reports whether data is a text in words.
func readable(data []byte) bool {
	if len(data) < 8 || !utf8.Valid(data) {
		return false
	}
	letters := 0
	for _, r := range string(data) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' {
			return false
		}
		if unicode.IsLetter(r) || r == ' ' {
			letters++
		}
	}
	return letters*10 >= utf8.RuneCount(data)*7
}

// secretForms matches the forms of keys, and the ways people write down a password.
var secretForms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:sk|pk|rk)[-_](?:(?:live|test|proj|ant|or)[-_][\w-]{16,}|[A-Za-z0-9]{20,})` +
		`|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abprs]-[\w-]{10,}` +
		`|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]{8,}` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY|\bhf_[A-Za-z0-9]{20,}` +
		`|(?i:\b(?:password|passwort|passphrase|passcode|kennwort|contraseña|mot de passe|senha|api[ _-]?key|access[ _-]?token|secret[ _-]?key|private[ _-]?key|cvv)\b(?:\s+(?:for|of|to|zum|für|von|der|del?|du|da|do)\b[^.!?:=]{0,30}?)?\s*(?:\bis\b|\blautet\b|\bist\b|\bes\b|\best\b|[:=])\s*["'` + "`" + `]?[^\s"']*[\d!@#$%^&*_][^\s"']*)` +
		`|\bPIN\b[^.!?]{0,30}?(?:\bis\b|\bist\b|[:=])\s*\d{4,}` +
		`|://[^\s/:@]+:[^\s/:@]+@`)
})

// holdsSecret reports whether a text seems to hold a password, a token or a key.
func holdsSecret(text string) bool { return secretForms().MatchString(text) }
