package textfold

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words is a text as its comparable words: without case, diacritics, and the text between
// words. In scripts without blanks between words, every letter is a word.
type Words struct {
	Folded []byte // the words, separated by one blank
	Words  []Word
}

// Word is the place of a word.
type Word struct {
	from, to   int    // bytes of the original text
	Start, End int    // bytes of Folded
	Hash       uint64 // of the folded word
	soft       bool   // only marks separate it from the previous word
}

const (
	fnvBasis = 14695981039346656037
	fnvPrime = 1099511628211
)

// WordsOf splits a text into words. With escapes, it reads the text as the inside of a JSON
// or log string: \n separates words, \u00e9 is a letter.
func (f *Folder) WordsOf(text []byte, escapes bool) Words {
	w := Words{Folded: make([]byte, 0, len(text)), Words: make([]Word, 0, len(text)/6+1)}
	open := false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if escapes && r == '\\' {
			r, n = unescape(text[i:])
		}
		switch {
		case isWordRune(r):
			if alone := isOwnWord(r); alone || !open {
				w.begin(i)
				open = !alone
			}
			w.Folded = f.appendRune(w.Folded, r)
			last := &w.Words[len(w.Words)-1]
			last.to, last.End = i+n, len(w.Folded)
		case open && isZeroWidth(r):
		default:
			open = false
		}
		i += n
	}
	w.finish()
	return w
}

func (w *Words) begin(from int) {
	if len(w.Words) > 0 {
		w.Folded = append(w.Folded, ' ')
	}
	w.Words = append(w.Words, Word{from: from, Start: len(w.Folded)})
}

// finish drops words that fold to nothing and hashes the others.
func (w *Words) finish() {
	kept := w.Words[:0]
	for _, a := range w.Words {
		if a.Start == a.End {
			continue
		}
		h := uint64(fnvBasis)
		for _, c := range w.Folded[a.Start:a.End] {
			h = (h ^ uint64(c)) * fnvPrime
		}
		a.Hash = h ^ h>>32
		kept = append(kept, a)
	}
	w.Words = kept
}

// Window returns n words from the i-th on, folded, separated by one blank.
func (w Words) Window(i, n int) []byte {
	out := w.Folded[w.Words[i].Start:w.Words[i+n-1].End]
	if bytes.Contains(out, []byte("  ")) { // a word between them folds to nothing
		out = bytes.Join(bytes.Fields(out), []byte(" "))
	}
	return out
}

// FindAny is find for all forms of a phrase.
func (w Words) FindAny(phrase Phrase) (found [][2]int) {
	for _, form := range phrase.forms {
		found = append(found, w.find(form)...)
	}
	return found
}

// find returns the occurrences of a phrase (of the same form), each as the index of its
// first word and the number of words. An occurrence may begin and end inside a word, unless
// the phrase is so short that it occurs in many other words (Phrase.Whole).
func (w Words) find(phrase []byte) (found [][2]int) {
	if len(phrase) == 0 {
		return nil
	}
	word, whole := 0, isWhole(phrase)
	for at := 0; ; {
		i := bytes.Index(w.Folded[at:], phrase)
		if i < 0 {
			return found
		}
		begin, end := at+i, at+i+len(phrase)
		for word < len(w.Words) && w.Words[word].End <= begin {
			word++
		}
		last := word
		for last < len(w.Words) && w.Words[last].End < end {
			last++
		}
		if last == len(w.Words) {
			return found
		}
		at = w.Words[last].End
		if whole && (w.Words[word].Start != begin || at != end) {
			continue
		}
		found = append(found, [2]int{word, last - word + 1})
	}
}

// Span returns the range of n words from the i-th on in the original text.
func (w Words) Span(i, n int) Mark { return Mark{w.Words[i].from, w.Words[i+n-1].to} }

// appendRune appends a letter in its comparable form.
func (f *Folder) appendRune(dst []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf:
		return append(dst, f.ascii[r])
	case r < foldTableEnd:
		return append(dst, f.table[r]...)
	}
	return utf8.AppendRune(dst, unicode.ToLower(r))
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// isZeroWidth reports whether a sign within a word is invisible.
func isZeroWidth(r rune) bool {
	return r == '\u00ad' || r == '\u200b' || r == '\u200c' || r == '\u200d'
}

// isOwnWord reports whether a letter is a word of its own, because its script puts no blanks
// between words.
func isOwnWord(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// unescape decodes an escape of JSON or of a quoted string. An escape that separates words
// becomes a blank.
func unescape(text []byte) (r rune, n int) {
	if len(text) < 2 {
		return ' ', 1
	}
	if text[1] != 'u' || len(text) < 6 {
		return ' ', 2
	}
	code, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return ' ', 2
	}
	return rune(code), 6
}

// Sentences returns the lines of a text, splitting long ones at the ends of sentences.
func Sentences(text string) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		begin := 0
		for i, r := range line {
			next := i + utf8.RuneLen(r)
			switch {
			case r == '。' || r == '！' || r == '？':
			case (r == '.' || r == '!' || r == '?') && next < len(line) && line[next] == ' ':
			default:
				continue
			}
			out = append(out, line[begin:next])
			begin = next
		}
		out = append(out, line[begin:])
	}
	return out
}

// Tag returns a part of a window's hash, which cheaply rules out most others.
func (w Words) Tag(i, n int) uint16 {
	r := NewRolling(n)
	var tag uint16
	for _, a := range w.Words[i : i+n] {
		tag, _ = r.Push(a.Hash)
	}
	return tag
}

// rolling is a hash of the last n words.
type rolling struct {
	last  []uint64
	next  int
	count int
	sum   uint64
	out   uint64 // the weight of the word that leaves the window
}

const rollingBase = 0x9E3779B97F4A7C15

// NewRolling returns a hash of the last n words, to which Push adds the next.
func NewRolling(n int) *rolling {
	r := &rolling{last: make([]uint64, n), out: 1}
	for range n {
		r.out *= rollingBase
	}
	return r
}

// Push adds a word; full reports whether the window has n words.
func (r *rolling) Push(hash uint64) (tag uint16, full bool) {
	r.sum = r.sum*rollingBase + hash - r.last[r.next]*r.out
	r.last[r.next] = hash
	r.next = (r.next + 1) % len(r.last)
	r.count++
	return uint16(r.sum >> 48), r.count >= len(r.last)
}
