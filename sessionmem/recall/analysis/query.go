package analysis

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/textfold"
)

// QueryTerms describes what a question searches for.
type QueryTerms struct {
	Terms        []QueryTerm
	Spans        []Span // times that it names, relative to when it is asked
	OnlyTime     bool   // it names a time and nothing else to search for
	When         bool   // it asks for a time
	Quantity     bool   // it asks for a quantity
	AboutAnswers bool   // it asks what the assistant said
	Without      []Exclusion
	Names        []string // what it names letter by letter, in lower case: "at61 1904 3002", "max-old-space-size"
}

// Exclusion is a word that texts must not have: of "-word" and "NOT word".
type Exclusion struct {
	Word   string
	Terms  []string
	unless string // the term of the word with its minus: the option of a command
}

// QueryTerm is one thing that a question searches for.
type QueryTerm struct {
	Class    Class
	Weight   float64   // relative to the other terms
	Variants []Variant // the forms it may have in a text, the likeliest first
}

// Variant is a form of a term and how well it matches.
type Variant struct {
	Term   string
	Weight float64
}

// Weights of the parts of a question; measured.
const (
	weightWord  = 1
	weightHalf  = .5 // part of an identifier, and a word of a date beside the date; the same word stemmed in another language
	weightLight = .4 // see lightWords; for genericWords too
	weightExact = 3
)

// Query returns the terms of a search made at a time. It leaves out function words unless
// the search has no others.
func (a *Analyzer) Query(text string, now time.Time) QueryTerms {
	a.read(text)
	return a.queryTerms(text, now, a.without())
}

// Message is Query for a text that nobody wrote as a search, such as a message of a chat: its "-word" and
// NOT are words like others.
func (a *Analyzer) Message(text string, now time.Time) QueryTerms {
	a.read(text)
	return a.queryTerms(text, now, nil)
}

func (a *Analyzer) queryTerms(text string, now time.Time, without map[int]bool) QueryTerms {
	language, sure := a.guess()
	q := queryReader{a: a, language: language, sure: sure, keepStops: !a.hasContent(language), seen: make(map[string]int)}
	spans, moments, places := a.spans(now)
	for i, f := range a.found {
		if without[i] {
			if out := (Exclusion{Word: strings.TrimLeft(f.text, "-")}); !f.not {
				for _, t := range f.tokens {
					switch {
					case t.kind == tokenWord:
						for _, v := range q.variants(t.word) {
							out.Terms = append(out.Terms, v.Term)
						}
					case f.minus && t.kind == tokenTerm && !t.less:
						out.unless = t.term.text
						q.token(t, dateShare{})
					case t.kind == tokenPair || t.kind == tokenTerm && !t.less:
						out.Terms = append(out.Terms, t.term.text)
					}
				}
				q.without = append(q.without, out)
			}
			continue
		}
		for j := range f.tokens {
			q.token(f.tokens[j], places.of(i, j))
		}
	}
	for _, t := range moments {
		q.add(ClassMoment, weightHalf, Variant{t, 1})
	}
	onlyTime := len(spans) > 0 && !a.hasWordsBesides(places, language)
	return QueryTerms{Terms: q.terms, Spans: spans, OnlyTime: onlyTime, When: a.asksWhen(), Quantity: a.asksQuantity(), AboutAnswers: a.asksAboutAnswers(), Without: q.without, Names: a.names(text)}
}

// names returns what a question names letter by letter: words of signs or digits that are identifiers by
// their form or the only thing asked for, and groups of digits and capitals beside each other.
func (a *Analyzer) names(text string) (out []string) {
	words, contents := strings.Fields(text), 0
	for i, w := range words {
		words[i] = strings.TrimRight(strings.Trim(w, "\"'`“”„‘’«»()[]{}<>"), ".,;:!?")
		if lower := textfold.Bare(strings.ToLower(words[i])); a.lex.stops[lower] == 0 && !isAmong(lower, genericWords) {
			contents++
		}
	}
	isCode := func(w string) bool {
		return len(w) > 2 && w == strings.ToUpper(w) && strings.Trim(w, "0123456789.,-+") != ""
	}
	inGroup := func(w string) bool { return strings.ContainsAny(w, "0123456789") || len(w) <= 4 && isCode(w+"  ") }
	for i := 0; i < len(words); i++ {
		w := words[i]
		if len(w) < 2 || len(w) > maxField {
			continue
		}
		end := i
		for end < len(words) && inGroup(words[end]) {
			end++
		}
		if group := strings.Join(words[i:end], " "); end > i+1 && strings.ContainsAny(group, "0123456789") && (isCode(group) || strings.ContainsAny(group, "+-(") || len(group) > 9) {
			out = append(out, strings.ToLower(group))
			i = end - 1
			continue
		}
		exact := slices.ContainsFunc(a.field(w).tokens, func(t token) bool { return t.kind == tokenTerm && classOf(t.term.text) == ClassExact })
		sign := strings.ContainsAny(w[1:], "-_/\\:@#$=&?+.,") || strings.ContainsAny(w[:1], "@#$.-")
		if exact || contents == 1 && (sign || isCode(w)) || strings.ContainsAny(w[:1], "@#$.") && hasLetter(w) || strings.Contains(w, "/") && strings.ContainsAny(w, "-_=") {
			out = append(out, strings.ToLower(w))
		}
	}
	return out
}

