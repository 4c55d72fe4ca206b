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

// leastOwn is how many percent of a lesson's content words must be the user's own, from one
// message or two consecutive ones. It is more than two thirds because a model that retells the
// talk ("the user asked about green tea") adds one word of its own for every two of the user's.
// It keeps 16 of the test's 24 paraphrases and 5 of its 24 lessons that nobody gave; at two
// thirds that would be 21 and 11. Missing ten is better than keeping a false one: the prompt
// asks for the user's own words.
const leastOwn = 70

// ownerNames matches what models call the app's owner instead of the message's "I". In a
// language without articles only the word itself distinguishes it from a name.
var ownerNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:(?:the|der|die|el|la|le|il|lo|o|a|de) |l['’])?(?:(?:users?|owner|human)(?:['’]s)?|(?:be)?nutzer(?:in|s)?|usu[aá]ri[oa]|utilisat(?:eur|rice)|utente|gebruiker|użytkownik)\b|пользователь|用户|用戶|使用者|ユーザー|사용자(?:는|가)?`)
})

// StartsWithOwner reports whether a text begins with what models call the app's owner, and
// whether it is nothing else.
func StartsWithOwner(text string) (starts, whole bool) {
	at := ownerNames().FindStringIndex(text)
	return at != nil && at[0] == 0, at != nil && at[1]-at[0] == len(text)
}

// Grounded returns the lessons that are confident enough (a lesson without a confidence is
// kept, with confidence 0), that say what the user said, and that are sentences: no questions,
// fragments or quotations.
func Grounded(lessons []memory.Lesson, messages []transcript.Block) []memory.Lesson {
	if len(lessons) == 0 {
		return nil
	}
	a := analysis.NewAnalyzer()
	said := statements(a, messages)
	var kept []memory.Lesson
	for _, l := range lessons {
		if l.Confidence > 1 || l.Confidence != l.Confidence { // 8 of 10, or 90 of 100? It is unknown
			l.Confidence = 0
		}
		if (l.Confidence == 0 || l.Confidence >= lesson.MinConfidence) && hasForm(l) && isOwn(a, l.Text, said) {
			kept = append(kept, l)
		}
	}
	return kept
}

// statements returns the words of each message of the user together with those of the one
// before, without questions and without text pasted from a log: preferences and corrections
// are statements.
func statements(a *analysis.Analyzer, messages []transcript.Block) [][]string {
	var list [][]string
	var before []string
	for _, b := range messages {
		if b.Kind != transcript.KindUser {
			continue
		}
		var words []string
		for _, s := range transcript.Sentences(transcript.WithoutAttachments(b.Text)) {
			if !isQuestion(s) && lesson.Polluted(s) == "" {
				words = append(words, contentWords(a, s)...)
			}
		}
		list = append(list, slices.Concat(before, words))
		before = words
	}
	return list
}

// isOwn reports whether most of a lesson's words are the user's.
func isOwn(a *analysis.Analyzer, lesson string, said [][]string) bool {
	words := contentWords(a, ownerNames().ReplaceAllString(lesson, " "))
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

// contentWords returns the content words of a text, each once; for a script written without spaces,
// its characters: pairs of them rarely recur in other words.
func contentWords(a *analysis.Analyzer, text string) []string {
	words := a.Content(text)
	maps.DeleteFunc(words, func(w string, _ bool) bool { return strings.ContainsFunc(w, isUnspaced) })
	for _, r := range text {
		if isUnspaced(r) {
			words[string(r)] = true
		}
	}
	return slices.Collect(maps.Keys(words))
}

// leastStem is how many letters the forms of a word share at least.
const leastStem = 3

// sameStem reports whether two words are forms of one: equal but for an ending, in any
// language. Stemming a short text would depend on the language it seems to have.
func sameStem(a, b string) bool {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	longer := max(len(x), len(y))
	return n == longer || n >= leastStem && 4*n >= 3*longer
}

// isUnspaced reports whether r belongs to a script written without spaces.
func isUnspaced(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// nameColon matches the beginning of a line that a model took from a list or a script of speakers.
var nameColon = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}\d ._'-]{1,40}: ?`)
})

// hasForm reports whether a lesson is a sentence: more than two words, not a question, not a
// quotation, and after a name and a colon a fact about that person, not what they said.
func hasForm(l memory.Lesson) bool {
	text := strings.TrimSpace(l.Text)
	first, _ := utf8.DecodeRuneInString(text)
	if text == "" || isQuestion(text) || first == '>' || first == '`' || unicode.In(first, unicode.Pi, unicode.Pf, unicode.Quotation_Mark) {
		return false
	}
	name := nameColon().FindString(text)
	if name != "" && l.About == "" {
		return false
	}
	return len(spokenWords(text[len(name):])) > 0 && len(strings.Fields(text)) > 2 || len(spokenWords(text)) > 3
}

// isQuestion reports whether a sentence is a question.
func isQuestion(sentence string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(sentence))
	return strings.ContainsRune("?？؟;\u037e", last) // the Greek one looks like a semicolon
}

// spokenWords returns the words by which a lesson is compared with what was said; for a script
// written without spaces, each pair of its characters.
func spokenWords(text string) []string {
	var out []string
	for _, w := range lesson.Words(text) {
		if !strings.ContainsFunc(w, isUnspaced) {
			out = append(out, w)
			continue
		}
		runes := []rune(w)
		for i := range max(len(runes)-1, 1) {
			out = append(out, string(runes[i:min(i+2, len(runes))]))
		}
	}
	return out
}
