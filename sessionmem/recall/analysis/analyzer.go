package analysis

import "time"

// Version changes whenever the same text would give other terms: an index
// built with another one is rebuilt.
const Version = 6

// Class says what kind of term it is; the first byte of the term says so too.
type Class byte

// The classes of terms.
const (
	ClassWord   Class = 0   // a word's stem, or two neighbouring signs of a script without blanks
	ClassExact  Class = '=' // an identifier, file name, error code, version or address as it was written
	ClassPair   Class = '+' // two content words in a row, hashed: other pairs may share the term
	ClassMoment Class = '@' // a date that the text mentions: @2023, @2023-05, @2023-w19, @2023-05-07
)

// classOf gives the class of a term.
func classOf(term string) Class {
	if term != "" {
		switch c := Class(term[0]); c {
		case ClassExact, ClassPair, ClassMoment:
			return c
		}
	}
	return ClassWord
}

// Marks say what kind of text a chunk is.
type Marks uint8

// The marks of a text.
const (
	MarkQuestion Marks = 1 << iota // it ends with a question
	MarkTime                       // it says when something is: "last week", "on 3 May"
)

// TermFreq is how often a text has a term.
type TermFreq struct {
	Term string
	N    int
}

// Terms is what a text is found by.
type Terms struct {
	Freqs []TermFreq // distinct, by first appearance
	Words int        // how long the text is: its words, function words too
	Marks Marks
}

// Analyzer turns texts and questions into terms: words by the Unicode rules, without
// case and accents, led back to their stem by the language of the text; scripts
// without blanks by pairs of signs; identifiers, file names and codes as they are
// beside their parts; dates that are mentioned. The same text always gives the same
// terms. It keeps what it learnt about words (a few MB at most), so it is made once
// and used by one goroutine at a time.
type Analyzer struct {
	lex    *lexicon
	fields map[string]*field
	words  map[string]*word
	terms  map[string]*term

	gen   uint64 // of the text at hand: terms of an older one have not been seen in it
	freqs []TermFreq
	found []*field
	seq   []*word // the words of the text in their order
	dates []dateToken
	buf   []byte
}

// cachedFields bounds what is kept about words; beyond it everything is forgotten.
const cachedFields = 1 << 14

// NewAnalyzer makes an analyzer; it takes about a millisecond.
func NewAnalyzer() *Analyzer {
	a := &Analyzer{lex: newLexicon()}
	a.forget()
	return a
}

func (a *Analyzer) forget() {
	a.fields = make(map[string]*field, 1024)
	a.words = make(map[string]*word, 1024)
	a.terms = make(map[string]*term, 1024)
}

// term is one that was seen, and where it stands in the text at hand.
type term struct {
	text string
	gen  uint64
	at   int
}

// Chunk gives the terms of a text that was written at a time ("yesterday" is the day
// before it). The list is valid until the next call; the terms in it may be kept.
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
			case tokenSign:
				a.count(t.term)
				words++
			case tokenPart:
				a.count(a.stem(t.word, language))
			case tokenWord:
				words++
				a.count(a.stem(t.word, language))
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

// Pairs gives the content words of a text that follow each other, function words left
// out, as the terms of questions have them. They are not among the terms of Chunk. The
// list is valid until the next call.
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

// read cuts the text into fields, each looked up or looked into once.
func (a *Analyzer) read(text string) {
	if len(a.fields) > cachedFields || len(a.words) > 2*cachedFields || len(a.terms) > 8*cachedFields {
		a.forget()
	}
	a.gen++
	a.freqs, a.found, a.seq, a.dates = a.freqs[:0], a.found[:0], a.seq[:0], a.dates[:0]
	for start := 0; start < len(text); {
		from, to, next := nextField(text, start)
		start = next
		if from == to {
			continue
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

// count adds one more of a term to the text at hand.
func (a *Analyzer) count(t *term) {
	if t.gen == a.gen {
		a.freqs[t.at].N++
		return
	}
	t.gen, t.at = a.gen, len(a.freqs)
	a.freqs = append(a.freqs, TermFreq{Term: t.text, N: 1})
}

// intern gives the one term of that text.
func (a *Analyzer) intern(text []byte) *term {
	if t, ok := a.terms[string(text)]; ok {
		return t
	}
	t := &term{text: string(text)}
	a.terms[t.text] = t
	return t
}

// bigramBits bounds how many terms pairs of words may make: a dictionary of all the
// pairs would be larger than the text.
const bigramBits = 18

// bigram gives the term of two words in a row.
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