// HasName reports whether a text in lower case has a name as it is written, and not as part of another.
func HasName(text, name string) bool {
	isPart := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(name)
		before, size := utf8.DecodeLastRuneInString(text[:from])
		further, _ := utf8.DecodeLastRuneInString(text[:from-size])
		after, size := utf8.DecodeRuneInString(text[to:])
		next, _ := utf8.DecodeRuneInString(text[to+size:])
		ofBefore := isPart(before) || strings.ContainsRune("-._+", before) && isPart(further)
		ofAfter := isPart(after) || strings.ContainsRune("-._:/@=", after) && isPart(next)
		if !ofBefore && !ofAfter {
			return true
		}
		at = to
	}
}

// maxWithout is the number of fields up to which a question is one of a search.
const maxWithout = 8

// without returns the fields of the current question that texts must not have: those with a minus
// before them or after NOT, unless nothing else would be left to search for. In a long question, which
// was copied from somewhere, and in one that begins with a minus, which is a list, they are words like
// others.
func (a *Analyzer) without() map[int]bool {
	out, before := map[int]bool{}, false
	if len(a.found) > maxWithout || len(a.found) > 0 && a.found[0].minus {
		return nil
	}
	for i, f := range a.found {
		switch {
		case f.not:
			before = true
			out[i] = true
			continue
		case len(f.tokens) > 0 && (f.minus || before):
			out[i] = true
		}
		before = false
	}
	if len(out) == len(a.found) {
		return nil
	}
	return out
}

// LeavesOut returns those of a question's exclusions that a text falls under. A text that has the word
// with its minus has what the question quotes: "go test -race".
func (a *Analyzer) LeavesOut(text string, all []Exclusion) (out []Exclusion) {
	terms := a.Chunk(text, time.Time{}).Freqs
	for _, e := range all {
		has := func(f TermFreq) bool { return slices.Contains(e.Terms, f.Term) }
		if slices.ContainsFunc(terms, has) && !slices.ContainsFunc(terms, func(f TermFreq) bool { return f.Term == e.unless }) {
			out = append(out, e)
		}
	}
	return out
}

// hasWordsBesides reports whether the current text has a word to search for besides its dates. A
// script without spaces always counts as one, and so does a bare number.
func (a *Analyzer) hasWordsBesides(places datePlaces, language language) bool {
	if len(a.seq) == 1 && isDigit(a.seq[0].bare[0]) {
		return true
	}
	for i, f := range a.found {
		for j, t := range f.tokens {
			switch in := places.of(i, j); {
			case t.kind == tokenTerm || t.kind == tokenPair:
				return true
			case in.named, t.word.stopIn(language), isAmong(t.word.bare, genericWords):
			default:
				return true
			}
		}
	}
	return false
}

// hasContent reports whether the current text has more than function words.
func (a *Analyzer) hasContent(language language) bool {
	for _, f := range a.found {
		for _, t := range f.tokens {
			if t.word == nil || !t.word.stopIn(language) {
				return true
			}
		}
	}
	return false
}

// queryReader makes terms of a question's words.
type queryReader struct {
	a         *Analyzer
	language  language
	sure      bool // there was evidence for the language
	keepStops bool
	terms     []QueryTerm
	seen      map[string]int // first variant to index in terms
	before    *term          // the preceding content word
	without   []Exclusion
}

