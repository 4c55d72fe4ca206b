package textfold

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A text is compared in one spelling: everyone who searches, forgets or marks hits uses it.
// Compatibility forms (ﬁ, full width, math letters) are resolved, typographic marks are those
// of a keyboard, katakana is hiragana, traditional ideographs are simplified, Persian letters
// are Arabic, and what isn't seen is gone: format characters, variation selectors, skin tones.
// Folding also removes case and diacritics.

// foldTableEnd is the end of the scripts that have cases or diacritics worth folding
// (Latin, Greek, Cyrillic, Hebrew, Arabic …). In the scripts of India and East Asia a mark makes
// a different letter.
const foldTableEnd = 0x2500

// Folder makes text comparable by removing case and diacritics, so that "cafe" finds "Café"
// and "STRASSE" finds "Straße". It is read-only after NewFolder.
type Folder struct {
	table [foldTableEnd]string // what a rune of a word becomes; "" for a mark, which is dropped. Records of forgotten texts hold sums of such words: it must not change
	loose [foldTableEnd]string // what a rune becomes in one spelling
	ascii [utf8.RuneSelf]byte  // the same for ASCII; line ends become blanks
}

// NewFolder returns a Folder. Its tables take a moment to build, so keep the Folder.
func NewFolder() *Folder {
	f := &Folder{}
	fold := cases.Fold()
	for r := rune(0); r < foldTableEnd; r++ {
		if r < utf8.RuneSelf {
			f.ascii[r] = byte(unicode.ToLower(r))
			continue
		}
		if isDiacritic(r) {
			continue
		}
		folded := fold.String(string(r))
		f.table[r] = withoutDiacritics(norm.NFD.String(folded))
		f.loose[r] = Bare(Spelling(folded))
	}
	f.ascii['\n'], f.ascii['\t'], f.ascii['\r'] = ' ', ' ', ' '
	for from, to := range map[rune]string{'ı': "i", 'ł': "l", 'Ł': "l", 'ø': "o", 'Ø': "o", 'đ': "d", 'Đ': "d", '\u00a0': " ", '\u00ad': "", '\u200b': "", '\u200d': ""} {
		f.table[from] = to
	}
	return f
}

// isDiacritic reports whether a mark is ignored in comparisons: those of Latin, Greek and
// Cyrillic, the vowel points of Hebrew and Arabic.
func isDiacritic(r rune) bool {
	return r >= 0x0300 && r <= 0x036F || r >= 0x0591 && r <= 0x05C7 && unicode.Is(unicode.Mn, r) ||
		r >= 0x064B && r <= 0x065F || r == 0x0670 || r >= 0x1AB0 && r <= 0x1AFF
}

func withoutDiacritics(decomposed string) string {
	out := make([]rune, 0, len(decomposed))
	for _, r := range decomposed {
		if !isDiacritic(r) {
			out = append(out, r)
		}
	}
	return string(out)
}

