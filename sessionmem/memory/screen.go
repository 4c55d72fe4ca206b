package memory

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"

	"golang.org/x/text/unicode/norm"
)

const minLesson = 3 // characters

// MaxLesson is how long a lesson may be, in characters.
const MaxLesson = 300

// instructionPatterns are what a text says that wants to steer the model rather
// than to be remembered. They are tried on the text in lower case with its
// look-alike forms unified.
var instructionPatterns = []*regexp.Regexp{
	regexp.MustCompile(`\b(ignore|disregard|forget|override|bypass|drop)\b.{0,40}\b(instruction|instructions|rules|prompt|prompts|guidelines|guardrails|directives|everything above|everything before)\b`),
	regexp.MustCompile(`\b(new|updated|real|hidden|secret) (system )?(instruction|instructions|prompt|directive)s?\b`),
	regexp.MustCompile(`\b(system|developer) (prompt|message|instruction)s?\b`),
	regexp.MustCompile(`\b(you are|you're) (now|no longer)\b`),
	regexp.MustCompile(`\bfrom now on,? you\b`),
	regexp.MustCompile(`\bpretend (to be|that you|you)\b|\bjailbreak|\bdeveloper mode\b|\bdo anything now\b`),
	regexp.MustCompile(`\b(do not|don't|never|without) (tell|telling|inform|informing|mention|mentioning|ask|asking|notify|notifying|warn|warning) (this to )?(the |your )?(user|owner|human|operator)\b`),
	regexp.MustCompile(`\b(reveal|print|repeat|leak|send|post|upload|exfiltrate|forward)\b.{0,60}\b(prompt|password|passwords|token|tokens|api key|api keys|secret|secrets|credential|credentials|private key|conversation|memory file)\b`),
	regexp.MustCompile(`^\W*(system|assistant|developer|user) ?:`),
	regexp.MustCompile(`<\|[^|]{0,40}\|>|\[/?inst\]|<</?sys>>|</?(system|assistant|instructions?|tool_call)>`),
	regexp.MustCompile(`\bignorier\w*\b.{0,40}\banweisung|\bignore[zr]?\b.{0,40}\binstrucci|\bignorez\b.{0,40}\binstructions|忽略.{0,12}(指令|指示|提示)|無視.{0,12}(指示|命令)|игнорир\w*.{0,40}инструкц`),
}

// directivePattern is a line of the orchestrator's own language.
var directivePattern = regexp.MustCompile(`(^|\W)(AGENT|SKILL|FIND_AGENT|FIND_SKILL|MEMORY_APPEND|MEMORY_REPLACE|MEMORY_REMOVE|MEMORY_SEARCH|SYSTEM_STATS|FETCH_URL|RUN_CMD|MCP):`)

// pollution is what gets into a memory by accident: parts of an answer or of a
// tool's output. They are tried on the text as it is.
var pollution = []struct {
	pattern *regexp.Regexp
	what    string
}{
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

// Polluted says what a text looks like that is no lesson; "" for one that may be.
func Polluted(text string) string {
	for _, p := range pollution {
		if p.pattern.MatchString(text) {
			return p.what
		}
	}
	return ""
}

// screen makes a lesson's text one clean line, or says why it may not be kept.
func screen(text string) (string, error) {
	reject := func(why string) (string, error) { return "", fmt.Errorf("%w: %s", ErrRejected, why) }
	if !utf8.ValidString(text) {
		return reject("it is not valid text (UTF-8)")
	}
	text = transcript.OneLine(text)
	if _, sign, rest, ok := cutBullet(text); ok && sign == "-" {
		text = rest
	}
	if r, ok := invisible(text); ok {
		return reject(fmt.Sprintf("it holds %s (%U). Type it again without that character", unseen(r), r))
	}
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return reject("it is empty")
	case n < minLesson:
		return reject("it is too short to mean anything")
	case n > MaxLesson:
		return reject(fmt.Sprintf("%s characters; the limit is %d. Split it into several", commas(n), MaxLesson))
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
	if why := hidden(text); why != "" {
		return reject(why)
	}
	if holdsSecret(text) {
		return reject("it seems to hold a password or a key, and a memory is plain text that goes into every prompt; if you mean it, write it into the file by hand")
	}
	if instructs(text) {
		return reject("it reads like an instruction to the model; if you mean it, write it into the file by hand")
	}
	return text, nil
}

// commas writes a number as people read it: 2,499.
func commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// instructs says whether a text wants to steer the model, also in a disguise.
func instructs(text string) bool {
	if directivePattern.MatchString(text) {
		return true
	}
	for _, plain := range unmasked(text) {
		if slices.ContainsFunc(instructionPatterns, func(p *regexp.Regexp) bool { return p.MatchString(plain) }) {
			return true
		}
	}
	return false
}

// unseen names the sort of a character that invisible found.
func unseen(r rune) string {
	if unicode.IsControl(r) {
		return "a control character"
	}
	return "an invisible character"
}

// invisible finds a character that people don't see and models do. The joiners
// that Persian, Indic scripts and emoji are written with are let through where
// these use them.
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

// joins says whether a joiner may follow r.
func joins(r rune) bool {
	if unicode.In(r, unicode.So, unicode.Sk) || r == '\ufe0f' {
		return true
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// lightWords say nothing of their own in a lesson.
var lightWords = strings.Fields(`a an the this that these those is are was were be been to of in on at for with and or as by from
	user users user's he she they his her their i my me we our you your it its please all every each`)

// heavyWords turn a sentence round: a lesson that has one more is another lesson.
var heavyWords = strings.Fields(`no not never none nothing without don't doesn't didn't isn't aren't won't can't cannot only except unless
	nicht kein keine nie pas jamais non sin nunca nao não не нет 不 没 ない`)

// ContentWords gives the words of a lesson that carry its meaning, in order.
func ContentWords(text string) []string {
	var out []string
	split := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("'+#.", r)
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), split) {
		w = strings.Trim(w, "'.")
		if w == "" || slices.Contains(lightWords, w) {
			continue
		}
		out = append(out, stem(w))
	}
	return out
}

// stem takes the endings off that don't change an English word's meaning here.
func stem(w string) string {
	for _, end := range []string{"ing", "es", "ed", "s"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 4 && !slices.Contains(heavyWords, w) {
			return s
		}
	}
	return w
}

// alreadySays reports whether a bullet says all of what a new lesson says: the
// same words but for their light ones, or these in order with few others between.
// A word replaced by another one is never a duplicate.
func alreadySays(bullet, lesson []string) bool {
	if slices.Equal(bullet, lesson) {
		return len(lesson) > 0
	}
	if len(lesson) < 3 || len(lesson)*4 < len(bullet)*3 {
		return false
	}
	i := 0
	for _, w := range bullet {
		switch {
		case i < len(lesson) && lesson[i] == w:
			i++
		case slices.Contains(heavyWords, w) || strings.ContainsFunc(w, unicode.IsDigit):
			return false
		}
	}
	return i == len(lesson)
}
