package textfold

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldTableEnd is the end of the scripts that have cases or diacritics worth folding
// (Latin, Greek, Cyrillic, Hebrew, Arabic …). Characters beyond it are compared unchanged:
// in the scripts of India and East Asia a mark makes a different letter.
const foldTableEnd = 0x2500

// Folder makes text comparable by removing case and diacritics, so that "cafe" finds "Café"
// and "STRASSE" finds "Straße". It is read-only after NewFolder.
type Folder struct {
	table [foldTableEnd]string // what a rune becomes; "" for a mark, which is dropped
	ascii [utf8.RuneSelf]byte  // the same for ASCII; line ends become blanks
}

// NewFolder returns a Folder. Its table takes a moment to build, so keep the Folder.
func NewFolder() *Folder {
	f := &Folder{}
	fold := cases.Fold()
	for r := rune(0); r < foldTableEnd; r++ {
		if isDiacritic(r) {
			continue
		}
		if r < utf8.RuneSelf {
			f.ascii[r] = byte(unicode.ToLower(r))
			continue
		}
		text := norm.NFD.String(fold.String(string(r)))
		bare := make([]rune, 0, len(text))
		for _, d := range text {
			if !isDiacritic(d) {
				bare = append(bare, d)
			}
		}
		f.table[r] = string(bare)
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

// AppendFold appends the folded text to dst.
func (f *Folder) AppendFold(dst []byte, text []byte) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			dst = append(dst, f.ascii[c])
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if r < foldTableEnd {
			dst = append(dst, f.table[r]...)
		} else {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += n
	}
	return dst
}

// folded is a folded text with the way back: from[i] is the offset in the original text of
// folded byte i; the last entry is the length of the original.
type folded struct {
	Text []byte
	from []int
}

// Mapped folds a text and keeps the offsets of its bytes.
func (f *Folder) Mapped(text string) folded {
	out := folded{Text: make([]byte, 0, len(text)), from: make([]int, 0, len(text)+1)}
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRuneInString(text[i:])
		out.Text = f.AppendFold(out.Text, []byte(text[i:i+n]))
		for len(out.from) < len(out.Text) {
			out.from = append(out.from, i)
		}
		i += n
	}
	out.from = append(out.from, len(text))
	return out
}

// Span returns the bytes of the original text that a range of folded bytes comes from. A
// letter that folds to two belongs to both.
func (t folded) Span(from, to int) (start, end int) {
	for to > from && to < len(t.from)-1 && t.from[to] == t.from[to-1] {
		to++
	}
	return t.from[from], t.from[to]
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
