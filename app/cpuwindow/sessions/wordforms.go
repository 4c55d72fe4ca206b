package sessions

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/textfold"
)

// wordForms shows where a text has what a query looks for: its words and their other
// forms, as the index reads them. One goroutine uses it at a time.
type wordForms struct {
	analyzer *analysis.Analyzer
	terms    map[string]bool
	words    []string // of the query, without those that say nothing beside the others
	find     func(text, phrase string) []textfold.Mark
}

func newWordForms(query string, find func(text, phrase string) []textfold.Mark) *wordForms {
	f := &wordForms{analyzer: analysis.NewAnalyzer(), find: find}
	f.terms = f.termsOf(query)
	for word := range strings.FieldsSeq(query) {
		if utf8.RuneCountInString(word) >= leastLooking && f.says(word) {
			f.words = append(f.words, word)
		}
	}
	return f
}

func (f *wordForms) termsOf(query string) map[string]bool {
	terms := map[string]bool{}
	for _, t := range f.analyzer.Query(query, time.Time{}).Terms {
		for _, v := range t.Variants {
			terms[v.Term] = true
		}
	}
	return terms
}

// says reports whether a word is one that the query is about: "the" isn't, beside others.
func (f *wordForms) says(word string) bool {
	for term := range f.termsOf(word) {
		if f.terms[term] {
			return true
		}
	}
	return false
}

// marks are the beginnings of words that the query has, and the words that are other
// forms of its words, in order and without overlap.
func (f *wordForms) marks(text string) []textfold.Mark {
	covered := make([]bool, len(text))
	cover := func(m textfold.Mark) {
		for i := m.From; i < m.To; i++ {
			covered[i] = true
		}
	}
	for _, word := range f.words {
		for _, m := range f.find(text, word) {
			if beginsWord(text, m.From) {
				cover(m)
			}
		}
	}
	for _, m := range wordsIn(text) {
		if strings.ContainsFunc(text[m.From:m.To], isBlankless) {
			continue // it is many words
		}
		for _, t := range f.analyzer.Chunk(text[m.From:m.To], time.Time{}).Freqs {
			if f.terms[t.Term] {
				cover(m)
			}
		}
	}
	return coveredRuns(covered)
}

// leading are the marks that begin a word the query is about, or all where none does.
func (f *wordForms) leading(text string, marks []textfold.Mark) []textfold.Mark {
	kept := slices.DeleteFunc(slices.Clone(marks), func(m textfold.Mark) bool {
		return !beginsWord(text, m.From) || !f.says(text[m.From:m.To])
	})
	if len(kept) == 0 {
		return marks
	}
	return kept
}

// coveredRuns are the runs of what is covered.
func coveredRuns(covered []bool) []textfold.Mark {
	var marks []textfold.Mark
	for i, on := range covered {
		switch {
		case !on:
		case i > 0 && covered[i-1]:
			marks[len(marks)-1].To = i + 1
		default:
			marks = append(marks, textfold.Mark{From: i, To: i + 1})
		}
	}
	return marks
}

// beginsWord reports whether a word may begin at a place; in a script without blanks,
// one may anywhere.
func beginsWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	first, _ := utf8.DecodeRuneInString(text[at:])
	return at == 0 || !inWord(before) || !inWord(first) || isBlankless(first)
}

// isBlankless reports whether a letter is of a script that puts no blanks between words.
func isBlankless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// wordsIn are the places of a text's words.
func wordsIn(text string) []textfold.Mark {
	var words []textfold.Mark
	from := -1
	for i, r := range text {
		switch {
		case inWord(r) && from < 0:
			from = i
		case !inWord(r) && from >= 0:
			words = append(words, textfold.Mark{From: from, To: i})
			from = -1
		}
	}
	if from >= 0 {
		words = append(words, textfold.Mark{From: from, To: len(text)})
	}
	return words
}
