package sessionmem

import (
	"slices"
	"strings"
	"unicode"

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

// grounded keeps the lessons that are sure enough (one of which nothing is said is
// kept, with the confidence 0), speak of something the user spoke of, and are no
// question, no account of the talk and none of a failure.
func grounded(lessons []Lesson, snap Snapshot) []Lesson {
	said := map[string]bool{}
	for _, b := range snap.recent() {
		if b.Kind == transcript.KindUser {
			for _, w := range spokenWords(b.Text) {
				said[w] = true
			}
		}
	}
	var kept []Lesson
	for _, l := range lessons {
		if l.Confidence > 1 || l.Confidence != l.Confidence { // 8 of 10, 90 of 100, or what? It isn't known
			l.Confidence = 0
		}
		spoken := slices.ContainsFunc(spokenWords(l.Text), func(w string) bool { return len(w) > 2 && said[w] })
		if (l.Confidence == 0 || l.Confidence >= MinConfidence) && spoken && isLesson(l.Text) {
			l.Session = snap.Session
			kept = append(kept, l)
		}
	}
	return kept
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
	for _, w := range contentWords(text) {
		runes := []rune(w)
		if !slices.ContainsFunc(runes, func(r rune) bool {
			return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
		}) {
			out = append(out, w)
			continue
		}
		for i := range max(len(runes)-1, 1) {
			out = append(out, string(runes[i:min(i+2, len(runes))]))
		}
	}
	return out
}
