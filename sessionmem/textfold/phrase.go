package textfold

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Phrase is a text in the form in which AddPhrase compares it: its readings.
type Phrase struct{ forms [][]byte }

// minWithin is the minimum number of letters of a phrase that is also found inside words.
const minWithin = 4

// Empty reports whether a phrase has no words.
func (p Phrase) Empty() bool { return len(p.forms) == 0 }

// String returns the phrase as written, folded.
func (p Phrase) String() string {
	if p.Empty() {
		return ""
	}
	return string(p.forms[0])
}

// Whole reports whether a phrase is found only as whole words: three letters also occur
// inside words that mean something else.
func (p Phrase) Whole() bool { return isWhole([]byte(p.String())) }

func isWhole(form []byte) bool {
	return utf8.RuneCount(form)-bytes.Count(form, []byte(" ")) < minWithin
}

// Phrase makes words comparable.
func (f *Folder) Phrase(words string) Phrase {
	var p Phrase
	r := f.Read([]byte(words))
	for _, w := range r.Whole() {
		if len(w.Words) > 0 && !slices.ContainsFunc(p.forms, func(f []byte) bool { return bytes.Equal(f, w.Folded) }) {
			p.forms = append(p.forms, w.Folded)
		}
	}
	return p
}
