package summary

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/transcript"
)

// leastOwn is how many of a lesson's content words must be the user's own, in percent:
// said in one message or two that follow each other. More than two of three: who retells
// the talk ("the user asked about green tea") adds a word of their own to each two of the
// user's. Of the test's 24 paraphrases 16 are kept, and of its 24 lessons that nobody gave 5;
// at two of three it would be 21 and 11. Better ten missed than a false one: the prompt asks
// for the user's own words.
const leastOwn = 70

// ownerNames are what models call the one whose app this is, in place of the "I" of the
// message. In a language without articles nothing but the word tells it from a name.
var ownerNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:(?:the|der|die|el|la|le|il|lo|o|a|de) |l['’])?(?:(?:users?|owner|human)(?:['’]s)?|(?:be)?nutzer(?:in|s)?|usu[aá]ri[oa]|utilisat(?:eur|rice)|utente|gebruiker|użytkownik)\b|пользователь|用户|用戶|使用者|ユーザー|사용자(?:는|가)?`)
})

// StartsWithOwner reports whether a text begins with what models call the one whose app
// this is, and whether it is no more than that.
func StartsWithOwner(text string) (starts, whole bool) {
	at := ownerNames().FindStringIndex(text)
	return at != nil && at[0] == 0, at != nil && at[1]-at[0] == len(text)
}

// Grounded keeps the lessons that are sure enough (one of which nothing is said is kept,
// with the confidence 0), that say what the user said, and that are sentences: no
// question, fragment or quotation.
func Grounded(lessons []memory.Lesson, messages []transcript.Block) []memory.Lesson {
	if len(lessons) == 0 {
		return nil
	}
	a := analysis.NewAnalyzer()
	said := statements(a, messages)
	var kept []memory.Lesson
	for _, l := range lessons {
		if l.Confidence > 1 || l.Confidence != l.Confidence { // 8 of 10, 90 of 100, or what? It isn't known
			l.Confidence = 0
		}
		if (l.Confidence == 0 || l.Confidence >= lesson.MinConfidence) && hasForm(l) && isOwn(a, l.Text, said) {
			kept = append(kept, l)
		}
	}
	return kept
}

// statements are the words of each message of the user together with those of the one
// before, without its questions and what is pasted from a log: a preference or a
// correction is stated.
func statements(a *analysis.Analyzer, messages []transcript.Block) [][]string {
	var list [][]string
	var before []string
	for _, b := range messages {
		if b.Kind != transcript.KindUser {
			continue
		}
		var words []string
		for _, s := range transcript.Sentences(transcript.WithoutAttachments(b.Text)) {
			if !asks(s) && lesson.Polluted(s) == "" {
				words = append(words, meaning(a, s)...)
			}
		}
		list = append(list, slices.Concat(before, words))
		before = words
	}
	return list
}

// isOwn reports whether most of a lesson's words are the user's.
func isOwn(a *analysis.Analyzer, lesson string, said [][]string) bool {
	words := meaning(a, ownerNames().ReplaceAllString(lesson, " "))
	return slices.ContainsFunc(said, func(own []string) bool {
		n := 0
		for _, w := range words {
			if slices.ContainsFunc(own, func(o string) bool { return sameStem(w, o) }) {
				n++
			}
		}
		return n > 0 && 100*n >= leastOwn*len(words)
	})
}

// meaning are the words of a text that carry its meaning, each once; where a script is
// written without spaces its characters: pairs of them hardly repeat in other words.
func meaning(a *analysis.Analyzer, text string) []string {
	words := a.Content(text)
	maps.DeleteFunc(words, func(w string, _ bool) bool { return strings.ContainsFunc(w, unspaced) })
	for _, r := range text {
		if unspaced(r) {
			words[string(r)] = true
		}
	}
	return slices.Collect(maps.Keys(words))
}

// leastStem is how many letters forms of a word share at least.
const leastStem = 3

// sameStem reports whether two words are forms of one: the same but for an ending, in any
// language. How a short text is led back to its stems depends on the language it seems
// to have.
func sameStem(a, b string) bool {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	longer := max(len(x), len(y))
	return n == longer || n >= leastStem && 4*n >= 3*longer
}

// unspaced tells a script that is written without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// nameColon begins a line that a model took out of a list or a script of speakers.
var nameColon = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}\d ._'-]{1,40}: ?`)
})

// hasForm reports whether a lesson is a sentence: more than two words, no question, no
// quotation, and behind a name and a colon what is known of that person, not what they say.
func hasForm(l memory.Lesson) bool {
	text := strings.TrimSpace(l.Text)
	first, _ := utf8.DecodeRuneInString(text)
	if text == "" || asks(text) || first == '>' || first == '`' || unicode.In(first, unicode.Pi, unicode.Pf, unicode.Quotation_Mark) {
		return false
	}
	name := nameColon().FindString(text)
	if name != "" && l.About == "" {
		return false
	}
	return len(spokenWords(text[len(name):])) > 0 && len(strings.Fields(text)) > 2 || len(spokenWords(text)) > 3
}

// asks reports whether a sentence is a question.
func asks(sentence string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(sentence))
	return strings.ContainsRune("?？؟;\u037e", last) // the Greek one looks like a semicolon
}

// spokenWords are the words by which a lesson is compared with what was said: where
// a script is written without spaces, each pair of its characters.
func spokenWords(text string) []string {
	var out []string
	for _, w := range lesson.Words(text) {
		runes := []rune(w)
		if !slices.ContainsFunc(runes, unspaced) {
			out = append(out, w)
			continue
		}
		for i := range max(len(runes)-1, 1) {
			out = append(out, string(runes[i:min(i+2, len(runes))]))
		}
	}
	return out
}
