package lessons

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
)

// A small model often says "I'll remember that" without saving anything. The claims in an
// answer are compared with what the turn did, so that people can be warned. A missed claim
// costs less than a false alarm, so a sentence with a condition, a question, a negation,
// or about this conversation only doesn't count.

var (
	// claims matches the sentences that claim it, in lower case.
	claims = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:` +
			`\bi(?:'ll| will|'m going to| am going to)(?: now| also| always| definitely| certainly| be sure to| make sure to)* (?:` +
			`remember (?:that|this|it\b|you|to )|keep (?:that|this|it|your [\w ]{1,40}) in mind|bear (?:that|this|it) in mind|` +
			`make a note|take note|note (?:that|this|it) down|save (?:that|this|it) (?:for|to (?:my|your|the) memory))` +
			`|\bi won't forget (?:that|this|it|you)\b` +
			`|\bi(?:'ve| have)?(?: now| just| also| already)* (?:noted|saved|stored|recorded|remembered|memori[sz]ed|made a note of|taken note of) (?:` +
			`(?:that|this|it)(?: down)?(?:$|[.!,;:]| —| – | for (?:later|next time|the future|future| our)| so (?:that )?i\b| (?:in|to) (?:my |your |the )?(?:long-term )?memory)|` +
			`that you(?:r name| prefer|'re| are| like| live| want| have| use)|your (?:name|preference|preferences|choice|birthday|address))` +
			`|\bi(?:'ve| have)?(?: now| just| also| already)* (?:saved|stored|noted|recorded|added|committed|put|written)\b.{1,100}\b(?:to|in|into) (?:(?:my|your) (?:long-term |persistent )?memory\b|long-term memory\b|memory\.md)` +
			`|\b(?:that|this|it|your (?:name|preferences?|choice))(?:'s| is| has been| have been| was)(?: now)? (?:noted|saved|stored|recorded|remembered)(?: down)?(?:$|[.!]| (?:in|to) (?:my|your|the) (?:long-term )?memory| for (?:later|next time|the future|future))` +
			`|\bich (?:merke|notiere) (?:(?:es|das|dies) )?mir\b` +
			`|\b(?:das|dies|es) (?:merke|notiere) ich mir\b` +
			`|\bich werde (?:es |das |dies )?mir (?:das |dies |es |alles )?(?:gut )?(?:merken|notieren)\b` +
			`|\b(?:ich habe|habe ich) (?:es |das |dies )?mir\b.{0,60}\b(?:gemerkt|notiert)\b` +
			`|\b(?:ich habe (?:mir )?|habe ich (?:mir )?)(?:das|dies|es|deinen? [\p{L} ]{1,40}|ihren? [\p{L} ]{1,40})(?: nun| jetzt| für später| für die zukunft)* (?:gespeichert|notiert|vermerkt|gemerkt)` +
			`|\b(?:das|dies|es) habe ich(?: nun| jetzt| mir)* (?:gespeichert|notiert|vermerkt|gemerkt)` +
			`|\bdeine? (?:name|vorlieben?|wunsch|wünsche) (?:ist|sind|wurde|wurden)(?: nun| jetzt)* (?:gespeichert|notiert|vermerkt)` +
			`|\bich werde daran denken\b|\b(?:das|dies|es) (?:werde ich nicht vergessen|vergesse ich nicht)\b` +
			`)`)
	})
	// unless matches words with which a sentence isn't a claim.
	unless = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\?\s*$` +
			`|\b(?:if|when|whenever|unless|would|could|can|cannot|can't|unable|don't|doesn't|didn't|haven't|isn't|wasn't|not|never|may|might|should|example|asked|told|said)\b` +
			`|\b(?:this|our|the current) (?:conversation|chat|session)\b|\b(?:while|as long as|until)\b` +
			`|\b(?:wenn|falls|sobald|sofern|kann|könnte|könntest|soll|sollte|möchtest|würde|kein|keine|keinen|nie|beispiel|gesagt)\b` +
			`|\b(?:dieses|diesem|unseres|unserem) (?:gespräch|gesprächs|chat|chats|unterhaltung)\b|\b(?:dieser|unserer) (?:unterhaltung|sitzung)\b|\bsolange\b`)
	})
	// denied matches the negations that can be part of a claim.
	denied = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bi won't forget\b|\bwerde ich nicht vergessen\b|\bvergesse ich nicht\b`)
	})
	nicht = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bnicht\b`)
	})
	inside = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?:^|\\s)'[^']*'")
	})
)

// claimWords are parts of words, in lower case; each match of claims contains one.
var claimWords = []string{
	"remember", "mind", "note", "save", "forget", "store", "record", "memor", // English
	"merk", "notier", "speicher", "denken", "vergess", // German
}

// ClaimsToRemember reports whether an answer plainly claims that something was or will be
// remembered beyond the conversation. Quotes and code don't count.
func ClaimsToRemember(answer string) bool {
	low := strings.ToLower(answer)
	if !slices.ContainsFunc(claimWords, func(word string) bool { return strings.Contains(low, word) }) {
		return false // the expressions take a millisecond for a long answer
	}
	for _, line := range ownLines(answer) {
		line = inside().ReplaceAllString(strings.ToLower(line), " … ")
		for _, sentence := range sentences(line) {
			if claims().MatchString(sentence) && !unless().MatchString(sentence) && !nicht().MatchString(denied().ReplaceAllString(sentence, "")) {
				return true
			}
		}
	}
	return false
}

// verbLast matches a clause that isn't a sentence of its own, because its verb comes last.
var verbLast = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bda(?:ss|ß)\b`)
})

// maxLesson limits the result of In, in characters.
const maxLesson = 200

// In returns what a message may ask to remember, as a suggestion for people to edit: the
// words after "remember that", else the beginning of the message.
func In(message string) string {
	message = excerpt.OneLine(strings.Join(ownLines(message), " "))
	for _, sentence := range sentences(message) {
		low := strings.ToLower(sentence)
		at := rememberRequest().FindStringIndex(low)
		if at == nil || len(low) != len(sentence) {
			continue
		}
		that := requestThat().FindString(low[at[1]:])
		words := strings.Trim(sentence[at[1]+len(that):], " ,;:.!")
		if strings.ContainsFunc(words, unicode.IsLetter) && !verbLast().MatchString(that) {
			first, size := utf8.DecodeRuneInString(words)
			return excerpt.Shorten(string(unicode.ToUpper(first))+words[size:], maxLesson)
		}
	}
	return excerpt.Shorten(message, maxLesson)
}
