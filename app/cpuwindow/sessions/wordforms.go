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

// wordForms finds the words of a query in a text, including their other forms as the index
// knows them. Only one goroutine may use it at a time.
type wordForms struct {
	analyzer *analysis.Analyzer
	terms    map[string]bool
	words    []string // of the query, without stop words
	find     func(text, phrase string) []textfold.Mark
}

func newWordForms(query string, find func(text, phrase string) []textfold.Mark) *wordForms {
	f := &wordForms{analyzer: analysis.NewAnalyzer(), find: find}
	f.terms = f.termsOf(query)
	for word := range strings.FieldsSeq(query) {
		if utf8.RuneCountInString(word) >= minQuery && f.counts(word) {
			f.words = append(f.words, word)
		}
	}
	return f
}

// WordMarks returns a function that marks the words of a query in a text, as the results of a
// search mark them: see wordForms.marks. Only one goroutine may use it at a time.
func WordMarks(query string, find func(text, phrase string) []textfold.Mark) func(text string) []textfold.Mark {
	return newWordForms(strings.ReplaceAll(query, `"`, " "), find).marks
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

// counts reports whether the query searches for a word. It doesn't for "the" among others.
func (f *wordForms) counts(word string) bool {
	for term := range f.termsOf(word) {
		if f.terms[term] {
			return true
		}
	}
	return false
}

// marks returns where words start like a word of the query, and words that are other forms of
// its words. The marks are in order and don't overlap.
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
			continue // several words without blanks
		}
		for _, t := range f.analyzer.Chunk(text[m.From:m.To], time.Time{}).Freqs {
			if f.terms[t.Term] {
				cover(m)
			}
		}
	}
	return coveredRuns(covered)
}

// leading returns the marks at the start of a word that the query searches for, or all of them
// if there are none.
func (f *wordForms) leading(text string, marks []textfold.Mark) []textfold.Mark {
	kept := slices.DeleteFunc(slices.Clone(marks), func(m textfold.Mark) bool {
		return !beginsWord(text, m.From) || !f.counts(text[m.From:m.To])
	})
	if len(kept) == 0 {
		return marks
	}
	return kept
}

// coveredRuns returns the runs of covered bytes.
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

// beginsWord reports whether a word may start at an offset. In a script without blanks it may
// start anywhere.
func beginsWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	first, _ := utf8.DecodeRuneInString(text[at:])
	return at == 0 || !inWord(before) || !inWord(first) || isBlankless(first)
}

// isBlankless reports whether a letter belongs to a script without blanks between words.
func isBlankless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// wordsIn returns where the words of a text are.
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