// Spelling returns a text in the spelling in which texts are compared, with its case and
// diacritics.
func Spelling(text string) string {
	if isASCII(text) {
		return text
	}
	out := make([]byte, 0, len(text))
	for _, r := range norm.NFKC.String(text) {
		if r = spelled(r); r >= 0 {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// Bare removes the diacritics from a lower-case text in scripts where they don't make a different
// letter, and writes letters of few languages like their nearest ones.
func Bare(lower string) string {
	if isASCII(lower) {
		return lower
	}
	out := make([]byte, 0, len(lower))
	for _, r := range norm.NFD.String(lower) {
		switch {
		case isDiacritic(r):
		case r == 'ı':
			out = append(out, 'i')
		case r == 'ł':
			out = append(out, 'l')
		case r == 'ø':
			out = append(out, 'o')
		case r == 'đ':
			out = append(out, 'd')
		case r == 'ß':
			out = append(out, "ss"...)
		case r == 'æ':
			out = append(out, "ae"...)
		case r == 'œ':
			out = append(out, "oe"...)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return norm.NFC.String(string(out))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// spelled returns the character that one is compared as; -1 for one that isn't seen. It has no
// compatibility forms any more.
func spelled(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r >= 0x4E00 && r <= 0x9FFF:
		if same, ok := hanziPairs()[r]; ok {
			return same
		}
		return r
	case r >= 'ァ' && r <= 'ヶ', r == 'ヽ', r == 'ヾ':
		return r - ('ァ' - 'ぁ')
	case isUnseen(r), r == 'ـ', r >= 0x180B && r <= 0x180D, r >= 0x1F3FB && r <= 0x1F3FF, unicode.Is(unicode.Cf, r):
		return -1
	case unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.Is(unicode.Pd, r), r == '−':
		return '-'
	}
	for _, digits := range [...]rune{'٠', '۰', '०'} {
		if r >= digits && r < digits+10 {
			return r - digits + '0'
		}
	}
	switch r {
	case '‘', '’', '‛', 'ʼ', '′', 'ʹ', '՚', 'ꞌ':
		return '\''
	case '“', '”', '„', '‟', '«', '»', '″':
		return '"'
	case '⁄', '∕':
		return '/'
	case 'ς':
		return 'σ'
	case 'ی', 'ى':
		return 'ي'
	case 'ک':
		return 'ك'
	case 'ہ', 'ە':
		return 'ه'
	}
	return r
}

// AppendFold appends the folded text to dst. Marks of emphasis at the edges of words are left
// out.
func (f *Folder) AppendFold(dst []byte, text []byte) []byte {
	dst, _ = f.fold(dst, text, nil)
	return dst
}

// fold appends the folded text to dst and, for each of its bytes, the offset of its origin to from,
// unless that is nil.
func (f *Folder) fold(dst, text []byte, from []int) ([]byte, []int) {
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case c == '*' || c == '_' || c == '~' || c == '`':
			for i+n < len(text) && text[i+n] == c {
				n++
			}
			if !isEmphasis(text, i, i+n) {
				dst = append(dst, text[i:i+n]...)
			}
		case c < utf8.RuneSelf:
			dst = append(dst, f.ascii[c])
		default:
			var r rune
			r, n = utf8.DecodeRune(text[i:])
			dst = f.appendLoose(dst, r)
		}
		for from != nil && len(from) < len(dst) {
			from = append(from, i)
		}
		i += n
	}
	return dst, from
}

// isEmphasis reports whether a run of marks from i to end is markup: at the edge of a word, or
// asterisks inside it that stand in for one.
func isEmphasis(text []byte, i, end int) bool {
	word := func(i int) bool { return i >= 0 && i < len(text) && (isASCIIWord(text[i]) || text[i] >= utf8.RuneSelf) }
	blank := func(i int) bool { return i < 0 || i >= len(text) || text[i] <= ' ' }
	if word(i-1) && word(end) {
		return text[i] == '*' && end > i+1
	}
	return !blank(i-1) || !blank(end)
}

// appendLoose appends a character in one spelling, without case and diacritics.
func (f *Folder) appendLoose(dst []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf:
		return append(dst, f.ascii[r])
	case r < foldTableEnd:
		return append(dst, f.loose[r]...)
	case r >= 0xAC00 && r <= 0xD7A3: // as a whole, because one begins like another
		return utf8.AppendRune(dst, r)
	case r >= 0x4E00 && r <= 0x9FFF, r >= 'ぁ' && r <= 'ん' && r%2 == 1:
		return utf8.AppendRune(dst, spelled(r))
	}
	var buf [utf8.UTFMax]byte
	for _, d := range string(norm.NFKD.Append(make([]byte, 0, 16), buf[:utf8.EncodeRune(buf[:], r)]...)) {
		if d = spelled(d); d >= foldTableEnd {
			dst = utf8.AppendRune(dst, unicode.ToLower(d))
		} else if d >= utf8.RuneSelf {
			dst = append(dst, f.loose[d]...)
		} else if d >= 0 {
			dst = append(dst, f.ascii[d])
		}
	}
	return dst
}

// folded is a folded text with the way back: from[i] is the offset in the original text of
// folded byte i; the last entry is the length of the original.
type folded struct {
	Text     []byte
	from     []int
	original string
}

// Mapped folds a text and keeps the offsets of its bytes.
func (f *Folder) Mapped(text string) folded {
	dst, from := f.fold(make([]byte, 0, len(text)), []byte(text), make([]int, 0, len(text)+1))
	return folded{Text: dst, from: append(from, len(text)), original: text}
}

// Span returns the bytes of the original text that a range of folded bytes comes from. A
// letter that folds to two belongs to both, and the marks on a letter to it.
func (t folded) Span(from, to int) (start, end int) {
	for to > from && to < len(t.from)-1 && t.from[to] == t.from[to-1] {
		to++
	}
	if to == from {
		return t.from[from], t.from[from]
	}
	start, end = t.from[from], t.from[to-1]
	for first := true; end < t.from[to]; first = false {
		r, n := utf8.DecodeRuneInString(t.original[end:])
		if !first && r < utf8.RuneSelf {
			break
		}
		end += n
	}
	return start, end
}

// Find returns where a folded word occurs in the text.
func (t folded) Find(word []byte) []Mark {
	var out []Mark
	for at := 0; ; {
		i := bytes.Index(t.Text[at:], word)
		if i < 0 || len(word) == 0 {
			return out
		}
		start, end := t.Span(at+i, at+i+len(word))
		if n := len(out); n == 0 || start >= out[n-1].To { // not the other half of a letter
			out = append(out, Mark{start, end})
		}
		at += i + len(word)
	}
}
