package analysis

import (
	"strings"
	"sync"
	"time"
)

// Version changes whenever the same text would yield other terms: an index built with
// another version is rebuilt.
const Version = 9

// Class is the kind of a term; for most kinds it is also the first byte of the term.
type Class byte

// The classes of terms.
const (
	ClassWord   Class = 0   // a word's stem, or two adjacent characters of a script without spaces
	ClassExact  Class = '=' // an identifier, file name, error code, version or address as written
	ClassPair   Class = '+' // two consecutive content words, hashed: different pairs may share a term
	ClassMoment Class = '@' // a date that the text mentions: @2023, @2023-05, @2023-w19, @2023-05-07
)

// classOf returns the class of a term.
func classOf(term string) Class {
	if term != "" {
		switch c := Class(term[0]); c {
		case ClassExact, ClassPair, ClassMoment:
			return c
		}
	}
	return ClassWord
}

// Marks describe a text.
type Marks uint8

// The marks of a text.
const (
	MarkQuestion Marks = 1 << iota // it ends with a question
	MarkTime                       // it mentions a time: "last week", "on 3 May"
)

// TermFreq is a term and how often a text contains it.
type TermFreq struct {
	Term string
	N    int
}

// Terms holds the terms of a text.
type Terms struct {
	Freqs []TermFreq // distinct, in order of first appearance
	Words int        // length of the text in words, including function words
	Marks Marks
}

// Analyzer turns texts and questions into terms. Words are split by the Unicode rules,
// stripped of case and accents, and reduced to their stem in the language of the text.
// Scripts without spaces yield pairs of characters. Identifiers, file names and codes are
// kept whole besides their parts. Mentioned dates yield terms too. The same text always
// yields the same terms. An analyzer caches what it learns about words (a few MB at most),
// so make it once; it is for one goroutine at a time.
type Analyzer struct {
	lex    *lexicon
	fields map[string]*field
	words  map[string]*word
	terms  map[string]*term

	gen    uint64 // number of the current text: a term with an older one hasn't occurred in it
	freqs  []TermFreq
	found  []*field
	seq    []*word // the words of the text in order
	dates  []dateToken
	places []tokenPlace
	buf    []byte
}

// cachedFields limits the caches; beyond it they are cleared.
const cachedFields = 1 << 14

// sharedLexicon is used by all analyzers: making one takes a millisecond.
var sharedLexicon = sync.OnceValue(newLexicon)

// NewAnalyzer returns an analyzer that knows no words yet.
func NewAnalyzer() *Analyzer {
	a := &Analyzer{lex: sharedLexicon()}
	a.forget()
	return a
}

func (a *Analyzer) forget() {
	a.fields, a.words, a.terms = map[string]*field{}, map[string]*word{}, map[string]*term{}
}

// term is a known term and its place in the current text.
type term struct {
	text string
	gen  uint64
	at   int
}

// Chunk returns the terms of a text written at a time, to which "yesterday" is relative. The
// list is valid until the next call; its terms may be kept.
func (a *Analyzer) Chunk(text string, at time.Time) Terms {
	a.read(text)
	language := a.language()
	words := 0
	for _, f := range a.found {
		for i := range f.tokens {
			t := &f.tokens[i]
			switch t.kind {
			case tokenTerm:
				a.count(t.term)
			case tokenPair:
				a.count(t.term)
				words++
			case tokenPart, tokenWord:
				if t.kind == tokenWord {
					words++
				}
				stem, plain := a.stems(t.word, language)
				a.count(stem)
				if plain != nil {
					a.count(plain)
				}
			}
		}
	}
	marks := Marks(0)
	if isQuestion(text) {
		marks |= MarkQuestion
	}
	if a.mentions(at) {
		marks |= MarkTime
	}
	return Terms{Freqs: a.freqs, Words: words, Marks: marks}
}

// Pairs returns the pairs of consecutive content words, without function words, in the form
// of ClassPair terms of questions. Chunk doesn't return them. The list is valid until the
// next call.
func (a *Analyzer) Pairs(text string) []TermFreq {
	a.read(text)
	language := a.language()
	var before *term
	for _, w := range a.seq {
		if w.stopIn(language) {
			continue
		}
		stem := a.stem(w, language)
		if before != nil {
			a.count(a.bigram(before, stem))
		}
		before = stem
	}
	return a.freqs
}

// read splits the text into fields and looks each up or analyses it.
func (a *Analyzer) read(text string) {
	if len(a.fields) > cachedFields || len(a.words) > 2*cachedFields || len(a.terms) > 8*cachedFields {
		a.forget()
	}
	a.gen++
	a.freqs, a.found, a.seq, a.dates = a.freqs[:0], a.found[:0], a.seq[:0], a.dates[:0]
	for start, before := 0, 0; start < len(text); {
		from, to, next := nextField(text, start)
		start = next
		if len(a.found) > 0 && from-before > 1 && strings.ContainsAny(text[before:from], "–—〜～") {
			a.found = append(a.found, dashField)
		}
		if from == to {
			continue
		}
		before = to
		if from > 0 && to-from > 2 && text[from] == '-' && text[from+1] != '-' && text[from-1] > ' ' {
			from++ // a minus in quotes or brackets is none of a search
		}
		f := a.field(text[from:to])
		a.found = append(a.found, f)
		for i := range f.tokens {
			if w := f.tokens[i].word; w != nil && f.tokens[i].kind == tokenWord {
				a.seq = append(a.seq, w)
			}
		}
	}
}

// count counts an occurrence of a term in the current text.
func (a *Analyzer) count(t *term) {
	if t.gen == a.gen {
		a.freqs[t.at].N++
		return
	}
	t.gen, t.at = a.gen, len(a.freqs)
	a.freqs = append(a.freqs, TermFreq{Term: t.text, N: 1})
}

// intern returns the unique term with a text.
func (a *Analyzer) intern(text []byte) *term {
	if t, ok := a.terms[string(text)]; ok {
		return t
	}
	t := &term{text: string(text)}
	a.terms[t.text] = t
	return t
}

// bigramBits limits how many terms word pairs may produce: a dictionary of all pairs would be
// larger than the text.
const bigramBits = 18

// bigram returns the term of two consecutive words.
func (a *Analyzer) bigram(one, two *term) *term {
	h := uint64(14695981039346656037)
	for _, s := range [2]string{one.text, two.text} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	h ^= h >> 32
	h &= 1<<bigramBits - 1
	a.buf = append(a.buf[:0], byte(ClassPair), digit64(h>>12), digit64(h>>6), digit64(h))
	return a.intern(a.buf)
}

const digits64 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"

func digit64(n uint64) byte { return digits64[n&63] }
