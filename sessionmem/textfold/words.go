package textfold

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words is a text as its words, comparable: without case and diacritics, without
// what stands between them. In scripts that put no blanks between words, every
// letter is one.
type Words struct {
	Folded []byte // the words, one blank between them
	Words  []Word
}

// Word is where a word stands.
type Word struct {
	from, to   int    // bytes of the text
	Start, End int    // bytes of folded
	Hash       uint64 // of the folded word
	soft       bool   // only marks part it from the word before it
}

const (
	fnvBasis = 14695981039346656037
	fnvPrime = 1099511628211
)

// WordsOf takes a text apart. With escapes, it is one as it stands between the
// quotes of JSON or of a log: \n parts words, \u00e9 is a letter.
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
			if alone := isAlone(r); alone || !open {
				w.begin(i)
				open = !alone
			}
			w.Folded = f.appendRune(w.Folded, r)
			last := &w.Words[len(w.Words)-1]
			last.to, last.End = i+n, len(w.Folded)
		case open && isNothing(r):
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

// Window is n words from the i-th on, folded, one blank between them.
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

// find gives the words that a phrase (of the same form) stands in, each time as the
// number of the first and how many: it may begin and end within a word, unless it is so
// short that it stands within many others (Phrase.Whole).
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

// Span is where n words from the i-th on stand in the text.
func (w Words) Span(i, n int) Mark { return Mark{w.Words[i].from, w.Words[i+n-1].to} }

// appendRune appends a letter as it is compared.
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

// isNothing says whether a sign stands within a word without being seen.
func isNothing(r rune) bool { return r == '\u00ad' || r == '\u200b' || r == '\u200c' || r == '\u200d' }

// isAlone says whether a letter is a word of its own: its script puts no blanks
// between words.
func isAlone(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// unescape reads an escape of JSON or of a quoted string; what separates words is
// given as a blank.
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

// Sentences gives the lines of a text, long ones cut at the ends of sentences.
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

// Tag is a part of a hash of a window, so that most others are told apart cheaply.
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
	out   uint64 // what the word counts that goes
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

// Push adds a word; full says whether there are n of them.
func (r *rolling) Push(hash uint64) (tag uint16, full bool) {
	r.sum = r.sum*rollingBase + hash - r.last[r.next]*r.out
	r.last[r.next] = hash
	r.next = (r.next + 1) % len(r.last)
	r.count++
	return uint16(r.sum >> 48), r.count >= len(r.last)
}
