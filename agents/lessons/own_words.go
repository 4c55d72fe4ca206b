package lessons

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A user who says "remember that …" wants it remembered now, even if a page was read. But
// a page can make the model try to save something. So a lesson is compared with the
// user's request word by word, without a model: it must have the same words in the same
// order, apart from articles, forms of "to be", verb endings, and "I" as "the user". A
// lesson that doesn't match waits in the inbox.

// maxRequest limits the length of a message in which the user's own words are searched, in
// characters. A longer message probably has pasted text.
const maxRequest = 1000

var (
	// rememberRequest matches a request to remember at the beginning of a clause.
	rememberRequest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[,;:–—]\s*|\s(?:and|then|also|please|so|but|und|bitte|y|et|e|you to)\s+)` +
			`(?:(?:please|kindly|also|always|ok|okay|hey|oh|and|so|bitte|por favor),?\s+)*(polite )?(?:please )?(?:` +
			`remember|(?:keep|bear) in mind|note down|(?:make|take) a note|note(?: that\b|:)|memori[sz]e|(?:don't|do not|never) forget|` +
			`(?:save|store|put|add) (?:this |that |it )?(?:to|in|into) (?:your |the |my )?memory|for the record|from now on|` +
			`merke? dir|vergiss nicht|denke? daran|notiere? dir|` +
			`recuerda|acuérdate de|no olvides|ten en cuenta|` +
			`souviens-toi|rappelle-toi|retiens|n'oublie pas|` +
			`ricordati|ricorda|non dimenticare|tieni a mente|` +
			`lembra-te|lembre-se|lembra|lembre|não esqueças?|recorda|no oblidis)(?:\b|\s|$)`)
	})
	politeRequest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:can|could|would|will) you `)
	})
	// requestThat matches what joins the request and the words.
	requestThat = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[\s:,]*\b(?:that|this|it|dass|daß|que|che|please|bitte|for (?:later|me|next time|the future)|the following)\b)*[\s:,]*`)
	})
	// clauseEnd separates clauses, each of which may be a lesson.
	clauseEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[,;:]|\s[–—-]\s|\b(?:and|und|y|et|e)\b`)
	})
	sentenceEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[.!?。！？]+(?:\s|$)`)
	})
)

// negations reverse the meaning of a sentence anywhere in it: with one of them, no part
// of a sentence counts on its own.
var negations = strings.Fields(`not no never none nothing nobody without unless except only if whether false wrong untrue lie joke
	pretend suppose imagine claim claims say says said think thinks stop stopped former instead rather neither nor hardly than or but
	nicht kein keine nie wenn falls falsch ohne aber oder jamais pas sans si ou mais no nunca sin o pero falso non senza se ma nem sem mas`)

// ignoredWords are ignored when a lesson is compared.
var ignoredWords = strings.Fields(`a an the is are am be that please just really also too and und et
	i me my mine myself i'm i've i'd i'll we us our user user's users`)

// sameTokens maps forms of a word to one of them.
var sameTokens = map[string]string{
	"don't": "not", "doesn't": "not", "isn't": "not", "aren't": "not", "can't": "cannot", "won't": "not",
	"do": "", "does": "", "has": "have", "had": "have",
}

// asksToRemember reports whether the message asks to remember the lesson in these words.
func asksToRemember(message, lesson string) bool {
	words := meaningWords(lesson)
	if len(words) == 0 || utf8.RuneCountInString(message) > maxRequest {
		return false
	}
	for _, asked := range askedFor(message) {
		if saysSame(asked, words) {
			return true
		}
	}
	return false
}

// askedFor returns the sentences of a message that the user asks to remember, without the
// words of the request.
func askedFor(message string) []string {
	var asked []string
	lines := ownLines(message)
	before := "" // the previous sentence, for "… Remember that!"
	for i, line := range lines {
		for _, sentence := range sentences(line) {
			low := strings.ToLower(sentence)
			low = politeRequest().ReplaceAllString(low, "polite ")
			at := rememberRequest().FindStringSubmatchIndex(low)
			question := strings.HasSuffix(low, "?") || strings.HasSuffix(low, "？")
			if at == nil || question && at[2] < 0 {
				before = low
				if question {
					before = ""
				}
				continue
			}
			rest := low[at[1]:]
			rest = rest[len(requestThat().FindString(rest)):]
			switch first := strings.Trim(low[:at[0]], " ,;:"); {
			case hasWord(rest):
				asked = append(asked, rest)
			case strings.HasSuffix(strings.TrimSpace(low), ":"):
				asked = append(asked, listBelow(lines[i+1:])...)
			case hasWord(first):
				asked = append(asked, first)
			case before != "":
				asked = append(asked, before)
			}
			before = ""
		}
	}
	return asked
}

// ownLines returns the lines of a message without quotes and code.
func ownLines(message string) []string {
	var lines []string
	fenced := false
	message = strings.ReplaceAll(norm.NFKC.String(message), "’", "'")
	for line := range strings.SplitSeq(message, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			line = ""
		}
		if fenced || strings.HasPrefix(line, ">") {
			line = ""
		}
		lines = append(lines, line)
	}
	return lines
}

// sentences splits a line after each mark that ends a sentence.
func sentences(line string) []string {
	var list []string
	at := 0
	for _, end := range sentenceEnd().FindAllStringIndex(line, -1) {
		list = append(list, strings.TrimSpace(line[at:end[1]]))
		at = end[1]
	}
	if rest := strings.TrimSpace(line[at:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// listBelow returns the bullets at the beginning of the lines.
func listBelow(lines []string) []string {
	var list []string
	for _, line := range lines {
		text := strings.TrimLeft(line, "-*• ")
		if text == line {
			break
		}
		list = append(list, strings.ToLower(text))
	}
	return list
}

func hasWord(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// saysSame reports whether the request, or consecutive clauses of it, has these words.
func saysSame(asked string, words []string) bool {
	if sameWords(meaningWords(asked), words) {
		return true
	}
	turned := func(w string) bool { return slices.Contains(negations, w) || strings.HasSuffix(w, "n't") }
	if slices.ContainsFunc(split(asked), turned) {
		return false
	}
	var clauses [][]string
	for _, part := range clauseEnd().Split(asked, -1) {
		clauses = append(clauses, meaningWords(part))
	}
	for i := range clauses {
		for n := i + 1; n <= len(clauses); n++ {
			if sameWords(slices.Concat(clauses[i:n]...), words) {
				return true
			}
		}
	}
	return false
}

func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(norm.NFKC.String(text), "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("'+#.%€$£", r)
	})
}

// meaningWords returns the words that carry the meaning of a sentence, in order.
func meaningWords(text string) []string {
	var out []string
	for _, w := range split(text) {
		w = strings.Trim(w, "'.")
		if same, ok := sameTokens[w]; ok {
			w = same
		}
		if w != "" && !slices.Contains(ignoredWords, w) {
			out = append(out, w)
		}
	}
	return out
}

// sameWords compares word by word, ignoring verb endings as in "I like" and "likes".
func sameWords(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool {
		return x == y || len(x) > 2 && len(y) > 2 && (verbForm(x, y) || verbForm(y, x))
	})
}

// verbForm reports whether long is short with the ending of the third person.
func verbForm(short, long string) bool {
	stem, y := strings.CutSuffix(short, "y")
	return long == short+"s" || long == short+"es" || y && long == stem+"ies"
}
