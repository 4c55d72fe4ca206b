package recall

import (
	"strings"
	"time"
	"unicode"
)

// AnalysisVersion changes whenever the same text gives other terms: the index is built
// anew then.
const AnalysisVersion = 1

// Analyzer makes terms of texts. It is for one goroutine.
type Analyzer struct{ freqs []TermFreq }

// NewAnalyzer gives an Analyzer.
func NewAnalyzer() *Analyzer { return &Analyzer{} }

// Marks are what a text is beside its words.
type Marks uint8

// The marks of a text.
const (
	MarkQuestion Marks = 1 << iota // it only asks
	MarkTime                       // it holds an expression of time
)

// Terms is what a text holds.
type Terms struct {
	Freqs []TermFreq // each term once, in the order of their first places; valid until the next call
	Words int        // the text's length in words
	Marks Marks
}

// TermFreq is a term and how often it stands in a text. The first byte of a term tells
// its class, see Class.
type TermFreq struct {
	Term string
	N    int
}

// Class says what a term is.
type Class byte

// The classes of terms; the last three are the first byte of their terms.
const (
	ClassWord   Class = 0   // a word's stem
	ClassExact  Class = '=' // an identifier, file name, error code as it stands
	ClassPair   Class = '+' // two neighbouring words
	ClassMoment Class = '@' // a date
)

// QueryTerms is what a question asks for.
type QueryTerms struct {
	Terms []QueryTerm
	Spans []Span
	When  bool // it asks for a time
}

// QueryTerm is one thing that a question asks for, in its variants.
type QueryTerm struct {
	Weight   float64
	Class    Class
	Variants []Variant
}

// Variant is a term that stands for a QueryTerm.
type Variant struct {
	Term   string
	Weight float64
}

// Span is a time: From inclusive, To exclusive.
type Span struct{ From, To time.Time }

// Chunk gives the terms of a text that was written at a time.
func (a *Analyzer) Chunk(text string, _ time.Time) Terms {
	t := Terms{}
	at := map[string]int{}
	a.freqs = a.freqs[:0]
	for _, w := range words(text) {
		t.Words++
		i, ok := at[w]
		if !ok {
			i = len(a.freqs)
			at[w] = i
			a.freqs = append(a.freqs, TermFreq{Term: w})
		}
		a.freqs[i].N++
	}
	t.Freqs = a.freqs
	return t
}

// Query gives what a question asks for, at a time.
func (a *Analyzer) Query(text string, now time.Time) QueryTerms {
	var q QueryTerms
	for _, f := range a.Chunk(text, now).Freqs {
		q.Terms = append(q.Terms, QueryTerm{Weight: 1, Variants: []Variant{{f.Term, 1}}})
	}
	return q
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
