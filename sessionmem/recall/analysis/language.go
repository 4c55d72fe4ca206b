package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"

	"mac-stats/sessionmem/textfold"
)

// language is a language whose words are reduced to stems. Languages of the Latin script come
// first, in the order in which they win a tie.
type language uint8

const (
	langEnglish language = iota
	langGerman
	langFrench
	langSpanish
	langItalian
	langPortuguese
	langDutch
	langSwedish
	langDanish
	langNorwegian
	langFinnish
	langHungarian
	langRomanian
	langTurkish
	latinLanguages // number of languages with the Latin script
)

const (
	langRussian = latinLanguages + iota
	langArabic
	langTamil
	langNone // a script whose words aren't stemmed
)

// languageCodes maps ISO 639-1 codes to languages.
var languageCodes = map[string]language{
	"en": langEnglish, "de": langGerman, "fr": langFrench, "es": langSpanish, "it": langItalian, "pt": langPortuguese, "nl": langDutch, "sv": langSwedish,
	"da": langDanish, "no": langNorwegian, "fi": langFinnish, "hu": langHungarian, "ro": langRomanian, "tr": langTurkish, "ru": langRussian, "ar": langArabic,
}

// languageMask is a set of languages.
type languageMask uint32

// lexicon holds the knowledge about languages. It is read-only.
type lexicon struct {
	stemmers  [langNone]func(*snowballstem.Env) bool
	stops     map[string]languageMask // by bare word
	synonyms  map[string]string       // for English, by stem: the stem of a word with the same meaning
	light     map[string]languageMask // by bare word
	letters   map[rune]languageMask   // letters that only some languages of the Latin script use
	irregular [latinLanguages]map[string]string
	dates     dateLexicon
	umlauts   *strings.Replacer // of German words typed without them
}

func newLexicon() *lexicon {
	l := &lexicon{
		stemmers: [langNone]func(*snowballstem.Env) bool{
			langEnglish: english.Stem, langGerman: german.Stem, langFrench: french.Stem, langSpanish: spanish.Stem, langItalian: italian.Stem,
			langPortuguese: portuguese.Stem, langDutch: dutch.Stem, langSwedish: swedish.Stem, langDanish: danish.Stem, langNorwegian: norwegian.Stem,
			langFinnish: finnish.Stem, langHungarian: hungarian.Stem, langRomanian: romanian.Stem, langTurkish: turkish.Stem,
			langRussian: russian.Stem, langArabic: arabic.Stem, langTamil: tamil.Stem,
		},
		stops:    make(map[string]languageMask, 2048),
		synonyms: make(map[string]string),
		light:    make(map[string]languageMask, 512),
		letters:  make(map[rune]languageMask),
		dates:    newDateLexicon(),
		umlauts:  strings.NewReplacer("ae", "a", "oe", "o", "ue", "u"),
	}
	for table, masks := range map[string]map[string]languageMask{stopWords: l.stops, lightWords: l.light} {
		for line := range strings.Lines(table) {
			fields := strings.Fields(line)
			for i, w := range fields {
				if i > 0 {
					masks[textfold.Bare(w)] |= 1 << languageCodes[fields[0]]
				}
			}
		}
	}
	for letters, names := range map[string]string{
		"ß": "de", "ä": "de sv fi", "ö": "de sv fi hu tr", "ü": "de hu tr", "é": "fr es pt hu it", "è": "fr it", "ê": "fr pt", "ç": "fr pt tr", "œ": "fr",
		"ñ": "es", "ãõ": "pt", "åæ": "da no", "ø": "da no", "őű": "hu", "șță": "ro", "ğşı": "tr", "òì": "it", "áíóú": "es pt hu",
	} {
		for name := range strings.FieldsSeq(names) {
			for _, r := range letters {
				l.letters[r] |= 1 << languageCodes[name]
			}
		}
	}
	l.letters['å'] |= 1 << langSwedish
	l.irregular[langEnglish] = irregularForms(irregularEnglish, func(s string) string { return s })
	for form, base := range irregularForms(synonymsEnglish, func(s string) string { return l.suffixes(s, langEnglish) }) {
		l.synonyms[form] = l.suffixes(base, langEnglish)
	}
	l.irregular[langGerman] = irregularForms(irregularGerman, func(s string) string { return l.suffixes(s, langGerman) })
	return l
}

// irregularForms maps each form to the first word of its line.
func irregularForms(table string, key func(string) string) map[string]string {
	out := make(map[string]string)
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		for i, form := range fields {
			if i > 0 {
				out[key(form)] = fields[0]
			}
		}
	}
	return out
}

