// Package lesson defines what may be remembered: whether a text can be a lesson (Check),
// how sure a model must be of it (CheckConfidence), and whether another text already says
// the same (AlreadySays).
//
// Rules:
//   - A lesson is one short line in words. It holds no directive, no invisible character, no
//     secret, and no scrap of an answer or a tool's output. What it asks for isn't judged:
//     where it came from decides whether it is written or proposed.
//   - A rejection names the reason and what to write instead.
//   - A text that replaces a word with another one is never a duplicate.
//
// The package checks one text at a time and knows no files. Memory calls it before it
// writes or proposes a lesson, and summaries call it before they offer one.
package lesson

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"mac-stats/sessionmem/transcript"
)

// ErrRejected means that the text may not become a memory (empty, too long, directives,
// invisible characters). The error's text names the reason.
var ErrRejected = errors.New("not remembered")

const minLength = 3 // characters

// MaxLength is the maximum length of a lesson, in characters.
const MaxLength = 300

// MinConfidence is the confidence that a lesson needs to be kept or proposed.
const MinConfidence = 0.6

// directivePattern matches a directive, the name of a tool and a colon, and the marks of a
// chat template: forms that a program reads, whatever the words say.
var directivePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|\W)(AGENT|SKILL|FIND_AGENT|FIND_SKILL|MEMORY_APPEND|MEMORY_REPLACE|MEMORY_REMOVE|MEMORY_SEARCH|SYSTEM_STATS|FETCH_URL|RUN_CMD|MCP):` +
		`|<\|[^|]{0,40}\|>|(?i:\[/?inst\]|<</?sys>>|</?tool_call>)`)
})

// pollution matches what gets into a memory by accident: parts of an answer or of a tool's
// output. The patterns are tried on the unchanged text.
var pollution = sync.OnceValue(func() []polluted {
	return []polluted{
		{regexp.MustCompile("```|~~~"), "a piece of code"},
		{regexp.MustCompile(`^#{1,6}\s`), "a heading"},
		{regexp.MustCompile(`^\*\*[^*]+:?\*\*:?$|^[\pL\d _-]{1,40}:$`), "a heading"},
		{regexp.MustCompile(`^(\W*(https?|ftp)://\S+\W*)+$`), "an address alone"},
		{regexp.MustCompile(`^[\[{]\s*["{\[].*[\]}]$|"\w+"\s*:\s*["\d{\[].*"\w+"\s*:`), "a tool's output (JSON)"},
		{regexp.MustCompile(`^\|.*\|$`), "a row of a table"},
		{regexp.MustCompile(`(?i)^<(!doctype|html|div|p|script|span|a)\b`), "a piece of a web page"},
		{regexp.MustCompile(`^(\w+ )?([Ee]rror|ERROR|FATAL|[Ff]atal|panic|[Ee]xception|failed|[Ww]arning|WARN)(\[\w+\])?: `), "an error message"},
		{regexp.MustCompile(`Traceback \(most recent call last\)|goroutine \d+ \[|\b\w*(Exception|Error): |^\s*at [\w.$<>]+\(|\bexit (status|code) \d+\b|\bHTTP(/[\d.]+)? [45]\d\d\b|\bstack trace\b`), "an error message"},
		{regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|^(time|level|msg)=\S+ (time|level|msg)=`), "a line of a log"},
		{regexp.MustCompile(`^(Saved in|Not saved: proposed|nothing was saved)\b`), "a tool's output"},
	}
})

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

// polluted is a pattern and a name for texts that match it.
type polluted struct {
	pattern *regexp.Regexp
	what    string
}

// Polluted returns what a text is if it can't be a lesson, or "".
func Polluted(text string) string {
	for _, p := range pollution() {
		if p.pattern.MatchString(text) {
			return p.what
		}
	}
	return ""
}

// Check returns a lesson's text as one clean line, or the reason why it may not be kept.
func Check(text string) (string, error) {
	reject := func(why string) (string, error) { return "", fmt.Errorf("%w: %s", ErrRejected, why) }
	if !utf8.ValidString(text) {
		return reject("it is not valid text (UTF-8)")
	}
	text = transcript.OneLine(text)
	if rest, ok := strings.CutPrefix(text, "- "); ok && rest != "" {
		text = rest
	}
	if r, ok := invisible(text); ok {
		return reject(fmt.Sprintf("it holds %s (%U). Type it again without that character", unseen(r), r))
	}
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return reject("it is empty")
	case n < minLength:
		return reject("it is too short to mean anything")
	case n > MaxLength:
		return reject(fmt.Sprintf("%s characters; the limit is %d. Split it into several", humanize.Comma(int64(n)), MaxLength))
	}
	if strings.Contains(text, "<!--") || strings.Contains(text, "-->") {
		return reject("it holds a comment sign, which would hide text; write it without")
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return reject("it holds no word")
	}
	if why := Polluted(text); why != "" {
		return reject("it looks like " + why + "; write what follows from it in one sentence")
	}
	if secretForms().MatchString(text) {
		return reject("it seems to hold a password or a key, and a memory is plain text that goes into every prompt; if you mean it, write it into the file by hand")
	}
	if directivePattern().MatchString(text) {
		return reject("it holds a tool's call or a mark of a chat template; if you mean it, write it into the file by hand")
	}
	return text, nil
}

// CheckConfidence rejects mere guesses. 0 means that the confidence is unknown, and passes.
func CheckConfidence(c float64) error {
	if c == 0 || c >= MinConfidence && c <= 1 {
		return nil
	}
	return fmt.Errorf("%w: its confidence is %g, it takes %g to 1", ErrRejected, c, MinConfidence)
}

// unseen returns a name for the kind of a character that invisible found.
func unseen(r rune) string {
	if unicode.IsControl(r) {
		return "a control character"
	}
	return "an invisible character"
}

// invisible finds a character that people don't see and models do. It allows the joiners of
// Persian, Indic scripts and emoji where these use them.
func invisible(text string) (rune, bool) {
	var prev rune
	for _, r := range text {
		switch {
		case r == '\u200c' || r == '\u200d':
			if !joins(prev) {
				return r, true
			}
		case r == '\ufe0f' || r == '\ufe0e':
			if !unicode.IsSymbol(prev) && !unicode.IsDigit(prev) && prev != '#' && prev != '*' && !unicode.Is(unicode.Po, prev) {
				return r, true
			}
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector),
			strings.ContainsRune("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0", r):
			return r, true
		}
		prev = r
	}
	return 0, false
}

// joins reports whether a joiner may follow r.
func joins(r rune) bool {
	if unicode.In(r, unicode.So, unicode.Sk) || r == '\ufe0f' {
		return true
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}
