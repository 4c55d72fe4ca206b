package sessionmem

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// failureWords are in what is no lesson but a failure's account.
var failureWords = []string{
	"failed", "timed out", "could not", "couldn't", "unable to", "did not work", "didn't work", "error:",
	"fehlgeschlagen", "hat nicht funktioniert", "a échoué", "ha fallado", "non ha funzionato", "falhou",
}

// talkWords begin what is said of the conversation, and not of the user.
var talkWords = []string{
	"the user asked", "user asked", "the user said hello", "the user greeted", "user greeted", "the user thanked", "user thanked",
	"the user is chatting", "the conversation", "the assistant", "assistant ", "this conversation", "the user wants to know", "user wants to know",
}

// nothingWords are how a model says that there is none.
var nothingWords = []string{"none", "none.", "n/a", "no lessons", "no lessons.", "nothing", "nothing."}

// leastOwn is how many of a lesson's content words must be the user's own, in percent:
// said in one message or two that follow each other. Better ten missed than a false one.
const leastOwn = 60

// grounded keeps the lessons that are sure enough (one of which nothing is said is kept,
// with the confidence 0), that say what the user said, and that are sentences: no
// question, fragment, quotation, no account of the talk and none of a failure.
func grounded(lessons []memory.Lesson, snap Snapshot) []memory.Lesson {
	said := statements(snap.recent())
	var kept []memory.Lesson
	for _, l := range lessons {
		if l.Confidence > 1 || l.Confidence != l.Confidence { // 8 of 10, 90 of 100, or what? It isn't known
			l.Confidence = 0
		}
		if (l.Confidence == 0 || l.Confidence >= memory.MinConfidence) && isOwn(l.Text, said) && isLesson(l.Text) && hasForm(l) {
			l.Session = snap.Session
			kept = append(kept, l)
		}
	}
	return kept
}

// statements are the words of each message of the user together with those of the one
// before, without its questions: a preference or a correction is stated.
func statements(messages []transcript.Block) []map[string]bool {
	var list []map[string]bool
	before := map[string]bool{}
	for _, b := range messages {
		if b.Kind != transcript.KindUser {
			continue
		}
		words := map[string]bool{}
		for _, s := range sentencesOf(transcript.WithoutAttachments(b.Text)) {
			if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
				continue
			}
			for _, w := range singleWords(s) {
				words[w] = true
			}
		}
		both := maps.Clone(words)
		maps.Copy(both, before)
		list = append(list, both)
		before = words
	}
	return list
}

// isOwn reports whether most of a lesson's words are the user's.
func isOwn(lesson string, said []map[string]bool) bool {
	words := map[string]bool{}
	for _, w := range singleWords(lesson) {
		if w != "user" {
			words[w] = true
		}
	}
	return slices.ContainsFunc(said, func(own map[string]bool) bool {
		n := hits(words, own)
		return n > 0 && 100*n >= leastOwn*len(words)
	})
}

// singleWords are the words of a sentence, where a script is written without spaces its
// characters: pairs of them hardly repeat in other words.
func singleWords(text string) []string {
	var out []string
	for _, w := range memory.ContentWords(text) {
		if strings.ContainsFunc(w, unspaced) {
			out = append(out, strings.Split(w, "")...)
			continue
		}
		out = append(out, w)
	}
	return out
}

// unspaced tells a script that is written without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// nameColon begins a line that a model took out of a list or a script of speakers.
var nameColon = regexp.MustCompile(`^[\p{L}\d ._'-]{1,40}: ?`)

// hasForm reports whether a lesson is a sentence: more than a word or two, no quotation,
// and behind a name and a colon what is known of that person, not what they say.
func hasForm(l memory.Lesson) bool {
	text := strings.TrimSpace(l.Text)
	if strings.ContainsAny(text[:1], "\"'`>") || strings.HasPrefix(text, "“") || strings.HasPrefix(text, "„") || strings.HasPrefix(text, "«") {
		return false
	}
	name := nameColon.FindString(text)
	if name != "" && l.About == "" {
		return false
	}
	return len(spokenWords(text[len(name):])) > 0 && len(strings.Fields(text)) > 1 || len(spokenWords(text)) > 3
}

// isLesson reports whether a sentence could be one to remember.
func isLesson(text string) bool {
	low := strings.ToLower(strings.TrimSpace(text))
	if strings.HasSuffix(low, "?") || strings.HasSuffix(low, "？") || slices.Contains(nothingWords, low) {
		return false
	}
	begins := func(w string) bool { return strings.HasPrefix(low, w) }
	holds := func(w string) bool { return strings.Contains(low, w) }
	return !slices.ContainsFunc(talkWords, begins) && !slices.ContainsFunc(failureWords, holds)
}

// spokenWords are the words by which a lesson is compared with what was said: where
// a script is written without spaces, each pair of its characters.
func spokenWords(text string) []string {
	var out []string
	for _, w := range memory.ContentWords(text) {
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