// suffixes removes endings by the rules of the language.
func (l *lexicon) suffixes(lower string, lang language) string {
	if lang >= langNone {
		return lower
	}
	env := snowballstem.NewEnv(lower)
	l.stemmers[lang](env)
	return env.Current()
}

// stemOf reduces a word to the stem that its forms share, without accents.
func (l *lexicon) stemOf(lower string, lang language) string {
	if lang == langRussian {
		lower = strings.ReplaceAll(lower, "ё", "е") // the stemmer knows only this spelling
	}
	if lang < latinLanguages && l.irregular[lang] != nil {
		if lang == langGerman {
			if base, ok := l.irregular[lang][textfold.Bare(l.suffixes(lower, lang))]; ok {
				lower = base
			}
		} else if base, ok := l.irregular[lang][lower]; ok {
			lower = base
		}
	}
	if stem := textfold.Bare(l.suffixes(lower, lang)); stem != "" {
		if base, ok := l.synonyms[stem]; ok && lang == langEnglish {
			return base
		}
		return stem
	}
	return textfold.Bare(lower)
}

// word is a lower-case word with its properties.
type word struct {
	lower  string
	bare   string   // without accents
	script language // the only language of its script, or the first one
	stops  languageMask
	light  languageMask
	hints  languageMask // languages that its letters indicate
	dates  []dateWord
	phrase int // how many words a phrase of dates may have that begins with it
	stems  []langStem
}

type langStem struct {
	lang  language
	term  *term
	plain *term // of the word without accents; nil if it is the same
}

func (w *word) stopIn(latin language) bool {
	return w.stops&(1<<w.in(latin)) != 0
}

func (w *word) lightIn(latin language) bool {
	return w.light&(1<<w.in(latin)) != 0
}

// in returns the language of the word in a text whose Latin-script language is latin.
func (w *word) in(latin language) language {
	if w.script < latinLanguages {
		return latin
	}
	return w.script
}

// word returns the unique word with a text, ignoring case.
func (a *Analyzer) word(text string) *word {
	lower := strings.ToLower(text)
	if len(lower) > maxWord {
		lower = strings.ToValidUTF8(lower[:maxWord], "")
	}
	if w, ok := a.words[lower]; ok {
		return w
	}
	lower = strings.Clone(lower)
	w := &word{lower: lower, bare: textfold.Bare(ordinal(lower)), script: scriptOf(lower)}
	w.stops, w.light = a.lex.stops[w.bare], a.lex.light[w.bare]
	w.dates, w.phrase = a.lex.dates.words[w.bare], a.lex.dates.longest[w.bare]
	if w.script < latinLanguages {
		for _, r := range lower {
			if r >= utf8.RuneSelf {
				w.hints |= a.lex.letters[r]
			}
		}
	}
	a.words[lower] = w
	return w
}

// ordinal returns "16" for "16th".
func ordinal(lower string) string {
	n := len(lower) - 2
	if n < 1 || n > 4 || !allDigits(lower[:n]) {
		return lower
	}
	switch lower[n:] {
	case "st", "nd", "rd", "th":
		return lower[:n]
	}
	return lower
}

// stem returns the term of a word in a text of a language.
func (a *Analyzer) stem(w *word, latin language) *term {
	stem, _ := a.stems(w, latin)
	return stem
}

// stems returns the terms of a word in a text of a language: by its stem, and by that of the word
// without accents, which many people leave out; nil if it is the same. The stemmers see accents:
// without them alone, Spanish and Russian lose.
func (a *Analyzer) stems(w *word, latin language) (stem, plain *term) {
	lang := w.in(latin)
	for _, s := range w.stems {
		if s.lang == lang {
			return s.term, s.plain
		}
	}
	text := w.bare
	if !isDigit(w.bare[0]) {
		text = a.lex.stemOf(w.lower, lang)
	}
	stem = a.intern([]byte(text))
	if w.bare != w.lower && !isDigit(w.bare[0]) {
		if without := a.lex.stemOf(w.bare, lang); without != text {
			plain = a.intern([]byte(without))
		}
	}
	w.stems = append(w.stems, langStem{lang, stem, plain})
	return stem, plain
}

// scriptOf returns the language of a script that only one of the known languages uses, and
// English for the Latin script, whose languages the text distinguishes.
func scriptOf(lower string) language {
	for _, r := range lower {
		switch {
		case r < utf8.RuneSelf && !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			return langEnglish
		case unicode.Is(unicode.Cyrillic, r):
			return langRussian
		case unicode.Is(unicode.Arabic, r):
			return langArabic
		case unicode.Is(unicode.Tamil, r):
			return langTamil
		default:
			return langNone
		}
	}
	return langNone
}