func (q *queryReader) token(t token, in dateShare) {
	if in.named && in.weight == 0 && t.word != nil {
		return // the date is searched for, not its numbers
	}
	switch t.kind {
	case tokenTerm:
		weight := float64(weightWord)
		class := classOf(t.term.text)
		if class == ClassExact {
			weight = weightExact
		}
		if t.less { // who asks for main.go:42 wants that line, and not each mention of the file
			class, weight = ClassWord, weightWord
		}
		q.add(class, weight, Variant{t.term.text, 1})
	case tokenPair:
		q.add(ClassWord, weightWord, Variant{t.term.text, 1})
	case tokenPart:
		q.add(ClassWord, weightHalf, q.variants(t.word)...)
	case tokenWord:
		if t.word.stopIn(q.language) && !q.keepStops {
			return
		}
		stem := q.a.stem(t.word, q.language)
		weight := float64(weightWord)
		switch {
		case in.named:
			weight = in.weight
		case t.word.lightIn(q.language), isAmong(t.word.bare, genericWords):
			weight = weightLight
		}
		q.add(ClassWord, weight, q.variants(t.word)...)
		if q.before != nil {
			q.add(ClassPair, weightWord, Variant{q.a.bigram(q.before, stem).text, 1})
		}
		q.before = stem
	}
}

// variants returns the stems of a word in the languages of its script, because the text may be
// in another language than the question.
func (q *queryReader) variants(w *word) []Variant {
	stem, plain := q.a.stems(w, q.language)
	out := []Variant{{stem.text, 1}}
	if plain != nil {
		out = append(out, Variant{plain.text, 1})
	}
	if w.script >= latinLanguages || len(w.bare) < 4 || isDigit(w.bare[0]) {
		return out
	}
	weight := float64(weightHalf)
	if !q.sure {
		weight = 1
	}
	add := func(text string) {
		for _, v := range out {
			if v.Term == text {
				return
			}
		}
		out = append(out, Variant{text, weight})
	}
	for lang := range latinLanguages {
		stem, plain := q.a.stems(w, lang)
		add(stem.text)
		if plain != nil {
			add(plain.text)
		}
	}
	if plain := q.a.lex.umlauts.Replace(w.bare); plain != w.bare {
		add(q.a.lex.stemOf(plain, langGerman))
	}
	return out
}

// add adds a term, ignoring repetitions.
func (q *queryReader) add(class Class, weight float64, variants ...Variant) {
	if i, ok := q.seen[variants[0].Term]; ok {
		q.terms[i].Weight = max(q.terms[i].Weight, weight)
		return
	}
	q.seen[variants[0].Term] = len(q.terms)
	q.terms = append(q.terms, QueryTerm{Class: class, Weight: weight, Variants: variants})
}

// asksWhen reports whether the question asks for a time.
func (a *Analyzer) asksWhen() bool {
	for i, w := range a.seq {
		if i > 2 {
			break
		}
		if isAmong(w.bare, whenWords) {
			return true
		}
	}
	return false
}

// asksAboutAnswers reports whether the question asks what the assistant said before.
func (a *Analyzer) asksAboutAnswers() bool {
	before := ""
	for _, w := range a.seq {
		if isAmong(w.bare, answerVerbs) || isAmong(w.bare, answerSecond) && isAmong(before, answerFirst) || isAmong(w.bare, youSecond) && isAmong(before, youFirst) {
			return true
		}
		before = w.bare
	}
	return false
}

// asksQuantity reports whether the question asks for a quantity.
func (a *Analyzer) asksQuantity() bool {
	before := ""
	for i, w := range a.seq {
		if i > 3 {
			break
		}
		if isAmong(w.bare, quantityWords) || isAmong(w.bare, quantitySecond) && isAmong(before, quantityFirst) {
			return true
		}
		before = w.bare
	}
	return false
}

// isAmong reports whether a word is in a list with white space between its words.
func isAmong(word, list string) bool {
	for from := 0; word != ""; {
		i := strings.Index(list[from:], word)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(word)
		if (begin == 0 || list[begin-1] <= ' ') && (end == len(list) || list[end] <= ' ') {
			return true
		}
		from = end
	}
	return false
}

// HasNumber reports whether a text contains a number, in digits or words.
func (a *Analyzer) HasNumber(text string) bool {
	a.read(text)
	for _, w := range a.seq {
		if isDigit(w.bare[0]) || slices.ContainsFunc(w.dates, func(d dateWord) bool { return d.kind == dateNumber && d.n > 1 && !d.weak }) {
			return true
		}
	}
	return false
}

// Content returns the words of a text that carry its meaning.
func (a *Analyzer) Content(text string) map[string]bool {
	a.read(text)
	language := a.language()
	out := make(map[string]bool)
	for _, f := range a.found {
		for _, t := range f.tokens {
			switch {
			case t.term != nil:
				out[t.term.text] = true
			case !t.word.stopIn(language):
				out[a.stem(t.word, language).text] = true
			}
		}
	}
	return out
}
