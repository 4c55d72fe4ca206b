package lessons

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
)

// A small model likes to say "I'll remember that" without saving anything. What an
// answer plainly claims is compared with what happened in the turn, so that people
// can be told. Beside the many ways to say it a miss is cheap and a false alarm is
// not: a sentence with a condition, a question, a no, or about this conversation
// alone is no claim.

var (
	// claims are the sentences that say it, in lower case.
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
	// unless is what makes a sentence no claim.
	unless = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\?\s*$` +
			`|\b(?:if|when|whenever|unless|would|could|can|cannot|can't|unable|don't|doesn't|didn't|haven't|isn't|wasn't|not|never|may|might|should|example|asked|told|said)\b` +
			`|\b(?:this|our|the current) (?:conversation|chat|session)\b|\b(?:while|as long as|until)\b` +
			`|\b(?:wenn|falls|sobald|sofern|kann|könnte|könntest|soll|sollte|möchtest|würde|kein|keine|keinen|nie|beispiel|gesagt)\b` +
			`|\b(?:dieses|diesem|unseres|unserem) (?:gespräch|gesprächs|chat|chats|unterhaltung)\b|\b(?:dieser|unserer) (?:unterhaltung|sitzung)\b|\bsolange\b`)
	})
	// denied are the no's that belong to a claim.
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

// ClaimsToRemember reports whether an answer plainly says that something was, or
// will be, remembered beyond the conversation. What stands in quotes or code is
// another's words.
func ClaimsToRemember(answer string) bool {
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

// verbLast joins words that are no sentence of their own: their verb comes last.
var verbLast = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bda(?:ss|ß)\b`)
})

// maxLesson is how much of a message In takes, in characters.
const maxLesson = 200

// In is what a message may ask to remember, as a proposal for people to
// change: the words behind "remember that", else the message's own beginning.
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
