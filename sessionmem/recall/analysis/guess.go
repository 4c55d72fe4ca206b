package analysis

import (
	"maps"
	"math/bits"
	"slices"
	"unicode"
)

// language guesses the Latin-script language of the current text by its function words and
// letters; without any it returns English.
func (a *Analyzer) language() language {
	guess, _ := a.guess()
	return guess
}

// guess also reports whether there was any evidence.
func (a *Analyzer) guess() (guess language, sure bool) {
	likely := a.likely()
	if likely == 0 {
		return langEnglish, false
	}
	return language(bits.TrailingZeros32(uint32(likely))), true
}

// likely returns the languages with the most evidence; 0 if there is none.
func (a *Analyzer) likely() languageMask {
	var score [latinLanguages]int
	for _, w := range a.seq {
		if w.script < latinLanguages || w.stops != 0 {
			vote(score[:], w.stops&(1<<latinLanguages-1), 12)
			vote(score[:], w.hints&(1<<latinLanguages-1), 6)
		}
	}
	return best(score[:])
}

// best returns the set of those with the highest score above 0.
func best(score []int) languageMask {
	highest, out := 1, languageMask(0)
	for i, n := range score {
		if n > highest {
			highest, out = n, 0
		}
		if n == highest {
			out |= 1 << i
		}
	}
	return out
}

// scriptLanguage is a language identified by its script.
type scriptLanguage struct {
	code   string
	script *unicode.RangeTable
	weight int // how many Latin letters one character is worth
}

var scriptLanguages = []scriptLanguage{
	{"ru", unicode.Cyrillic, 1},
	{"ar", unicode.Arabic, 1},
	{"ta", unicode.Tamil, 1},
	{"el", unicode.Greek, 1},
	{"ko", unicode.Hangul, 2},
	{"ja", unicode.Hiragana, 3},
	{"ja", unicode.Katakana, 3},
	{"zh", unicode.Han, 3},
}

// KnowsLanguage reports whether Language can return the code.
func KnowsLanguage(code string) bool {
	_, latin := languageCodes[code]
	return latin || slices.ContainsFunc(scriptLanguages, func(l scriptLanguage) bool { return l.code == code })
}

// Language returns the ISO 639-1 code of the predominant language of a text; "" if there is
// no evidence.
func (a *Analyzer) Language(text string) string {
	latin, score := 0, map[string]int{}
	for _, r := range text {
		if unicode.Is(unicode.Latin, r) {
			latin++
		}
		for _, l := range scriptLanguages {
			if unicode.Is(l.script, r) {
				score[l.code] += l.weight
			}
		}
	}
	if score["ja"] > 0 { // Japanese mixes kana with Han characters
		score["ja"] += score["zh"]
		delete(score, "zh")
	}
	for _, l := range scriptLanguages {
		if n := score[l.code]; n > latin && n == slices.Max(slices.Collect(maps.Values(score))) {
			return l.code
		}
	}
	a.read(text)
	guess, sure := a.guess()
	for code, l := range languageCodes {
		if l == guess && sure {
			return code
		}
	}
	return ""
}

// vote divides the weight among the languages of a set.
func vote(score []int, set languageMask, weight int) {
	if set == 0 {
		return
	}
	share := 1 + weight/bits.OnesCount32(uint32(set))
	for set != 0 {
		i := bits.TrailingZeros32(uint32(set))
		score[i] += share
		set &= set - 1
	}
}
