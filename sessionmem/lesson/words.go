package lesson

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lightWords add no meaning to a lesson.
var lightWords = wordSet(`a an the this that these those is are was were be been to of in on at for with and or as by from
	user users user's he she they his her their i my me we our you your it its please all every each`)

// heavyWords reverse the meaning of a sentence: a lesson with one more of them is
// different.
var heavyWords = wordSet(`no not never none nothing without don't doesn't didn't isn't aren't won't can't cannot only except unless
	nicht kein keine nie pas jamais non sin nunca nao não не нет 不 没 ない`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// Words returns the words of a lesson that carry its meaning, in order.
func Words(text string) []string {
	var out []string
	split := func(r rune) bool {
		return r == ' ' || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("'+#.", r)
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), split) {
		w = strings.Trim(w, "'.")
		if w == "" || lightWords[w] {
			continue
		}
		out = append(out, stem(w))
	}
	return out
}

// stem removes the endings that don't change an English word's meaning here.
func stem(w string) string {
	for _, end := range []string{"ing", "es", "ed", "s"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 4 && !heavyWords[w] {
			return s
		}
	}
	return w
}

// AlreadySays reports whether a bullet says everything that a new lesson says: the same
// words apart from light ones, or these words in order with few others between them. A text
// that replaces a word with another one is never a duplicate.
func AlreadySays(bullet, lesson []string) bool {
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
		case heavyWords[w] || strings.ContainsFunc(w, unicode.IsDigit):
			return false
		}
	}
	return i == len(lesson)
}
